/** Published performance claims, and the rules that judge them from measurements. */
import { z } from 'zod';
import { readableUnit } from '../../domain/values/units.ts';
import { type Ratio, ratioSchema } from './bench-session.ts';

/**
 * `undecided`: the measured interval extends beyond one end of the claimed range. `not judged`: the measurement is no
 * evidence, because it has too few rounds or differs from the claim's subject.
 */
const claimVerdictSchema = z.enum(['as claimed', 'less', 'more', 'undecided', 'not judged', 'not measured']);
type ClaimVerdict = z.infer<typeof claimVerdictSchema>;

const pairSchema = z.strictObject({
  slower: z.string(),
  faster: z.string(),
  what: z.string(),
  /** Speedup; null if the pair was not measured. */
  gain: ratioSchema.nullable(),
  verdict: claimVerdictSchema,
  /** Variants of the pair with a wrong answer, which makes the speedup meaningless. Absent in older sessions. */
  wrong: z.array(z.string()).optional(),
  /** Variants of the pair whose answer was not checked. If there are any, the pair does not judge the claim. */
  unchecked: z.array(z.string()).optional(),
  /** Present if the measured program is the one that the claim names; the requirement `needs` is then met. */
  rival: z.literal(true).optional(),
});

/** Older sessions contain this value of `to`, or a larger one, for a range without an upper end. */
const SAVED_OPEN_END = 1000;
const LARGEST_OPEN_FROM = 100;

/** Fields that a claim has both in its file and in results. */
export const claimShape = {
  id: z.string(),
  claim: z.string(),
  /** Smallest claimed value. A value of 1 without an upper end means "faster". */
  from: z.number(),
  /** Largest claimed value: null without an upper end, equal to `from` for a single number. */
  to: z.number().nullable(),
  /** Relative tolerance of a single number, above and below; `POINT_TOLERANCE` by default. */
  tolerance: z.number().positive().optional(),
  source: z.string(),
  /** Reason why no pair of variants isolates the claimed effect; null if a pair does. */
  reason: z.string().nullable(),
  /** Priority that the source gives the claim, from 1 to 4. */
  priority: z.int().min(1).max(4).optional(),
  /** Program, GPU or other means needed for the measurement; absent if variants of this program suffice. */
  needs: z.string().optional(),
} as const;

/** Default relative tolerance of a single number, above and below it. */
const POINT_TOLERANCE = 0.2;

/** A ratio confirms "faster" if it is at least 1 plus this margin. */
const FASTER_MARGIN = 0.01;

export interface ClaimTerms {
  readonly from: number;
  readonly to: number | null;
  readonly tolerance?: number | undefined;
  readonly needs?: string | undefined;
}

/**
 * Range of values that confirm the claim. A single number has a tolerance band; "faster" begins at 1 plus the margin.
 */
export function confirmingRange({ from, to, tolerance = POINT_TOLERANCE }: ClaimTerms): {
  readonly low: number;
  readonly high: number;
} {
  if (to === null) return { low: from === 1 ? 1 + FASTER_MARGIN : from, high: Number.POSITIVE_INFINITY };
  return from === to ? { low: from * (1 - tolerance), high: from * (1 + tolerance) } : { low: from, high: to };
}

/**
 * Formats the claimed values: `2–10×`, `32× ± 20 %`, `at least 10×`, `5–20 µs`. A claim without a number becomes
 * `faster`.
 */
export function claimedRangeText({ from, to, tolerance = POINT_TOLERANCE }: ClaimTerms, unit = '×'): string {
  const gain = unit === '×';
  const read = readableUnit(unit, [from, to ?? 0]);
  const sign = gain ? '×' : ` ${read.unit}`.trimEnd();
  const text = (value: number): string => String(Number((value * read.factor).toPrecision(12)));
  if (to === null && gain) return from === 1 ? 'faster' : `at least ${from}×`;
  if (to === null) return `above ${text(from)}${sign}`;
  if (from === 0) return `at most ${text(to)}${sign}`;
  const percent = Number((100 * tolerance).toPrecision(3));
  return from === to ? `${text(from)}${sign} ± ${percent} %` : `${text(from)}–${text(to)}${sign}`;
}

/**
 * Judges a claim. The verdict is `as claimed` if the measured interval is inside the claimed range, and `less` or
 * `more` if it is outside. A value without an interval, or of another program or GPU than the claimed one, is not
 * judged. `found` is null if nothing was measured.
 */
export function judgeClaim(found: Ratio | null, claim: ClaimTerms): ClaimVerdict {
  if (found === null) return 'not measured';
  if (found.interval === null || claim.needs !== undefined) return 'not judged';
  const { low, high } = confirmingRange(claim);
  if (found.interval.high < low) return 'less';
  if (found.interval.low > high) return 'more';
  return found.interval.low >= low && found.interval.high <= high ? 'as claimed' : 'undecided';
}

/** Drops `needs` from the claim if the program that it names was measured. */
export const termsForMeasurement = <S extends ClaimTerms>(claim: S, rival: boolean): ClaimTerms =>
  rival ? { from: claim.from, to: claim.to, tolerance: claim.tolerance } : claim;

type MeasuredPair = z.infer<typeof pairSchema>;

/** Judges a measured pair of variants. A pair with an unchecked answer is no evidence. */
export function judgePair({ gain, rival, unchecked }: Omit<MeasuredPair, 'verdict'>, claim: ClaimTerms): ClaimVerdict {
  const verdict = judgeClaim(gain, termsForMeasurement(claim, rival === true));
  return unchecked === undefined || verdict === 'not measured' ? verdict : 'not judged';
}

interface JudgedClaim extends ClaimTerms {
  readonly pairs: readonly MeasuredPair[];
}

/** Judges the pairs of a saved claim by the current rules, and ignores the recorded verdicts. */
const rejudgePairs = <T extends JudgedClaim>(claim: T): T => {
  const open = claim.to !== null && claim.to >= SAVED_OPEN_END && claim.from < LARGEST_OPEN_FROM;
  const now = open ? { ...claim, to: null } : claim;
  return {
    ...now,
    pairs: now.pairs.map((pair) => ({ ...pair, verdict: judgePair(pair, now) })),
  };
};

const claimResultShape = { ...claimShape, pairs: z.array(pairSchema) } as const;

/** A claim with the measured pairs of variants that isolate its effect. */
export const claimResultSchema = z.strictObject(claimResultShape).transform(rejudgePairs);
export type ClaimResult = Readonly<z.infer<typeof claimResultSchema>>;

/** A claim on a small workload, which may also compare numbers that variants report. */
export const taskClaimResultSchema = z
  .strictObject({
    ...claimResultShape,
    values: z.array(
      z.strictObject({
        variant: z.string(),
        what: z.string(),
        /** Null if not measured. */
        value: z.number().nullable(),
        unit: z.string(),
        verdict: claimVerdictSchema,
      }),
    ),
  })
  .transform(rejudgePairs);
export type TaskClaimResult = Readonly<z.infer<typeof taskClaimResultSchema>>;
