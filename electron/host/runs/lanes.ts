/** One run at a time per device; others wait in order. */
export interface Job {
  readonly id: string;
  /** The device it needs, such as `cpu`. */
  readonly lane: string;
  /** Resolves when the device is free again; must not reject. */
  run(): Promise<void>;
}

export class Lanes {
  readonly #waiting = new Map<string, Job[]>();
  readonly #busy = new Set<string>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  add(job: Job): void {
    const queue = this.#waiting.get(job.lane) ?? [];
    queue.push(job);
    this.#waiting.set(job.lane, queue);
    this.#next(job.lane);
  }

  /** Takes a waiting job out; false when it is not waiting. */
  remove(id: string): boolean {
    for (const queue of this.#waiting.values()) {
      const at = queue.findIndex((job) => job.id === id);
      if (at < 0) continue;
      queue.splice(at, 1);
      this.#onChange();
      return true;
    }
    return false;
  }

  /** 1 for the next one; null for a job that does not wait. */
  position(id: string): number | null {
    for (const queue of this.#waiting.values()) {
      const at = queue.findIndex((job) => job.id === id);
      if (at >= 0) return at + 1;
    }
    return null;
  }

  #next(lane: string): void {
    if (this.#busy.has(lane)) return;
    const job = this.#waiting.get(lane)?.shift();
    if (job === undefined) return;
    this.#busy.add(lane);
    void job.run().finally(() => {
      this.#busy.delete(lane);
      this.#next(lane);
      this.#onChange();
    });
  }
}
