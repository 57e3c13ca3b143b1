/**
 * Work that only its newest item is worth: one is worked on, at most one waits, and what waits is replaced by what
 * comes after it. The last item that was put is always worked on, unless all is stopped.
 */
interface LatestWinsOptions<T> {
  /** Must not reject. The signal is aborted when the item gives way, or all is stopped. */
  readonly work: (item: T, signal: AbortSignal) => Promise<void>;
  /** Whether an item under way is given up when another comes; one that is not is finished first. */
  readonly givesWay: (item: T) => boolean;
}

export class LatestWins<T> {
  readonly #options: LatestWinsOptions<T>;
  #running: { readonly item: T; readonly controller: AbortController } | null = null;
  #waiting: { readonly item: T } | null = null;
  #done: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: LatestWinsOptions<T>) {
    this.#options = options;
  }

  put(item: T): void {
    if (this.#stopped) return;
    this.#waiting = { item };
    if (this.#running === null) this.#done = this.#workOff();
    else if (this.#options.givesWay(this.#running.item)) this.#running.controller.abort();
  }

  /** Drops what waits, gives up what is worked on, and resolves when that has ended. */
  stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting = null;
    this.#running?.controller.abort();
    return this.#done;
  }

  async #workOff(): Promise<void> {
    while (this.#waiting !== null) {
      const { item } = this.#waiting;
      const controller = new AbortController();
      this.#waiting = null;
      this.#running = { item, controller };
      await this.#options.work(item, controller.signal);
      this.#running = null;
    }
  }
}
