/** Runs tasks one after another, in the order of the requests: for code that reads, changes and writes one state. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** A failure is reported to its caller and does not affect later tasks. */
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

/**
 * Runs only the latest queued item (coalescing queue): one item is active, at most one waits, and a new item replaces
 * the waiting one. The last item is always processed, unless the queue is stopped.
 */
interface LatestWinsOptions<T> {
  /** Must not reject. The signal is aborted when a newer item replaces this one, or the queue is stopped. */
  readonly work: (item: T, signal: AbortSignal) => Promise<void>;
  /** Whether the active item is aborted when another arrives; otherwise it is finished first. */
  readonly givesWay: (item: T) => boolean;
}

export class LatestQueue<T> {
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

  /** Drops the waiting item, aborts the active one, and resolves when it has ended. */
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

/** A limited amount that jobs share, such as bytes: jobs wait in order until enough is free. */
export class Budget {
  readonly #all: number;
  #taken = 0;
  readonly #waiting: { readonly amount: number; readonly go: () => void }[] = [];

  constructor(all: number) {
    this.#all = all;
  }

  /**
   * Resolves when `amount` is free, with a function that returns it. An amount above the total waits until nothing else
   * is in use.
   */
  async take(amount: number): Promise<() => void> {
    if (this.#waiting.length > 0 || !this.#fits(amount)) {
      await new Promise<void>((go) => {
        this.#waiting.push({ amount, go });
      });
    } else this.#taken += amount;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#taken -= amount;
      this.#next();
    };
  }

  #fits(amount: number): boolean {
    return this.#taken === 0 || this.#taken + amount <= this.#all;
  }

  #next(): void {
    for (let first = this.#waiting[0]; first !== undefined && this.#fits(first.amount); first = this.#waiting[0]) {
      this.#waiting.shift();
      this.#taken += first.amount;
      first.go();
    }
  }
}
