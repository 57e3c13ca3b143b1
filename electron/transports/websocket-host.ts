/**
 * Host side of a WebSocket, using `ws`. Also the inbox of every Port, which buffers frames until `listen`, and delivers
 * `closed` exactly once, after all frames. Also connected ports within one process, for tests and for pages with an
 * embedded host.
 */
import type { RawData, WebSocket } from 'ws';
import type { Port, PortClosed, PortHandler } from '../contract/wire/protocol.ts';

export class Inbox {
  #handler: PortHandler | null = null;
  #early: Uint8Array[] = [];
  #closed: PortClosed | null = null;

  get isClosed(): boolean {
    return this.#closed !== null;
  }

  listen(handler: PortHandler): void {
    if (this.#handler !== null) throw new Error('another server is already listening on this port');
    this.#handler = handler;
    for (const frame of this.#early) handler.frame(frame);
    this.#early = [];
    if (this.#closed !== null) handler.closed(this.#closed);
  }

  frame(bytes: Uint8Array): void {
    if (this.#closed !== null) return;
    if (this.#handler === null) this.#early.push(bytes);
    else this.#handler.frame(bytes);
  }

  /** Closes the inbox. Returns true if it was open. */
  close(event: PortClosed): boolean {
    if (this.#closed !== null) return false;
    this.#closed = event;
    this.#handler?.closed(event);
    return true;
  }
}

const NORMAL = 1000;
const UNSUPPORTED_DATA = 1003;

/**
 * Interval of pings, ms. They detect a broken tunnel, of which neither side is notified. After three unanswered pings,
 * the socket is closed, so that the page can resume its connection.
 */
const PING_INTERVAL_MS = 10_000;
const MISSED_PINGS = 3;

function toBytes(data: RawData): Uint8Array {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return Array.isArray(data) ? Buffer.concat(data) : data;
}

class HostSocketPort implements Port {
  readonly #inbox = new Inbox();
  readonly #socket: WebSocket;
  #missed = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    const pings = setInterval(() => this.#ping(), PING_INTERVAL_MS);
    pings.unref();
    socket.on('pong', () => {
      this.#missed = 0;
    });
    socket.on('message', (data, isBinary) => {
      this.#missed = 0;
      if (isBinary) this.#inbox.frame(toBytes(data));
      else socket.close(UNSUPPORTED_DATA, 'not a frame');
    });
    // `ws` emits `error` before `close`. Without a listener, the event would end the program.
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

/** Port for an accepted socket. Frames that arrived before `listen` are buffered. */
export function acceptedSocketPort(socket: WebSocket): Port {
  return new HostSocketPort(socket);
}

class InProcessPort implements Port {
  readonly inbox = new Inbox();
  peer: InProcessPort | null = null;
  #queued = 0;

  get bufferedBytes(): number {
    return this.#queued;
  }

  send(frame: Uint8Array): void {
    const peer = this.peer;
    if (peer === null || this.inbox.isClosed) return;
    this.#queued += frame.byteLength;
    // Deliver asynchronously, so that no reply is handled within the caller's `send`.
    queueMicrotask(() => {
      this.#queued -= frame.byteLength;
      peer.inbox.frame(frame);
    });
  }

  listen(handler: PortHandler): void {
    this.inbox.listen(handler);
  }

  close(reason = 'closed'): void {
    if (!this.inbox.close({ byUs: true, reason })) return;
    const peer = this.peer;
    // Use the same queue as for frames, so that all of them arrive before the end.
    queueMicrotask(() => peer?.inbox.close({ byUs: false, reason }));
  }
}

export function inProcessPorts(): readonly [Port, Port] {
  const [a, b] = [new InProcessPort(), new InProcessPort()];
  a.peer = b;
  b.peer = a;
  return [a, b];
}
