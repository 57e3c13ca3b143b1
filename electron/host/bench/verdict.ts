/** Which of two is faster, said only where the measurement can tell. */
import type { Interval } from './statistics.ts';

export type Verdict = 'faster' | 'slower' | 'same' | 'undecided';

/**
 * How far the ratio of a variant to itself strays from 1 in the same session:
 * differences below it are the machine's. Null when it could not be measured.
 */
export function noiseFloor(control: Interval | null): number | null {
  return control === null ? null : Math.max(Math.abs(control.low - 1), Math.abs(control.high - 1));
}

/** `ratio` is the interval of time over the reference's time. */
export function verdictOf(ratio: Interval | null, floor: number | null): Verdict {
  if (ratio === null || floor === null) return 'undecided';
  if (ratio.high < 1 - floor) return 'faster';
  if (ratio.low > 1 + floor) return 'slower';
  if (ratio.low >= 1 - floor && ratio.high <= 1 + floor) return 'same';
  return 'undecided';
}
