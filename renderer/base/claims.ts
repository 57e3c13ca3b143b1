/** What was claimed, as every table of claims writes it. */
import { type ClaimResult, POINT_TOLERANCE } from '../../electron/contract/bench/claims.ts';
import { NO_VALUE } from './numbers.ts';

/** `2–10×`, `32× ± 20 %`, `at least 10×`, `5–20 µs`; `faster` where no number was given, a dash where nothing measurable was said. */
export function claimedText(
  { from, to, tolerance = POINT_TOLERANCE, reason }: Pick<ClaimResult, 'from' | 'to' | 'tolerance' | 'reason'>,
  unit = '×',
): string {
  const gain = unit === '×';
  const sign = gain ? '×' : ` ${unit}`.trimEnd();
  if (to === null) {
    if (gain && reason !== null) return NO_VALUE;
    if (gain) return from === 1 ? 'faster' : `at least ${from}×`;
    return `above ${from}${sign}`;
  }
  return from === to ? `${from}${sign} ± ${Number((100 * tolerance).toPrecision(3))} %` : `${from}–${to}${sign}`;
}

type Pair = ClaimResult['pairs'][number];

/** Speeds of wrong answers are told, and told to be that; what a claim needs instead stands where it is not judged. */
export function claimVerdictText(
  { verdict, wrong = [] }: { readonly verdict: Pair['verdict']; readonly wrong?: Pair['wrong'] },
  { needs }: Pick<ClaimResult, 'needs'> = {},
): string {
  if (wrong.length > 0) return `${verdict}, by a wrong answer`;
  return verdict === 'not judged' && needs !== undefined ? `not judged here: needs ${needs}` : verdict;
}

/** `cuda-gather → cuda-fused`; a side whose answer is wrong says so. */
export function pairText({ slower, faster, wrong = [] }: Pick<Pair, 'slower' | 'faster' | 'wrong'>): string {
  // A side may name its mode and its clock behind the variant.
  const isWrong = (side: string): boolean => wrong.some((one) => side === one || side.startsWith(`${one}, `));
  return [slower, faster].map((side) => (isWrong(side) ? `${side} (wrong)` : side)).join(' → ');
}
