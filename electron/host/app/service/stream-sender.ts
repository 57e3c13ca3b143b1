/**
 * One open stream of a connection: its credits, its policy, and resumption after the carrier was lost.
 *
 * A frame is retained until the reader has credited it. A credit is the highest sequence number that the reader has
 * received, so frames lost with a broken carrier are known. A `lossless` stream sends all of them again, a `latest`
 * stream only the newest.
 */

import { BraggError, toWireError, type WireError } from '../../../contract/errors.ts';
import { encodeFrame, FrameSizeError } from '../../../contract/wire/frame.ts';
import type { HostMessage } from '../../../contract/wire/protocol.ts';
import type { StreamPolicy } from '../../../contract/wire/streams.ts';
import type { FrameSink } from '../../io/flow/subscribers.ts';

/** Maximum number of unread bytes of a lossless stream. It is far larger than the log of a long connection. */
const LOSSLESS_BYTES = 32 * 2 ** 20;

type SentFrame = { readonly sequence: number; readonly bytes: Uint8Array };

interface StreamSenderOptions {
  readonly stream: number;
  readonly policy: StreamPolicy;
  readonly credits: number;
  /** Sends a frame on the current carrier. Does nothing if there is none. */
  readonly send: (bytes: Uint8Array) => void;
  readonly attached: () => boolean;
  readonly losslessBytes?: number;
}

export class StreamSender implements FrameSink<unknown> {
  readonly #options: StreamSenderOptions;
  /** Frames that the reader has not credited, oldest first. They may have been sent already. */
  #unread: SentFrame[] = [];
  /** Number of frames in `#unread` that were sent on the current carrier. */
  #sentCount = 0;
  #unreadBytes = 0;
  /** Makes the frame of a `latest` stream that waits for a credit. */
  #waiting: (() => unknown) | null = null;
  #sequence = 0;
  #dropped = 0;
  #ended: { readonly error: WireError | null } | null = null;
  #isEndSent = false;
  #stop: (() => void) | null = null;

  constructor(options: StreamSenderOptions) {
    this.#options = options;
  }

  /** Sets a callback that runs when the reader closes the stream, the stream fails, or its connection ends. */
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
    this.#callOnStop();
    this.#flush();
  }

  /** Releases the frames up to `sequence`, which the reader has processed. */
  credit(sequence: number): void {
    while (this.#unread[0] !== undefined && this.#unread[0].sequence <= sequence) {
      this.#unreadBytes -= this.#unread.shift()?.bytes.byteLength ?? 0;
      this.#sentCount = Math.max(0, this.#sentCount - 1);
    }
    this.#flush();
  }

  /** Sends the frames after `sequence` again on a new carrier, because they were lost with the old one. */
  resume(sequence: number): void {
    this.#sentCount = 0;
    this.#isEndSent = false;
    if (this.#options.policy === 'latest' && this.#unread.length > 1) {
      const lost = this.#unread.filter((frame) => frame.sequence > sequence);
      const newest = lost.at(-1);
      this.#dropped += Math.max(0, lost.length - 1);
      this.#unread = newest === undefined ? [] : [newest];
      this.#unreadBytes = newest?.bytes.byteLength ?? 0;
    }
    this.credit(sequence);
  }

  /** Ends the stream without a message, because the reader closed it or its connection ended. */
  close(): void {
    this.#ended ??= { error: null };
    this.#waiting = null;
    this.#unread = [];
    this.#callOnStop();
  }

  #callOnStop(): void {
    const stop = this.#stop;
    this.#stop = null;
    stop?.();
  }

  /** Encodes a frame and appends it to the unread frames. If it cannot be encoded, the stream fails. */
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
          `The page reads this stream too slowly: more than ${limit} bytes are unread; allowed: ${limit}.`,
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
    this.#callOnStop();
  }

  #flush(): void {
    if (!this.#options.attached()) return;
    if (this.#waiting !== null && this.#unread.length < this.#options.credits) {
      const make = this.#waiting;
      this.#waiting = null;
      this.#push(make);
    }
    while (this.#sentCount < this.#unread.length && this.#sentCount < this.#options.credits) {
      const next = this.#unread[this.#sentCount];
      if (next === undefined) break;
      this.#sentCount += 1;
      this.#options.send(next.bytes);
    }
    const all = this.#waiting === null && this.#sentCount === this.#unread.length;
    if (this.#ended !== null && all && !this.#isEndSent) {
      this.#isEndSent = true;
      this.#options.send(
        encodeFrame({ type: 'end', stream: this.#options.stream, error: this.#ended.error } satisfies HostMessage),
      );
    }
  }
}
