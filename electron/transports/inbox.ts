/**
 * The receiving half that every Port shares: keeps what arrives before
 * listen(), delivers `closed` exactly once and nothing after it.
 */
import type { PortClosed, PortHandler } from '../contract/wire/port.ts';

export class Inbox {
  #handler: PortHandler | null = null;
  #early: Uint8Array[] = [];
  #closed: PortClosed | null = null;

  get isClosed(): boolean {
    return this.#closed !== null;
  }

  listen(handler: PortHandler): void {
    if (this.#handler !== null) throw new Error('this port is listened to already');
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

  /** True the first time. */
  close(event: PortClosed): boolean {
    if (this.#closed !== null) return false;
    this.#closed = event;
    this.#handler?.closed(event);
    return true;
  }
}
