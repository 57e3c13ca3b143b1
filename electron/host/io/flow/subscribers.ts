/** Subscribers to the progress or live frames of one run. */

/** Receiver of a stream of frames. */
export interface FrameSink<F> {
  /**
   * Offers a frame. A `latest` stream calls `make` only when it sends the frame, so that frames nobody sees are not
   * computed. A `lossless` stream calls it at once.
   */
  offer(make: () => F): void;
  /** Ends the stream after the frames that were already offered. */
  end(error?: unknown): void;
}

export class FrameSubscribers<F> {
  readonly #open = new Map<FrameSink<F>, { readonly make: () => F; waiting: boolean }>();

  get size(): number {
    return this.#open.size;
  }

  /** Subscribes a sink. Returns a function that unsubscribes. */
  add(sink: FrameSink<F>, make: () => F): () => void {
    this.#open.set(sink, { make, waiting: false });
    return () => this.#open.delete(sink);
  }

  /** Whether at least one subscriber has received every frame offered to it and is waiting for a new one. */
  get hasReadySubscriber(): boolean {
    for (const { waiting } of this.#open.values()) if (!waiting) return true;
    return false;
  }

  offerAll(): void {
    for (const sink of this.#open.keys()) this.offer(sink);
  }

  offer(sink: FrameSink<F>): void {
    const entry = this.#open.get(sink);
    if (entry === undefined) return;
    entry.waiting = true;
    sink.offer(() => {
      entry.waiting = false;
      return entry.make();
    });
  }

  /** Ends the streams of all subscribers after the frames that were already offered. */
  finish(): void {
    for (const sink of [...this.#open.keys()]) sink.end();
    this.#open.clear();
  }
}
