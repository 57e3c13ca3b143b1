/**
 * Ports over Electron message channels: `pagePort` for the page's DOM MessagePort, `mainPort` for Electron's
 * MessagePortMain. Both have structural types, so this module does not import `electron`. Tests use Node's MessagePort,
 * which fits both types.
 *
 * Electron clones what is posted (an ArrayBuffer cannot be transferred between
 * the main process and a page). So a frame is posted as its exact bytes.
 */
import type { Port, PortHandler } from '../contract/wire/protocol.ts';
import { Inbox } from './websocket-host.ts';

/** Used part of the DOM MessagePort. */
export interface DomMessagePort {
  postMessage(message: unknown): void;
  start(): void;
  close(): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close' | 'messageerror', listener: () => void): void;
}

/** Used part of Electron's MessagePortMain. */
export interface MainMessagePort {
  postMessage(message: unknown): void;
  start(): void;
  close(): void;
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
}

/** Message sent before closing, because not every runtime notifies the other side. */
const CLOSE_MESSAGE = null;

class MessagePortCarrier implements Port {
  /** Unknown for message channels; only credits limit the buffered bytes. */
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
    // Copy a view on a larger buffer, because the entire buffer would be cloned.
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
