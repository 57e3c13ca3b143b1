/** Which of two is faster, of sessions that tell nothing of instances: said only where the measurement can tell. */

interface Bounds {
  readonly low: number;
  readonly high: number;
}

type Verdict = 'faster' | 'slower' | 'same' | 'undecided';

/** However noisy a session is, two times that may differ by more than this are never called the same. */
const WIDEST_SAME = 0.05;

/** `ratio` is the interval of time over the reference's time. The floor counts as a factor, to either side. */
export function verdictOf(ratio: Bounds | null, floor: number | null): Verdict {
  if (ratio === null || floor === null) return 'undecided';
  if (ratio.high < 1 / (1 + floor)) return 'faster';
  if (ratio.low > 1 + floor) return 'slower';
  const same = Math.min(floor, WIDEST_SAME);
  return ratio.low >= 1 - same && ratio.high <= 1 + same ? 'same' : 'undecided';
}

/** The verdict of a kept session by today's rule; `wrong` and `reference` stay as they are. */
export function verdictNow<Kept extends string>(
  kept: Kept,
  ratio: { readonly interval: Bounds | null },
  floor: number | null,
): Kept | Verdict {
  return kept === 'wrong' || kept === 'reference' ? kept : verdictOf(ratio.interval, floor);
}
