/** Published claims beside what was measured. */
import { z } from 'zod';
import { ratioSchema } from './bench-session.ts';

const claimVerdictSchema = z.enum(['as claimed', 'less', 'more', 'not measured']);
export type ClaimVerdict = z.infer<typeof claimVerdictSchema>;

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
  pairs: z.array(
    z.strictObject({
      slower: z.string(),
      faster: z.string(),
      what: z.string(),
      /** How many times faster; null when the pair was not measured. */
      gain: ratioSchema.nullable(),
      verdict: claimVerdictSchema,
    }),
  ),
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
