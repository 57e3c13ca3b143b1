/** Published claims compared with measurements. */
import { z } from 'zod';
import { readableUnit } from '../../domain/values/units.ts';
import { type Ratio, ratioSchema } from './bench-session.ts';

/**
 * `undecided`: the interval crosses an end of the claimed range. `not judged`: measured, but no evidence for or
 * against. Either there were too few rounds for an interval, or something other than the claim's subject was measured.
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
  /** Variants of the pair whose answer is wrong, which makes the speedup meaningless. Absent in older sessions. */
  wrong: z.array(z.string()).optional(),
  /** Variants of the pair whose answer was not checked; the pair then judges no claim. */
  unchecked: z.array(z.string()).optional(),
  /** Present if measured with the very program that the claim names; then `needs` is met. */
  rival: z.literal(true).optional(),
});

/** Older sessions store an open end as this value. */
const SAVED_OPEN_END = 1000;
const LARGEST_OPEN_FROM = 100;

/** Fields of a claim that its file and results share. */
export const claimShape = {
  id: z.string(),
  claim: z.string(),
  /** Smallest claimed speedup or number; 1 with an open end means "faster". */
  from: z.number(),
  /** Null if the end is open; equal to `from` for a single number. */
  to: z.number().nullable(),
  /** Relative tolerance of a single number in both directions; `POINT_TOLERANCE` by default. */
  tolerance: z.number().positive().optional(),
  source: z.string(),
  /** Reason why no pair isolates the claim; null if one does. */
  reason: z.string().nullable(),
  /** Priority in the note, 1 to 4. */
  priority: z.int().min(1).max(4).optional(),
  /** Program, GPU or other means required to measure it, if no variant of this program can. */
  needs: z.string().optional(),
} as const;

/** Default relative tolerance of a single number, in both directions. */
const POINT_TOLERANCE = 0.2;

/** "Faster" requires a ratio above 1 by more than this. */
const FASTER_MARGIN = 0.01;

export interface ClaimTerms {
  readonly from: number;
  readonly to: number | null;
  readonly tolerance?: number | undefined;
  readonly needs?: string | undefined;
}

/** Values that confirm the claim: the tolerance band of a single number; for "faster", all values above the margin. */
export function bandOf({ from, to, tolerance = POINT_TOLERANCE }: ClaimTerms): {
  readonly low: number;
  readonly high: number;
} {
  if (to === null) return { low: from === 1 ? 1 + FASTER_MARGIN : from, high: Number.POSITIVE_INFINITY };
  return from === to ? { low: from * (1 - tolerance), high: from * (1 + tolerance) } : { low: from, high: to };
}

/**
 * The claimed values as text: `2–10×`, `32× ± 20 %`, `at least 10×`, `5–20 µs`; `faster` if the claim states no number.
 */
export function claimedBand({ from, to, tolerance = POINT_TOLERANCE }: ClaimTerms, unit = '×'): string {
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
 * Judges a claim only if the interval lies fully inside (as claimed) or outside (less or more) the claimed values.
 * Without an interval, as after one repetition, nothing is decided. The same applies if another program or GPU than the
 * claimed one was measured. Null if not measured.
 */
export function judgeClaim(found: Ratio | null, claim: ClaimTerms): ClaimVerdict {
  if (found === null) return 'not measured';
  if (found.interval === null || claim.needs !== undefined) return 'not judged';
  const { low, high } = bandOf(claim);
  if (found.interval.high < low) return 'less';
  if (found.interval.low > high) return 'more';
  return found.interval.low >= low && found.interval.high <= high ? 'as claimed' : 'undecided';
}

/** Drops `needs` if the measured program is the one that the claim is about. */
export const termsOf = <S extends ClaimTerms>(claim: S, rival: boolean): ClaimTerms =>
  rival ? { from: claim.from, to: claim.to, tolerance: claim.tolerance } : claim;

type Pair = z.infer<typeof pairSchema>;

/** Judges a pair. A pair with an unchecked answer is no evidence. */
export function judgePair({ gain, rival, unchecked }: Omit<Pair, 'verdict'>, claim: ClaimTerms): ClaimVerdict {
  const verdict = judgeClaim(gain, termsOf(claim, rival === true));
  return unchecked === undefined || verdict === 'not measured' ? verdict : 'not judged';
}

interface JudgedClaim extends ClaimTerms {
  readonly pairs: readonly Pair[];
}

/** Judges the pairs of a saved claim again by the current rules, whatever verdicts the session recorded. */
const judgeAgain = <T extends JudgedClaim>(claim: T): T => {
  const open = claim.to !== null && claim.to >= SAVED_OPEN_END && claim.from < LARGEST_OPEN_FROM;
  const now = open ? { ...claim, to: null } : claim;
  return {
    ...now,
    pairs: now.pairs.map((pair) => ({ ...pair, verdict: judgePair(pair, now) })),
  };
};

const claimResultShape = { ...claimShape, pairs: z.array(pairSchema) } as const;

/** A claim and the measurements of the pairs of variants that isolate it. */
export const claimResultSchema = z.strictObject(claimResultShape).transform(judgeAgain);
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
  .transform(judgeAgain);
export type TaskClaimResult = Readonly<z.infer<typeof taskClaimResultSchema>>;
