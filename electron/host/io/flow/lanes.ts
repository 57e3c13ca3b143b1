/**
 * Queue of jobs. One job at a time runs on each device, and a benchmark runs alone on the machine; others wait in
 * order.
 */

/** Lane of a job that must run alone on the machine. */
export const ALL_LANES = '*';

interface Job {
  readonly id: string;
  /** Device that the job needs, such as `cpu`, or ALL_LANES. */
  readonly lane: string;
  /** Runs the job. Resolves when the device is free again; must not reject. */
  run(): Promise<void>;
}

interface QueuedJob extends Pick<Job, 'id' | 'lane'> {
  readonly signal: AbortSignal;
  readonly waits: () => void;
  readonly interrupt?: () => void;
}

const lanesOverlap = (a: string, b: string): boolean => a === b || a === ALL_LANES || b === ALL_LANES;

export class LaneQueue {
  #waiting: readonly Job[] = [];
  readonly #busy: string[] = [];
  readonly #listeners = new Set<() => void>();

  constructor(onChange?: () => void) {
    if (onChange !== undefined) this.listen(onChange);
  }

  /** Whether no job runs or waits. */
  get isFree(): boolean {
    return this.#busy.length === 0 && this.#waiting.length === 0;
  }

  /** Calls the listener whenever the position of a job in the queue may have changed. */
  listen(onChange: () => void): void {
    this.#listeners.add(onChange);
  }

  add(job: Job): void {
    this.#waiting = [...this.#waiting, job];
    this.#startAllowed();
  }

  /**
   * Runs `work` when its lane is free; the promise settles as `work` does. Does nothing if the signal is aborted before
   * the start. Calls `waits` if the job has to wait, and `interrupt` if the signal is aborted while it runs.
   */
  enqueue({ id, lane, signal, waits, interrupt }: QueuedJob, work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return resolve();
      signal.addEventListener('abort', () => {
        if (this.remove(id)) resolve();
        else interrupt?.();
      });
      this.add({ id, lane, run: () => work().then(resolve, reject) });
      if (this.position(id) !== null) waits();
    });
  }

  /** Removes a waiting job. Returns false if no waiting job has this id. */
  remove(id: string): boolean {
    if (!this.#waiting.some((job) => job.id === id)) return false;
    this.#waiting = this.#waiting.filter((job) => job.id !== id);
    this.#startAllowed();
    this.#notifyListeners();
    return true;
  }

  /** Position in the queue of the job's device, starting with 1; null if the job does not wait. */
  position(id: string): number | null {
    const at = this.#waiting.findIndex((job) => job.id === id);
    const job = this.#waiting[at];
    if (job === undefined) return null;
    return 1 + this.#waiting.slice(0, at).filter(({ lane }) => lanesOverlap(lane, job.lane)).length;
  }

  /**
   * Starts each job whose lanes are not in use. Lanes that an earlier job waits for count as in use, so that it is not
   * overtaken.
   */
  #startAllowed(): void {
    const taken = [...this.#busy];
    for (const job of this.#waiting) {
      const free = !taken.some((lane) => lanesOverlap(lane, job.lane));
      taken.push(job.lane);
      if (free) this.#start(job);
    }
  }

  #start(job: Job): void {
    this.#waiting = this.#waiting.filter((other) => other !== job);
    this.#busy.push(job.lane);
    void job.run().finally(() => {
      this.#busy.splice(this.#busy.indexOf(job.lane), 1);
      this.#startAllowed();
      this.#notifyListeners();
    });
  }

  #notifyListeners(): void {
    for (const listener of this.#listeners) listener();
  }
}
