/** Time budget per session, so that many sessions end in time. Seconds. */

/** Overhead of a session in addition to its rounds, before any was measured. */
const usualOverhead = 2;
/** Fewer make no rounds. */
const least = 0.3;

export class Budget {
  readonly #most: number;
  readonly #ends: number;
  #left: number;
  #overheads: number[] = [];

  /** `sessions` of at most `most` seconds of rounds each, all ended at `ends`. */
  constructor({ sessions, most, ends }: { readonly sessions: number; readonly most: number; readonly ends: number }) {
    this.#left = sessions;
    this.#most = most;
    this.#ends = ends;
  }

  /** Time for the rounds of the next session, which begins now. */
  next(now: number): number {
    const seen = this.#overheads;
    const overhead = seen.length === 0 ? usualOverhead : seen.reduce((sum, one) => sum + one, 0) / seen.length;
    return Math.min(this.#most, Math.max(least, (this.#ends - now) / Math.max(1, this.#left) - overhead));
  }

  /** The next has ended: what it was given, and what it took in all. */
  ended(given: number, took: number): void {
    this.#left -= 1;
    this.#overheads.push(Math.max(0, took - given));
  }
}
