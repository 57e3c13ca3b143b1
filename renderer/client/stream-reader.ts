/** One open stream on the page's side: order, credits, and what was dropped. */
import type { WireError } from '../../electron/contract/errors.ts';
import { BraggError } from '../../electron/contract/errors.ts';

export type FrameInfo = Readonly<{
  /** 1 for the first frame; gaps where a broken connection swallowed frames of a `latest` stream. */
  sequence: number;
  /** Frames that were replaced before they were sent, in all. */
  dropped: number;
}>;

export interface StreamReader<F> {
  /**
   * Takes one frame. Its credit goes back when this returns or, for a promise,
   * when that settles: resolve it after painting and the host never runs ahead.
   */
  frame(value: F, info: FrameInfo): void | Promise<void>;
  /** Called once, unless the page closes the stream itself. Null: nothing more to come. */
  end?(error: BraggError | null): void;
}

export interface StreamHandle {
  /** No frame is delivered after this. */
  close(): void;
}

interface OpenRequest {
  readonly stream: number;
  readonly name: string;
  readonly params: unknown;
  readonly credits: number;
}

export class OpenStream {
  readonly request: OpenRequest;
  readonly #reader: StreamReader<unknown>;
  readonly #credit: (received: number) => void;
  /** Highest sequence delivered, and highest whose credit went back. */
  #delivered = 0;
  #credited = 0;
  #over = false;

  constructor(request: OpenRequest, reader: StreamReader<unknown>, credit: (received: number) => void) {
    this.request = request;
    this.#reader = reader;
    this.#credit = credit;
  }

  /** For a resume: frames above this are to be sent again. */
  get received(): number {
    return this.#delivered;
  }

  /** Starts from the beginning: the host never heard of this stream. */
  reset(): void {
    this.#delivered = 0;
    this.#credited = 0;
  }

  frame(value: unknown, info: FrameInfo): void {
    // A frame that was sent again although it had arrived.
    if (this.#over || info.sequence <= this.#delivered) return;
    this.#delivered = info.sequence;
    const painted = this.#reader.frame(value, info);
    if (painted === undefined) this.#done(info.sequence);
    // A failing reader is a bug in the page: it surfaces as an unhandled rejection.
    else void painted.finally(() => this.#done(info.sequence));
  }

  end(error: WireError | null): void {
    if (this.#over) return;
    this.#over = true;
    this.#reader.end?.(error === null ? null : BraggError.fromWire(error));
  }

  close(): void {
    this.#over = true;
  }

  /** Frames may be painted out of order; the credit is the highest. */
  #done(sequence: number): void {
    if (this.#over || sequence <= this.#credited) return;
    this.#credited = sequence;
    this.#credit(sequence);
  }
}
