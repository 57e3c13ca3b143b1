/**
 * Runs tasks one after another, in the order of their requests. Meant for tasks that read, change and write one state.
 */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all earlier tasks. If it fails, only its caller is affected, not later tasks. */
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
 * Options of a queue that runs only the latest item: one item is active and at most one waits, which a newer item
 * replaces. The last item is always processed, unless the queue is stopped.
 */
interface LatestQueueOptions<T> {
  /**
   * Processes an item; must not reject. The signal is aborted when a newer item arrives and `givesWay` is true, or when
   * the queue is stopped.
   */
  readonly work: (item: T, signal: AbortSignal) => Promise<void>;
  /** Whether the active item is aborted when another one arrives. Otherwise it is finished first. */
  readonly givesWay: (item: T) => boolean;
}

export class LatestQueue<T> {
  readonly #options: LatestQueueOptions<T>;
  #running: { readonly item: T; readonly controller: AbortController } | null = null;
  #waiting: { readonly item: T } | null = null;
  #done: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: LatestQueueOptions<T>) {
    this.#options = options;
  }

  put(item: T): void {
    if (this.#stopped) return;
    this.#waiting = { item };
    if (this.#running === null) this.#done = this.#processItems();
    else if (this.#options.givesWay(this.#running.item)) this.#running.controller.abort();
  }

  /** Drops the waiting item, aborts the active one, and resolves when it has ended. */
  stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting = null;
    this.#running?.controller.abort();
    return this.#done;
  }

  async #processItems(): Promise<void> {
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

/** A limited amount of a resource that jobs share, such as bytes. Jobs wait in order until enough is free. */
export class ResourceBudget {
  readonly #all: number;
  #taken = 0;
  readonly #waiting: { readonly amount: number; readonly go: () => void }[] = [];

  constructor(all: number) {
    this.#all = all;
  }

  /**
   * Reserves an amount, as soon as it is free. Resolves to a function that frees it again. An amount above the total
   * waits until nothing else is reserved.
   */
  async reserve(amount: number): Promise<() => void> {
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
