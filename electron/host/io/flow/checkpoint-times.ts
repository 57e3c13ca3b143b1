/** Times at which the state of running work is saved for recovery from a crash. Milliseconds, by performance.now(). */
import { SAVED_FROM_MS } from '../../../contract/recovery.ts';

/**
 * Duration in ms from which on a run is saved. Tests of crashes shorten it, because they would otherwise compute for as
 * long.
 */
const savedFrom_ms = (): number => Number(process.env['BRAGGBENCH_KEPT_FROM_MS'] ?? SAVED_FROM_MS);

const EVERY_MS = 10_000;
/** Minimum ratio of the time between saves to the time of a save, however large a state is. */
const REST_PER_WORK = 20;

export class CheckpointTimes {
  #due: number;
  #begun = 0;

  constructor(now = performance.now()) {
    this.#due = now + savedFrom_ms();
  }

  isDue(now = performance.now()): boolean {
    return now >= this.#due;
  }

  /** Call when saving begins: no save is due until it has ended. */
  begins(now = performance.now()): void {
    this.#begun = now;
    this.#due = Number.POSITIVE_INFINITY;
  }

  kept(now = performance.now()): void {
    this.#due = now + Math.max(EVERY_MS, REST_PER_WORK * (now - this.#begun));
  }
}
