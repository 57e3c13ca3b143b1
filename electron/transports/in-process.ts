/** A pair of ports within one process, for tests and for pages that bring their own host. */
import type { Port, PortHandler } from '../contract/wire/port.ts';
import { Inbox } from './inbox.ts';

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
    // Never within send(): a caller must not find itself re-entered by the answer.
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
    // In the same queue as the frames, so that all that were sent arrive first.
    queueMicrotask(() => peer?.inbox.close({ byUs: false, reason }));
  }
}

export function inProcessPorts(): readonly [Port, Port] {
  const [a, b] = [new InProcessPort(), new InProcessPort()];
  a.peer = b;
  b.peer = a;
  return [a, b];
}
