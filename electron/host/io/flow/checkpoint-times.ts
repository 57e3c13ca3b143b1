/**
 * Decides when the state of a running job is saved for recovery from a crash. Times are in ms, by performance.now().
 */
import { MIN_RECOVERED_RUN_MS } from '../../../contract/recovery.ts';

/** Running time in ms after which the state of a run is first saved. Tests of crashes shorten it to save time. */
const firstSaveAfter_ms = (): number => Number(process.env['BRAGGBENCH_KEPT_FROM_MS'] ?? MIN_RECOVERED_RUN_MS);

const SAVE_INTERVAL_MS = 10_000;
/** Minimum ratio of the pause between two saves to the time of one save, so that large states do not slow the run. */
const PAUSE_PER_SAVE = 20;

export class CheckpointSchedule {
  #due: number;
  #begun = 0;

  constructor(now = performance.now()) {
    this.#due = now + firstSaveAfter_ms();
  }

  isDue(now = performance.now()): boolean {
    return now >= this.#due;
  }

  /** Call when saving begins. No further save is due until `ended` is called. */
  begin(now = performance.now()): void {
    this.#begun = now;
    this.#due = Number.POSITIVE_INFINITY;
  }

  end(now = performance.now()): void {
    this.#due = now + Math.max(SAVE_INTERVAL_MS, PAUSE_PER_SAVE * (now - this.#begun));
  }
}
