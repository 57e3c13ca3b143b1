/** Those who follow one run's progress or live frames. */
import type { Sink } from './sink.ts';

export class Subscribers<F> {
  readonly #open = new Map<Sink<F>, { readonly make: () => F; waiting: boolean }>();

  get size(): number {
    return this.#open.size;
  }

  /** Returns what ends the subscription. */
  add(sink: Sink<F>, make: () => F): () => void {
    this.#open.set(sink, { make, waiting: false });
    return () => this.#open.delete(sink);
  }

  /** True if someone has taken in all that was offered, so that a new frame would be looked at. */
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

  /** Nothing more will come. What was offered before is still sent. */
  finish(): void {
    for (const sink of [...this.#open.keys()]) sink.end();
    this.#open.clear();
  }
}
