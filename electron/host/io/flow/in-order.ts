/** Runs tasks one after another, in the order of the requests: for code that reads, changes and writes one state. */
export class InOrder {
  #last: Promise<unknown> = Promise.resolve();

  /** A failure is its caller's, and nothing to those that follow. */
  do<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Resolves when all requested tasks have ended. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
