/**
 * Times of a Chrome trace in nanoseconds. They are microseconds with decimals;
 * PyTorch counts them from 1970, where a double resolves a quarter of a
 * microsecond only: such times are taken from their digits.
 */

/** 2^42 µs: up to here a double of microseconds resolves a nanosecond. */
const EXACT_BELOW = 2 ** 42;

const DIGITS = /"ts"\s*:\s*"?(\d+)(?:\.(\d+))?/;

export class ChromeClock {
  #base_us: number | null = null;

  /** `text`: the event's JSON. */
  ns(ts: number, text: string): number {
    this.#base_us ??= Math.floor(ts);
    if (Math.abs(ts) < EXACT_BELOW) return (ts - this.#base_us) * 1000;
    const found = DIGITS.exec(text);
    const whole = Number(found?.[1]);
    // Another `ts` may stand among the arguments.
    if (found === null || Math.abs(whole - Math.trunc(ts)) > 1) return (ts - this.#base_us) * 1000;
    return (whole - this.#base_us) * 1000 + Number(`0.${found[2] ?? '0'}`) * 1000;
  }
}
