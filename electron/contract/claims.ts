/** Published claims beside what was measured. */
import { z } from 'zod';
import { ratioSchema } from './bench-session.ts';

/** `undecided`: measured, with too few rounds for an interval. */
const claimVerdictSchema = z.enum(['as claimed', 'less', 'more', 'undecided', 'not measured']);
export type ClaimVerdict = z.infer<typeof claimVerdictSchema>;

const pairShape = {
  slower: z.string(),
  faster: z.string(),
  what: z.string(),
  /** How many times faster; null when the pair was not measured. */
  gain: ratioSchema.nullable(),
  verdict: claimVerdictSchema,
  /** Of the two, those whose answer is wrong: their time is no gain of anybody's. Absent in older sessions. */
  wrong: z.array(z.string()).optional(),
} as const;

/** A gain without an interval contradicts nothing and confirms nothing, also in sessions that were kept with a verdict on it. */
const pairSchema = z
  .strictObject(pairShape)
  .transform((pair) =>
    pair.gain !== null && pair.gain.interval === null ? { ...pair, verdict: 'undecided' as const } : pair,
  );

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

/** A claim beside what was measured for the pairs of variants that isolate it. */
export const claimResultSchema = z.strictObject({
  ...claimShape,
  pairs: z.array(pairSchema),
});
export type ClaimResult = Readonly<z.infer<typeof claimResultSchema>>;

/** Of a small measured workload: beside numbers, too, that variants state of themselves. */
export const taskClaimResultSchema = z.strictObject({
  ...claimResultSchema.shape,
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
});
export type TaskClaimResult = Readonly<z.infer<typeof taskClaimResultSchema>>;
