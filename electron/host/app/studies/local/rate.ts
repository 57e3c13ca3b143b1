/** Completions per second, over the last half minute. */

const WINDOW_MS = 30_000;
/** Fewer tell nothing. */
const FEWEST = 3;
/** Enough for a rate; more would only be memory. */
const MOST = 4096;

export class Rate {
  #begun_ms: number | null = null;
  #ends: number[] = [];

  constructor(begun_ms: number = performance.now()) {
    this.#begun_ms = begun_ms;
  }

  count(at_ms: number): void {
    this.#ends.push(at_ms);
    if (this.#ends.length > MOST) {
      this.#begun_ms = this.#ends[MOST / 2 - 1] ?? null;
      this.#ends = this.#ends.slice(MOST / 2);
    }
  }

  /** Null if there are too few completions. A stall lowers the rate: the time since the last completion counts. */
  per_s(now_ms: number): number | null {
    if (this.#ends.length < FEWEST || this.#begun_ms === null) return null;
    const from = Math.max(this.#begun_ms, now_ms - WINDOW_MS);
    const recent = this.#ends.filter((end) => end > from).length;
    const whole_s = (now_ms - this.#begun_ms) / 1000;
    if (recent < FEWEST) return whole_s > 0 ? this.#ends.length / whole_s : null;
    return now_ms > from ? recent / ((now_ms - from) / 1000) : null;
  }
}
