/** Times at which the state of running work is saved against a crash. Milliseconds, by performance.now(). */
import { KEPT_FROM_MS } from '../../../contract/recovery.ts';

/** Age from which a run is saved. Tests of crashes shorten it, as they would have to compute for as long. */
const keptFrom_ms = (): number => Number(process.env['BRAGGBENCH_KEPT_FROM_MS'] ?? KEPT_FROM_MS);

const EVERY_MS = 10_000;
/** Keeping takes at most this share of the time, however large a state is. */
const REST_PER_WORK = 20;

export class KeepingTimes {
  #due: number;
  #begun = 0;

  constructor(now = performance.now()) {
    this.#due = now + keptFrom_ms();
  }

  isDue(now = performance.now()): boolean {
    return now >= this.#due;
  }

  /** A state is being saved: none is due until that has ended. */
  begins(now = performance.now()): void {
    this.#begun = now;
    this.#due = Number.POSITIVE_INFINITY;
  }

  kept(now = performance.now()): void {
    this.#due = now + Math.max(EVERY_MS, REST_PER_WORK * (now - this.#begun));
  }
}
