/** Optimisations alone and combined: the combined speedup compared with the product of the individual speedups. */
import { z } from 'zod';
import { ratioSchema, seconds } from './bench-session.ts';

/** Ids of factors. */
const factorsSchema = z.array(z.string());

export const factorSchema = z.strictObject({
  id: z.string(),
  /** Title for use within a sentence: `page-locked memory`. */
  title: z.string(),
});

/** `more`, `less`, `none`: together they give more than the product, less, or just that. */
const interactionVerdictSchema = z.enum(['more', 'less', 'none', 'undecided']);
export type InteractionVerdict = z.infer<typeof interactionVerdictSchema>;

export const factorialSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  factors: z.array(factorSchema),
  /** Every combination that was measured; the first is what the others are over. */
  cells: z.array(
    z.strictObject({
      with: factorsSchema,
      label: z.string(),
      time_s: seconds,
      wrong: z.boolean(),
      /** Speedup over the first combination. */
      gain: ratioSchema,
    }),
  ),
  /** Every combination that was not, and why. */
  absent: z.array(z.strictObject({ with: factorsSchema, reason: z.string() })),
  /** Speedup from one factor if those in `given` are already applied. */
  effects: z.array(
    z.strictObject({
      of: z.string(),
      given: factorsSchema,
      gain: ratioSchema,
      verdict: z.enum(['faster', 'slower', 'same', 'undecided']),
    }),
  ),
  /** Combined speedup of two or more factors over the product of their individual speedups. */
  interactions: z.array(
    z.strictObject({
      of: factorsSchema,
      given: factorsSchema,
      times: ratioSchema,
      verdict: interactionVerdictSchema,
    }),
  ),
});
export type Factorial = Readonly<z.infer<typeof factorialSchema>>;
