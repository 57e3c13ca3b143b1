/** The page's side of a WebSocket, over the DOM's WebSocket. */
import type { Port, PortHandler } from '../contract/wire/port.ts';
import { Inbox } from './inbox.ts';

/** RFC 6455 close codes that are used here. */
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
    // An error is followed by `close`. Without a listener, an error outside a browser ends the program.
    socket.addEventListener('error', () => undefined);
    socket.addEventListener('close', (event) => {
      this.#inbox.close({ byUs: false, reason: event.reason || `connection closed (${event.code})` });
    });
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(frame: Uint8Array): void {
    // The DOM types want a plain ArrayBuffer behind the view; frames are made on one.
    if (!this.#inbox.isClosed) this.#socket.send(frame as Uint8Array<ArrayBuffer>);
  }

  listen(handler: PortHandler): void {
    this.#inbox.listen(handler);
  }

  close(reason = 'closed'): void {
    if (!this.#inbox.close({ byUs: true, reason })) return;
    // The protocol allows 123 bytes of reason.
    this.#socket.close(NORMAL, reason.slice(0, 100));
  }
}

/** Connects; rejects with a readable reason when there is nobody or the connection is refused. */
export function openSocketPort(url: string): Promise<Port> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.binaryType = 'arraybuffer';
    // Made before `open`: a frame that follows at once must find its listener.
    const port = new PageSocketPort(socket);
    socket.addEventListener('open', () => resolve(port));
    socket.addEventListener('close', () => reject(new Error('the host does not answer')));
  });
}
