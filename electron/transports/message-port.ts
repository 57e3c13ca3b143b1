/**
 * Ports over Electron message channels: `pagePort` for the DOM MessagePort in the page, `mainPort` for MessagePortMain
 * in the main process. Both use structural types, so this module does not import `electron`, and tests can use
 * MessagePort of Node. Electron copies posted data, because an ArrayBuffer cannot be transferred between the main
 * process and a page. So each frame is posted in a buffer of exactly its size.
 */
import type { Port, PortHandler } from '../contract/wire/protocol.ts';
import { Inbox } from './websocket-host.ts';

/** Members of the DOM MessagePort that are used here. */
export interface DomMessagePort {
  postMessage(message: unknown): void;
  start(): void;
  close(): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close' | 'messageerror', listener: () => void): void;
}

/** Members of Electron's MessagePortMain that are used here. */
export interface MainMessagePort {
  postMessage(message: unknown): void;
  start(): void;
  close(): void;
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
}

/** Message posted before closing, because not all runtimes notify the other side. */
const CLOSE_MESSAGE = null;

class MessagePortCarrier implements Port {
  /** Message channels do not report buffered bytes. Only stream credits limit them. */
  readonly bufferedBytes = 0;
  readonly #inbox = new Inbox();
  readonly #post: (message: unknown) => void;
  readonly #shut: () => void;

  constructor(post: (message: unknown) => void, shut: () => void) {
    this.#post = post;
    this.#shut = shut;
  }

  readonly received = (data: unknown): void => {
    if (data instanceof Uint8Array) this.#inbox.frame(data);
    else if (data === CLOSE_MESSAGE) this.lost('closed by the other side');
    else this.close('a message is not a frame');
  };

  readonly lost = (reason: string): void => {
    if (this.#inbox.close({ byUs: false, reason })) this.#shut();
  };

  send(frame: Uint8Array): void {
    if (this.#inbox.isClosed) return;
    // Copy the frame if it is part of a larger buffer, because posting clones the complete buffer.
    this.#post(frame.byteLength === frame.buffer.byteLength ? frame : frame.slice());
  }

  listen(handler: PortHandler): void {
    this.#inbox.listen(handler);
  }

  close(reason = 'closed'): void {
    if (!this.#inbox.close({ byUs: true, reason })) return;
    this.#post(CLOSE_MESSAGE);
    this.#shut();
  }
}

export function pagePort(port: DomMessagePort): Port {
  const carrier = new MessagePortCarrier(
    (message) => port.postMessage(message),
    () => port.close(),
  );
  port.addEventListener('message', (event) => carrier.received(event.data));
  port.addEventListener('messageerror', () => carrier.close('a message could not be read'));
  port.addEventListener('close', () => carrier.lost('the host closed'));
  port.start();
  return carrier;
}

export function mainPort(port: MainMessagePort): Port {
  const carrier = new MessagePortCarrier(
    (message) => port.postMessage(message),
    () => port.close(),
  );
  port.on('message', (event) => carrier.received(event.data));
  port.on('close', () => carrier.lost('the page closed'));
  port.start();
  return carrier;
}
