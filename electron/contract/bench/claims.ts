/** Published claims beside what was measured. */
import { z } from 'zod';
import { type Ratio, ratioSchema } from './bench-session.ts';

/** `undecided`: measured, with too few rounds for an interval, or beside the claim by less than the noise. */
const claimVerdictSchema = z.enum(['as claimed', 'less', 'more', 'undecided', 'not measured']);
export type ClaimVerdict = z.infer<typeof claimVerdictSchema>;

const pairSchema = z.strictObject({
  slower: z.string(),
  faster: z.string(),
  what: z.string(),
  /** How many times faster; null when the pair was not measured. */
  gain: ratioSchema.nullable(),
  verdict: claimVerdictSchema,
  /** Those of the two whose answer is wrong: their time is nobody's gain. Absent in older sessions. */
  wrong: z.array(z.string()).optional(),
});

/** What is claimed, as its file and results say it. */
export const claimShape = {
  id: z.string(),
  claim: z.string(),
  from: z.number(),
  to: z.number(),
  source: z.string(),
  /** Why no pair isolates it; null when one does. */
  reason: z.string().nullable(),
} as const;

/**
 * Only where the whole interval lies outside is a claim contradicted, and only where the median lies inside is it as
 * claimed; a ratio without an interval does neither. Null: not measured.
 */
export function judgeClaim(found: Ratio | null, claim: { readonly from: number; readonly to: number }): ClaimVerdict {
  if (found === null) return 'not measured';
  if (found.interval === null) return 'undecided';
  if (found.interval.high < claim.from) return 'less';
  if (found.interval.low > claim.to) return 'more';
  return found.value >= claim.from && found.value <= claim.to ? 'as claimed' : 'undecided';
}

interface Judged {
  readonly from: number;
  readonly to: number;
  readonly pairs: readonly z.infer<typeof pairSchema>[];
}

/** Sessions keep their verdicts; those of pairs are told by today's rule, whatever the program that measured them said. */
const judgedNow = <T extends Judged>(claim: T): T => ({
  ...claim,
  pairs: claim.pairs.map((pair) => ({ ...pair, verdict: judgeClaim(pair.gain, claim) })),
});

const claimResultShape = { ...claimShape, pairs: z.array(pairSchema) } as const;

/** A claim beside what was measured for the pairs of variants that isolate it. */
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
        /** Null when it was not measured. */
        value: z.number().nullable(),
        unit: z.string(),
        verdict: claimVerdictSchema,
      }),
    ),
  })
  .transform(judgedNow);
export type TaskClaimResult = Readonly<z.infer<typeof taskClaimResultSchema>>;
