/** An open stream on the page's side: frame order, credits and dropped frames. */
import { BraggError, type WireError } from '../../../electron/contract/errors.ts';

export type FrameInfo = Readonly<{
  /** 1 for the first frame. Has gaps where frames of a `latest` stream were lost with a broken connection. */
  sequence: number;
  /** Total number of frames that the host replaced by newer ones before sending them. */
  dropped: number;
}>;

export interface StreamReader<F> {
  /**
   * Handles one frame. The credit returns to the host when this function returns or its promise settles. Resolve the
   * promise after painting, so that the host never runs ahead.
   */
  frame(value: F, info: FrameInfo): void | Promise<void>;
  /** Called once, unless the page closes the stream itself. The error is null if the stream is complete. */
  end?(error: BraggError | null): void;
}

export interface StreamHandle {
  /** Closes the stream; no frame is delivered afterwards. */
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
  /** Highest sequence number delivered, and highest whose credit was returned. */
  #delivered = 0;
  #credited = 0;
  #ended = false;

  constructor(request: OpenRequest, reader: StreamReader<unknown>, credit: (received: number) => void) {
    this.request = request;
    this.#reader = reader;
    this.#credit = credit;
  }

  /** Sequence number for a resume: the host resends later frames. */
  get received(): number {
    return this.#delivered;
  }

  /** Restarts from the first frame because the host does not know this stream. */
  reset(): void {
    this.#delivered = 0;
    this.#credited = 0;
  }

  frame(value: unknown, info: FrameInfo): void {
    // Ignore a resent frame that had already arrived.
    if (this.#ended || info.sequence <= this.#delivered) return;
    this.#delivered = info.sequence;
    const painted = this.#reader.frame(value, info);
    if (painted === undefined) this.#done(info.sequence);
    // An error in a reader is a bug in the page, so it surfaces as an unhandled rejection.
    else void painted.finally(() => this.#done(info.sequence));
  }

  end(error: WireError | null): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#reader.end?.(error === null ? null : BraggError.fromWire(error));
  }

  close(): void {
    this.#ended = true;
  }

  /** Painting may finish out of order, so the credit is the highest finished frame. */
  #done(sequence: number): void {
    if (this.#ended || sequence <= this.#credited) return;
    this.#credited = sequence;
    this.#credit(sequence);
  }
}
