/** The workbench for a browser: the page over HTTP, its port over a WebSocket, both on the loopback interface. */

import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { MAX_FRAME_BYTES } from '../contract/wire/frame.ts';
import { pageHeaders, pagePolicy } from '../contract/wire/page-policy.ts';
import type { Host } from '../host/index.ts';
import { acceptedSocketPort } from '../transports/websocket-host.ts';
import { hostOf, isOwnOrigin, isToken, newToken } from './guard.ts';
import { listen } from './listen.ts';
import { type PageFile, pageFiles } from './page-files.ts';

/** Answers HTTP requests. Everything lies below a path that is the token. So the token is in no cookie (those reach every port of this machine) and a request without it learns nothing. */
const YEAR_S = 365 * 24 * 60 * 60;

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    ...pageHeaders,
    'Cache-Control': 'no-store',
  });
  response.end(`${text}\n`);
}

/** The part of a path behind `/TOKEN/`, decoded; null when the token is not there. */
function belowToken(pathname: string, token: string): string | null {
  const [, first = '', ...rest] = pathname.split('/');
  return rest.length > 0 && isToken(first, token) ? rest.join('/') : null;
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
    // Rebuilt under a running server: the page's files have other names now.
    if (response.headersSent) response.destroy();
    else plain(response, 404, 'This file is no longer there. Start the program again.');
  });
  stream.pipe(response);
}

type Reply =
  | { readonly kind: 'text'; readonly status: number; readonly text: string }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'file'; readonly file: PageFile; readonly host: string };

const text = (status: number, sentence: string): Reply => ({ kind: 'text', status, text: sentence });

function decide(request: IncomingMessage, token: string, files: ReadonlyMap<string, PageFile>): Reply {
  const host = hostOf(request);
  if (host === null) return text(403, 'This address is not one of this machine.');
  if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'Only GET is answered here.');
  let url: URL;
  try {
    url = new URL(request.url ?? '/', `http://${host}`);
  } catch {
    return text(400, 'This is not an address.');
  }
  const given = url.searchParams.get('token');
  if (url.pathname === '/' && given !== null && isToken(given, token)) return { kind: 'redirect', to: `/${token}/` };
  const name = belowToken(url.pathname, token);
  if (name === null) return text(403, 'Open the address that the program printed when it started: it carries a token.');
  const file = files.get(name);
  return file === undefined ? text(404, 'There is nothing here.') : { kind: 'file', file, host };
}

/** Returns whether the request carried the token. */
function answer(
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
  files: ReadonlyMap<string, PageFile>,
): boolean {
  const reply = decide(request, token, files);
  switch (reply.kind) {
    case 'text':
      plain(response, reply.status, reply.text);
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
const SOCKET = 'socket';

export interface PageServer {
  readonly port: number;
  /** With the token. */
  readonly url: string;
  /** WebSockets of pages. */
  readonly pages: number;
  close(): Promise<void>;
}

function refuse(socket: Duplex, status: string): void {
  // Whoever is refused does not say when the connection ends.
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

/** Limits of connections. WebSockets of pages have no timeout here; pings monitor them. */
interface ConnectionLimits {
  /** For the head of a request, from its first byte or the connection's beginning. */
  readonly head_ms: number;
  /** Without a byte in either direction. */
  readonly silent_ms: number;
  /** Connections at a time. A page needs seven. */
  readonly most: number;
}
const LIMITS: ConnectionLimits = { head_ms: 10_000, silent_ms: 30_000, most: 256 };

/** Serves the pages of one host. Throws BraggError when the page is not built or the port is not to be had. */
export async function servePage(
  host: Host,
  pageFolder: string,
  wantedPort: number | null,
  { head_ms, silent_ms, most }: ConnectionLimits = LIMITS,
  token = newToken(),
): Promise<PageServer> {
  const files = pageFiles(pageFolder);
  const door = host.door();
  const times = { headersTimeout: head_ms, requestTimeout: head_ms, connectionsCheckingInterval: head_ms / 4 };
  /** Connections that have not given the token yet, the oldest first. */
  const strangers = new Set<Duplex>();
  let open = 0;
  const server = createServer(times, (request, response) => {
    if (answer(request, response, token, files)) strangers.delete(request.socket);
  });
  server.on('connection', (socket) => {
    open += 1;
    strangers.add(socket);
    socket.once('close', () => {
      open -= 1;
      strangers.delete(socket);
    });
    // Silent connections of other users make room for a new one, which may be a page's.
    if (open > most) [...strangers][0]?.destroy();
  });
  // Also who asks for a file and never takes it. A socket that becomes a page's is freed of it by `ws`.
  server.setTimeout(silent_ms, (socket) => socket.destroy());
  // Frames are compressed where it pays already, and deflating maps would cost more than loopback does.
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });

  server.on('upgrade', (request: IncomingMessage, socket, head) => {
    // A peer that goes away in the middle is no reason to end the program.
    socket.on('error', () => socket.destroy());
    const name = hostOf(request);
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (name === null || !isOwnOrigin(request, name)) refuse(socket, '403 Forbidden');
    else if (belowToken(path, token) !== SOCKET) refuse(socket, '403 Forbidden');
    else {
      strangers.delete(socket);
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
      door.close('the program was ended');
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await closed;
    },
  };
}
