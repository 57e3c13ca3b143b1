/**
 * Serves the workbench to a browser: page files over HTTP, and the connection to the host over a WebSocket, both on the
 * loopback interface. The page's files are listed once at the start; no other file can be requested.
 */
import { createReadStream, readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { BraggError } from '../contract/errors.ts';
import { MAX_FRAME_BYTES } from '../contract/wire/frame.ts';
import { pageHeaders, pagePolicy } from '../contract/wire/page.ts';
import type { Host } from '../host/index.ts';
import { acceptedSocketPort } from '../transports/websocket-host.ts';
import { isOwnOrigin, listen, loopbackHost, newToken, tokensMatch } from './loopback.ts';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};

/** Entry page for browsers. The entry page of the desktop program is not served. */
const BROWSER_ENTRY = 'browser.html';
const DESKTOP_ENTRY = 'desktop.html';

interface PageFile {
  readonly path: string;
  readonly type: string;
  /** True if the file's name contains a hash of its contents, so that browsers may cache it forever. */
  readonly immutable: boolean;
}

/**
 * Page files by path relative to the page's address. The empty path is the entry page. Throws if the page is not built.
 */
function pageFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  let found: string[];
  try {
    found = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
  } catch {
    found = [];
  }
  for (const name of found) {
    const type = CONTENT_TYPES[path.extname(name).toLowerCase()];
    if (type === undefined || name === DESKTOP_ENTRY) continue;
    const file = { path: path.join(folder, name), type, immutable: name.startsWith('assets/') };
    files.set(name === BROWSER_ENTRY ? '' : name, file);
  }
  if (!files.has('')) {
    throw new BraggError(
      'unsupported',
      `The page is not built: ${path.join(folder, BROWSER_ENTRY)} does not exist. Run npm run build`,
    );
  }
  return files;
}

/** Cache duration of files whose names contain a hash of their contents, s. */
const YEAR_S = 365 * 24 * 60 * 60;

function sendPlainText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    ...pageHeaders,
    'Cache-Control': 'no-store',
  });
  response.end(`${text}\n`);
}

/**
 * Decodes the part of a path after `/TOKEN/`; null if the path does not begin with the token. Paths contain the token
 * because browsers would send a cookie to every port of this machine.
 */
function pathBelowToken(pathname: string, token: string): string | null {
  const [, first = '', ...rest] = pathname.split('/');
  return rest.length > 0 && tokensMatch(first, token) ? rest.join('/') : null;
}

function sendFile(request: IncomingMessage, response: ServerResponse, file: PageFile, host: string): void {
  const cache = file.immutable ? `private, max-age=${YEAR_S}, immutable` : 'no-store';
  const headers = {
    'Content-Type': file.type,
    'Content-Security-Policy': pagePolicy([`ws://${host}`]),
    'Cache-Control': cache,
    ...pageHeaders,
  };
  if (request.method === 'HEAD') {
    response.writeHead(200, headers).end();
    return;
  }
  const stream = createReadStream(file.path);
  stream.once('open', () => response.writeHead(200, headers));
  stream.once('error', () => {
    // A missing file means that the page was rebuilt while the server is running, so its files have other names.
    if (response.headersSent) response.destroy();
    else sendPlainText(response, 404, 'This file no longer exists. Start the program again.');
  });
  stream.pipe(response);
}

type HttpReply =
  | { readonly kind: 'text'; readonly status: number; readonly text: string }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'file'; readonly file: PageFile; readonly host: string };

const textReply = (status: number, sentence: string): HttpReply => ({ kind: 'text', status, text: sentence });

function replyForRequest(request: IncomingMessage, token: string, files: ReadonlyMap<string, PageFile>): HttpReply {
  const host = loopbackHost(request);
  if (host === null)
    return textReply(
      403,
      'The Host header of the request is not an address of this machine. Use the address that the program printed.',
    );
  if (request.method !== 'GET' && request.method !== 'HEAD') return textReply(405, 'Only GET is supported.');
  let url: URL;
  try {
    url = new URL(request.url ?? '/', `http://${host}`);
  } catch {
    return textReply(400, 'This address is not valid.');
  }
  const given = url.searchParams.get('token');
  if (url.pathname === '/' && given !== null && tokensMatch(given, token))
    return { kind: 'redirect', to: `/${token}/` };
  const name = pathBelowToken(url.pathname, token);
  if (name === null)
    return textReply(403, 'Open the address that the program printed when it started: it contains the access token.');
  const file = files.get(name);
  return file === undefined ? textReply(404, 'There is nothing at this address.') : { kind: 'file', file, host };
}

/** Answers an HTTP request. Returns whether it contained the token; a request without it gets no information. */
function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
  files: ReadonlyMap<string, PageFile>,
): boolean {
  const reply = replyForRequest(request, token, files);
  switch (reply.kind) {
    case 'text':
      sendPlainText(response, reply.status, reply.text);
      break;
    case 'redirect':
      response.writeHead(303, { Location: reply.to, ...pageHeaders, 'Cache-Control': 'no-store' }).end();
      break;
    case 'file':
      sendFile(request, response, reply.file, reply.host);
      break;
  }
  return reply.kind !== 'text';
}

/** Path of the page's WebSocket, relative to the page. */
const SOCKET_PATH = 'socket';

export interface PageServer {
  readonly port: number;
  /** URL with the token. */
  readonly url: string;
  /** Number of pages that are connected by a WebSocket. */
  readonly pages: number;
  close(): Promise<void>;
}

function rejectUpgrade(socket: Duplex, status: string): void {
  // Close the socket from this side, because a rejected client may leave it open.
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

/** Limits on connections. WebSockets of pages have no timeout; they are monitored by pings. */
interface ConnectionLimits {
  /** Time in which the header of a request must arrive. */
  readonly head_ms: number;
  /** Time after which a connection without traffic is closed. */
  readonly silent_ms: number;
  /** Largest number of concurrent connections; a page needs seven. */
  readonly most: number;
}
const LIMITS: ConnectionLimits = { head_ms: 10_000, silent_ms: 30_000, most: 256 };

/** Serves pages that use one host. Throws BraggError if the page is not built or the port is not available. */
export async function servePage(
  host: Host,
  pageFolder: string,
  wantedPort: number | null,
  { head_ms, silent_ms, most }: ConnectionLimits = LIMITS,
  token = newToken(),
): Promise<PageServer> {
  const files = pageFiles(pageFolder);
  const door = host.pageAcceptor();
  const times = { headersTimeout: head_ms, requestTimeout: head_ms, connectionsCheckingInterval: head_ms / 4 };
  /** Connections that have not sent the token yet, oldest first. */
  const unauthenticated = new Set<Duplex>();
  let open = 0;
  const server = createServer(times, (request, response) => {
    if (answerRequest(request, response, token, files)) unauthenticated.delete(request.socket);
  });
  server.on('connection', (socket) => {
    open += 1;
    unauthenticated.add(socket);
    socket.once('close', () => {
      open -= 1;
      unauthenticated.delete(socket);
    });
    // Beyond the limit, close the oldest connection without a token, because the new one may belong to a page.
    if (open > most) [...unauthenticated][0]?.destroy();
  });
  // The timeout also ends clients that request a file but never read it. `ws` removes it from WebSockets.
  server.setTimeout(silent_ms, (socket) => socket.destroy());
  // Do not compress messages. Frames that benefit are compressed already, and for maps, compression is slower than
  // loopback transfer.
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });

  server.on('upgrade', (request: IncomingMessage, socket, head) => {
    // Handle the error, because a lost connection must not end the program.
    socket.on('error', () => socket.destroy());
    const name = loopbackHost(request);
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (name === null || !isOwnOrigin(request, name)) rejectUpgrade(socket, '403 Forbidden');
    else if (pathBelowToken(path, token) !== SOCKET_PATH) rejectUpgrade(socket, '403 Forbidden');
    else {
      unauthenticated.delete(socket);
      sockets.handleUpgrade(request, socket, head, (accepted) => door.accept(acceptedSocketPort(accepted)));
    }
  });

  const port = await listen(server, wantedPort);
  return {
    port,
    url: `http://127.0.0.1:${port}/?token=${token}`,
    get pages() {
      return sockets.clients.size;
    },
    close: async () => {
      door.close('the program was closed');
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await closed;
    },
  };
}
