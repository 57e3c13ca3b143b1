/** The host's side of a WebSocket, over `ws`. */
import type { RawData, WebSocket } from 'ws';
import type { Port, PortHandler } from '../contract/wire/port.ts';
import { Inbox } from './inbox.ts';

const NORMAL = 1000;
const UNSUPPORTED_DATA = 1003;

/**
 * A broken tunnel notifies neither side. After three pings without an answer the socket is dropped, so that the page's
 * reconnect finds its connection free.
 */
const PING_EVERY_MS = 10_000;
const MISSED_PINGS = 3;

function asBytes(data: RawData): Uint8Array {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return Array.isArray(data) ? Buffer.concat(data) : data;
}

class HostSocketPort implements Port {
  readonly #inbox = new Inbox();
  readonly #socket: WebSocket;
  #missed = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    const pings = setInterval(() => this.#ping(), PING_EVERY_MS);
    pings.unref();
    socket.on('pong', () => {
      this.#missed = 0;
    });
    socket.on('message', (data, isBinary) => {
      this.#missed = 0;
      if (isBinary) this.#inbox.frame(asBytes(data));
      else socket.close(UNSUPPORTED_DATA, 'not a frame');
    });
    // `ws` emits `error` before `close`; without a listener it would end the process.
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => {
      clearInterval(pings);
      this.#inbox.close({ byUs: false, reason: reason.toString() || `connection closed (${code})` });
    });
  }

  #ping(): void {
    if (this.#missed >= MISSED_PINGS) this.#socket.terminate();
    else this.#socket.ping();
    this.#missed += 1;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(frame: Uint8Array): void {
    if (!this.#inbox.isClosed) this.#socket.send(frame);
  }

  listen(handler: PortHandler): void {
    this.#inbox.listen(handler);
  }

  close(reason = 'closed'): void {
    if (!this.#inbox.close({ byUs: true, reason })) return;
    this.#socket.close(NORMAL, reason.slice(0, 100));
  }
}

/** The port of a socket that was accepted; frames that came already are not lost. */
export function acceptedSocketPort(socket: WebSocket): Port {
  return new HostSocketPort(socket);
}
