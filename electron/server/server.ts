/** The workbench for a browser: the page over HTTP, its port over a WebSocket, both on the loopback interface. */
import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { MAX_FRAME_BYTES } from '../contract/wire/frame.ts';
import type { Host } from '../host/index.ts';
import { acceptedSocketPort } from '../transports/websocket-host.ts';
import { hostOf, isOwnOrigin, newToken } from './guard.ts';
import { listen } from './listen.ts';
import { pageFiles } from './page-files.ts';
import { answer, belowToken } from './requests.ts';

/** Where the page looks for its port, beside itself. */
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

/** How long a connection may take; those of pages, which are WebSockets, are watched by their pings. */
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
