/**
 * Delivery of the page by the shells: headers with its Content-Security-Policy, and the messages with which the preload
 * passes a port to the page.
 */

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
    // Needed to export canvases, and by Plotly to draw its images.
    "img-src 'self' data: blob:",
    `connect-src 'self'${connect.map((source) => ` ${source}`).join('')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ');
}

/** Other headers of every response with the page. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Policy of a standalone document, such as a printed report: its own styles and images, nothing else. */
export const DOCUMENT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'";

/** Inserts that policy at the beginning of the document, because a `file://` page has no headers. */
export function withDocumentPolicy(html: string): string {
  const doctype = /^\s*<!doctype[^>]*>/i.exec(html)?.[0] ?? '';
  const policy = `<meta http-equiv="Content-Security-Policy" content="${DOCUMENT_POLICY}">`;
  return `${doctype}${policy}${html.slice(doctype.length)}`;
}

/** Message from the page to its own window, to request a port. */
export const WANT_PORT = 'braggbench:want-port';
/** Message with the port, from the preload to the page. */
export const HERE_IS_PORT = 'braggbench:port';
/** Channel on which the preload sends the other end of the port to the main process. */
export const PORT_CHANNEL = 'braggbench:port';
/** Channel on which the preload reports that the workbench is drawn. */
export const READY_CHANNEL = 'braggbench:ready';
/** Message from the page to its own window, to report that it is drawn. */
export const PAGE_READY = 'braggbench:ready';
