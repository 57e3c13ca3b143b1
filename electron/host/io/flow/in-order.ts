/** One thing after the other, in the order in which they are asked for: what reads, changes and writes one state. */
export class InOrder {
  #last: Promise<unknown> = Promise.resolve();

  /** A failure is its caller's, and nothing to those that follow. */
  do<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Resolves when everything that was asked for is over. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
