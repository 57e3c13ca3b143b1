/**
 * Delivery of the page by both shells: response headers with the Content-Security-Policy, and the messages by which
 * Electron's preload script passes a port to the page.
 */

/**
 * Content-Security-Policy of the page, the same for both shells. `connect`: origins to which the page may connect in
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

/** Other headers of every response that contains part of the page. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Policy of a standalone document, such as a printed report. It allows only the document's own styles and images. */
export const DOCUMENT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'";

/** Inserts `DOCUMENT_POLICY` at the beginning of the document, because a `file://` page has no headers. */
export function withDocumentPolicy(html: string): string {
  const doctype = /^\s*<!doctype[^>]*>/i.exec(html)?.[0] ?? '';
  const policy = `<meta http-equiv="Content-Security-Policy" content="${DOCUMENT_POLICY}">`;
  return `${doctype}${policy}${html.slice(doctype.length)}`;
}

/** Message by which the page requests a port, posted to its own window. */
export const PORT_REQUEST = 'braggbench:want-port';
/** Message by which the preload script passes the port to the page. */
export const PORT_DELIVERY = 'braggbench:port';
/** IPC channel on which the preload script sends the port's other end to the main process. */
export const PORT_CHANNEL = 'braggbench:port';
/** IPC channel on which the preload script reports that the page is drawn. */
export const READY_CHANNEL = 'braggbench:ready';
/** Message by which the page reports that it is drawn, posted to its own window. */
export const PAGE_READY = 'braggbench:ready';
