/** Page side of a WebSocket, using the DOM's WebSocket. */
import type { Port, PortHandler } from '../contract/wire/protocol.ts';
import { Inbox } from './websocket-host.ts';

/** Close codes by RFC 6455. */
const NORMAL = 1000;
const UNSUPPORTED_DATA = 1003;

class PageSocketPort implements Port {
  readonly #inbox = new Inbox();
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', (event: MessageEvent<unknown>) => {
      if (event.data instanceof ArrayBuffer) this.#inbox.frame(new Uint8Array(event.data));
      else socket.close(UNSUPPORTED_DATA, 'not a frame');
    });
    // The event `close` follows. Without a listener, an error outside a browser would end the program.
    socket.addEventListener('error', () => undefined);
    socket.addEventListener('close', (event) => {
      this.#inbox.close({ byUs: false, reason: event.reason || `connection closed (${event.code})` });
    });
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(frame: Uint8Array): void {
    // The DOM types require a plain ArrayBuffer behind the view, as frames have.
    if (!this.#inbox.isClosed) this.#socket.send(frame as Uint8Array<ArrayBuffer>);
  }

  listen(handler: PortHandler): void {
    this.#inbox.listen(handler);
  }

  close(reason = 'closed'): void {
    if (!this.#inbox.close({ byUs: true, reason })) return;
    // WebSocket limits the reason to 123 bytes in UTF-8.
    this.#socket.close(NORMAL, reason.slice(0, 100));
  }
}

/** Connects to a server. Rejects with a readable message if no server responds or the connection is refused. */
export function openSocketPort(url: string): Promise<Port> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    // Create the port before the event `open`, because frames may follow it immediately.
    const port = new PageSocketPort(socket);
    socket.addEventListener('open', () => resolve(port));
    socket.addEventListener('close', () => reject(new Error('the host does not respond')));
  });
}
