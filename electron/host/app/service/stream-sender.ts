/**
 * One open stream of a connection: credits, the two policies, and resumption after the carrier was lost.
 *
 * A frame is retained until the reader has credited it. The credit is the highest sequence number that the reader has
 * received. Frames lost with a broken carrier are therefore known and sent again. A lossless stream resends all of
 * them, a `latest` stream only the newest.
 */

import { BraggError, toWireError, type WireError } from '../../../contract/errors.ts';
import { encodeFrame, FrameSizeError } from '../../../contract/wire/frame.ts';
import type { HostMessage } from '../../../contract/wire/protocol.ts';
import type { StreamPolicy } from '../../../contract/wire/streams.ts';
import type { Sink } from '../../io/flow/subscribers.ts';

/** Maximum number of unread bytes of a lossless stream; far more than the log of a long connection. */
const LOSSLESS_BYTES = 32 * 2 ** 20;

type SentFrame = { readonly sequence: number; readonly bytes: Uint8Array };

interface StreamSenderOptions {
  readonly stream: number;
  readonly policy: StreamPolicy;
  readonly credits: number;
  /** Sends a frame on the present carrier; does nothing without one. */
  readonly send: (bytes: Uint8Array) => void;
  readonly attached: () => boolean;
  readonly losslessBytes?: number;
}

export class StreamSender implements Sink<unknown> {
  readonly #options: StreamSenderOptions;
  /** Frames without a credit, sent or ready to be sent, oldest first. */
  #unread: SentFrame[] = [];
  /** Number of frames of `unread` that were sent on the present carrier. */
  #given = 0;
  #unreadBytes = 0;
  /** Frame of a `latest` stream that waits for a credit. */
  #waiting: (() => unknown) | null = null;
  #sequence = 0;
  #dropped = 0;
  #ended: { readonly error: WireError | null } | null = null;
  #endGiven = false;
  #stop: (() => void) | null = null;

  constructor(options: StreamSenderOptions) {
    this.#options = options;
  }

  /** Runs when the stream is closed by the reader, fails, or its connection ends. */
  onStop(stop: () => void): void {
    if (this.#ended === null) this.#stop = stop;
    else stop();
  }

  offer(make: () => unknown): void {
    if (this.#ended !== null) return;
    if (this.#options.policy === 'lossless') {
      this.#push(make);
    } else {
      if (this.#waiting !== null) this.#dropped += 1;
      this.#waiting = make;
    }
    this.#flush();
  }

  end(error?: unknown): void {
    if (this.#ended !== null) return;
    this.#ended = { error: error === undefined ? null : toWireError(error) };
    this.#halt();
    this.#flush();
  }

  /** Called when the reader has processed everything up to `sequence`. */
  credit(sequence: number): void {
    while (this.#unread[0] !== undefined && this.#unread[0].sequence <= sequence) {
      this.#unreadBytes -= this.#unread.shift()?.bytes.byteLength ?? 0;
      this.#given = Math.max(0, this.#given - 1);
    }
    this.#flush();
  }

  /** Sends frames again on a new carrier that were lost with the old one. */
  resume(sequence: number): void {
    this.#given = 0;
    this.#endGiven = false;
    if (this.#options.policy === 'latest' && this.#unread.length > 1) {
      const lost = this.#unread.filter((frame) => frame.sequence > sequence);
      const newest = lost.at(-1);
      this.#dropped += Math.max(0, lost.length - 1);
      this.#unread = newest === undefined ? [] : [newest];
      this.#unreadBytes = newest?.bytes.byteLength ?? 0;
    }
    this.credit(sequence);
  }

  /** Called when the reader closes the stream, or the connection ends. */
  close(): void {
    this.#ended ??= { error: null };
    this.#waiting = null;
    this.#unread = [];
    this.#halt();
  }

  #halt(): void {
    const stop = this.#stop;
    this.#stop = null;
    stop?.();
  }

  /** Encodes a frame and adds it to the unread list; a frame that cannot be encoded ends the stream. */
  #push(make: () => unknown): void {
    let bytes: Uint8Array;
    try {
      bytes = encodeFrame({
        type: 'frame',
        stream: this.#options.stream,
        sequence: this.#sequence + 1,
        dropped: this.#dropped,
        value: make(),
      } satisfies HostMessage);
    } catch (error) {
      const tooLarge = error instanceof FrameSizeError;
      this.#fail(
        tooLarge ? new BraggError('overflow', `A frame of this stream cannot be sent: ${error.message}.`) : error,
      );
      return;
    }
    const limit = this.#options.losslessBytes ?? LOSSLESS_BYTES;
    if (this.#options.policy === 'lossless' && this.#unreadBytes + bytes.byteLength > limit) {
      this.#fail(
        new BraggError(
          'overflow',
          `The page has not yet read more than ${limit} bytes of this stream, which is the limit.`,
        ),
      );
      return;
    }
    this.#sequence += 1;
    this.#unread.push({ sequence: this.#sequence, bytes });
    this.#unreadBytes += bytes.byteLength;
  }

  #fail(error: unknown): void {
    this.#ended = { error: toWireError(error) };
    this.#waiting = null;
    this.#halt();
  }

  #flush(): void {
    if (!this.#options.attached()) return;
    if (this.#waiting !== null && this.#unread.length < this.#options.credits) {
      const make = this.#waiting;
      this.#waiting = null;
      this.#push(make);
    }
    while (this.#given < this.#unread.length && this.#given < this.#options.credits) {
      const next = this.#unread[this.#given];
      if (next === undefined) break;
      this.#given += 1;
      this.#options.send(next.bytes);
    }
    const all = this.#waiting === null && this.#given === this.#unread.length;
    if (this.#ended !== null && all && !this.#endGiven) {
      this.#endGiven = true;
      this.#options.send(
        encodeFrame({ type: 'end', stream: this.#options.stream, error: this.#ended.error } satisfies HostMessage),
      );
    }
  }
}
