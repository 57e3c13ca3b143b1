/** Published claims compared with measurements. */
import { z } from 'zod';
import { readableUnit } from '../units.ts';
import { type Ratio, ratioSchema } from './bench-session.ts';

/**
 * `undecided`: the interval reaches beyond an end of what was claimed. `not judged`: measured, and no evidence for or
 * against: too few rounds for an interval, or of something else than the claim is about.
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
  /** Those of the two whose answer is wrong: their time is nobody's gain. Absent in older sessions. */
  wrong: z.array(z.string()).optional(),
  /** Those whose answer was compared with nothing: the pair judges no claim. */
  unchecked: z.array(z.string()).optional(),
  /** By the program that the claim is about: judged whatever the claim needs. */
  rival: z.literal(true).optional(),
});

/** Older sessions keep an open end as this. */
const KEPT_OPEN = 1000;
const LARGEST_OPEN_FROM = 100;

/** The claim as its file and results state it. */
export const claimShape = {
  id: z.string(),
  claim: z.string(),
  /** Least gain, or number; 1 with an open end is "faster". */
  from: z.number(),
  /** Null if the end is open; equal to `from` for a single number. */
  to: z.number().nullable(),
  /** Relative tolerance of a single number in both directions; `POINT_TOLERANCE` by default. */
  tolerance: z.number().positive().optional(),
  source: z.string(),
  /** Why no pair isolates it; null when one does. */
  reason: z.string().nullable(),
  /** Priority in the note, 1 to 4. */
  priority: z.int().min(1).max(4).optional(),
  /** Program, GPU or other means required to measure it, if the variants here cannot. */
  needs: z.string().optional(),
} as const;

/** A number without a tolerance of its own holds this far to either side. */
const POINT_TOLERANCE = 0.2;

/** "Faster" is more than this beyond the same time. */
const FASTER_MARGIN = 0.01;

export interface Said {
  readonly from: number;
  readonly to: number | null;
  readonly tolerance?: number | undefined;
  readonly needs?: string | undefined;
}

/** Values that confirm the claim: the tolerance band of a single number; for "faster", all values above the margin. */
export function bandOf({ from, to, tolerance = POINT_TOLERANCE }: Said): {
  readonly low: number;
  readonly high: number;
} {
  if (to === null) return { low: from === 1 ? 1 + FASTER_MARGIN : from, high: Number.POSITIVE_INFINITY };
  return from === to ? { low: from * (1 - tolerance), high: from * (1 + tolerance) } : { low: from, high: to };
}

/**
 * The claimed values as text: `2–10×`, `32× ± 20 %`, `at least 10×`, `5–20 µs`; `faster` if the claim gives no number.
 */
export function claimedBand({ from, to, tolerance = POINT_TOLERANCE }: Said, unit = '×'): string {
  const gain = unit === '×';
  const read = readableUnit(unit, [from, to ?? 0]);
  const sign = gain ? '×' : ` ${read.unit}`.trimEnd();
  const text = (value: number): string => String(Number((value * read.factor).toPrecision(12)));
  if (to === null && gain) return from === 1 ? 'faster' : `at least ${from}×`;
  if (to === null) return `above ${text(from)}${sign}`;
  const percent = Number((100 * tolerance).toPrecision(3));
  return from === to ? `${text(from)}${sign} ± ${percent} %` : `${text(from)}–${text(to)}${sign}`;
}

/**
 * Only a whole interval decides: inside it is as claimed, outside less or more. What has no interval, as after one
 * repetition, decides nothing; nor does what is not of the program or GPU that the claim is about. Null: not measured.
 */
export function judgeClaim(found: Ratio | null, claim: Said): ClaimVerdict {
  if (found === null) return 'not measured';
  if (found.interval === null || claim.needs !== undefined) return 'not judged';
  const { low, high } = bandOf(claim);
  if (found.interval.high < low) return 'less';
  if (found.interval.low > high) return 'more';
  return found.interval.low >= low && found.interval.high <= high ? 'as claimed' : 'undecided';
}

/** Drops `needs` if the measured program is the one that the claim is about. */
export const saidOf = <S extends Said>(claim: S, rival: boolean): Said =>
  rival ? { from: claim.from, to: claim.to, tolerance: claim.tolerance } : claim;

type Pair = z.infer<typeof pairSchema>;

/** A pair with an answer that nobody checked is no evidence. */
export function judgePair({ gain, rival, unchecked }: Omit<Pair, 'verdict'>, claim: Said): ClaimVerdict {
  const verdict = judgeClaim(gain, saidOf(claim, rival === true));
  return unchecked === undefined || verdict === 'not measured' ? verdict : 'not judged';
}

interface Judged extends Said {
  readonly pairs: readonly Pair[];
}

/** Judges the pairs of a saved claim again by the current rules, whatever verdicts the session recorded. */
const judgedNow = <T extends Judged>(claim: T): T => {
  const open = claim.to !== null && claim.to >= KEPT_OPEN && claim.from < LARGEST_OPEN_FROM;
  const now = open ? { ...claim, to: null } : claim;
  return {
    ...now,
    pairs: now.pairs.map((pair) => ({ ...pair, verdict: judgePair(pair, now) })),
  };
};

const claimResultShape = { ...claimShape, pairs: z.array(pairSchema) } as const;

/** A claim and the measurements of the pairs of variants that isolate it. */
export const claimResultSchema = z.strictObject(claimResultShape).transform(judgedNow);
export type ClaimResult = Readonly<z.infer<typeof claimResultSchema>>;

/** A claim on a small workload; it may also compare numbers that variants state. */
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
  .transform(judgedNow);
export type TaskClaimResult = Readonly<z.infer<typeof taskClaimResultSchema>>;
