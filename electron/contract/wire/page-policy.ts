/**
 * The page's Content-Security-Policy, the same for both shells. `connect`: origins to which the page may connect in
 * addition to its own (the loopback WebSocket of the browser shell; none in Electron).
 *
 * Plotly would inject a style sheet. The page ships those rules itself
 * (renderer/panels/depth-dose/depth-dose-panel.css), so inline styles stay forbidden too.
 */
export function pagePolicy(connect: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    // Canvases are exported, and Plotly draws its images, through these.
    "img-src 'self' data: blob:",
    `connect-src 'self'${connect.map((source) => ` ${source}`).join('')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ');
}

/** The other headers that every answer with the page carries. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Policy of a standalone document, such as a printed report: its own styles and images, nothing else. */
export const DOCUMENT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'";

/** The document with that policy before everything else in it: a `file://` page has no headers that could carry it. */
export function withDocumentPolicy(html: string): string {
  const doctype = /^\s*<!doctype[^>]*>/i.exec(html)?.[0] ?? '';
  const policy = `<meta http-equiv="Content-Security-Policy" content="${DOCUMENT_POLICY}">`;
  return `${doctype}${policy}${html.slice(doctype.length)}`;
}
