/** Subscribers to the progress or live frames of one run. */
/** Receiver of frames. */
export interface Sink<F> {
  /**
   * Offers a frame. A `latest` stream calls `make` only when the frame is sent, so that unseen frames are not reduced;
   * a `lossless` one calls it at once.
   */
  offer(make: () => F): void;
  /** No frames follow; frames offered before are still sent. */
  end(error?: unknown): void;
}

export class Subscribers<F> {
  readonly #open = new Map<Sink<F>, { readonly make: () => F; waiting: boolean }>();

  get size(): number {
    return this.#open.size;
  }

  /** Subscribes a sink. Returns a function that unsubscribes. */
  add(sink: Sink<F>, make: () => F): () => void {
    this.#open.set(sink, { make, waiting: false });
    return () => this.#open.delete(sink);
  }

  /** True if a subscriber has received all offered frames and waits for a new one. */
  get anyoneReady(): boolean {
    for (const { waiting } of this.#open.values()) if (!waiting) return true;
    return false;
  }

  offerAll(): void {
    for (const sink of this.#open.keys()) this.offer(sink);
  }

  offer(sink: Sink<F>): void {
    const entry = this.#open.get(sink);
    if (entry === undefined) return;
    entry.waiting = true;
    sink.offer(() => {
      entry.waiting = false;
      return entry.make();
    });
  }

  /** No frames follow. Frames offered before are still sent. */
  finish(): void {
    for (const sink of [...this.#open.keys()]) sink.end();
    this.#open.clear();
  }
}
