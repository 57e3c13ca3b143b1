/**
 * Times of a Chrome trace in nanoseconds. They are microseconds with decimals;
 * PyTorch counts them from 1970, where a double resolves a quarter of a
 * microsecond only: such times are taken from their digits.
 */

/** 2^42 µs: up to here a double of microseconds resolves a nanosecond. */
const EXACT_BELOW = 2 ** 42;

const DIGITS = /"ts"\s*:\s*"?(\d+)(?:\.(\d+))?/;

export class ChromeClock {
  readonly #base_us: number;

  /** Times are relative to the median of those given: no single wrong one decides which of the others are valid. */
  constructor(some_us: readonly number[]) {
    const sorted = [...some_us].sort((a, b) => a - b);
    this.#base_us = Math.floor(sorted[Math.floor((sorted.length - 1) / 2)] ?? 0);
  }

  /** `text`: the event's JSON. */
  ns(ts: number, text: string): number {
    if (Math.abs(ts) < EXACT_BELOW) return (ts - this.#base_us) * 1000;
    const found = DIGITS.exec(text);
    const whole = Number(found?.[1]);
    // Another `ts` may stand among the arguments.
    if (found === null || Math.abs(whole - Math.trunc(ts)) > 1) return (ts - this.#base_us) * 1000;
    return (whole - this.#base_us) * 1000 + Number(`0.${found[2] ?? '0'}`) * 1000;
  }
}
