/**
 * Factorial experiment: measures optimisations alone and combined, and compares the combined speedup with the product
 * of the individual ones.
 */
import { z } from 'zod';
import { ratioSchema, seconds } from './bench-session.ts';

/** Ids of factors. */
const factorsSchema = z.array(z.string());

export const factorSchema = z.strictObject({
  id: z.string(),
  /** Title in lower case, for use within a sentence: `page-locked memory`. */
  title: z.string(),
});

/**
 * Whether the combined speedup is above (`more`), below (`less`) or equal to (`none`) the product of the individual
 * ones.
 */
const interactionVerdictSchema = z.enum(['more', 'less', 'none', 'undecided']);
export type InteractionVerdict = z.infer<typeof interactionVerdictSchema>;

export const factorialSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  factors: z.array(factorSchema),
  /** Measured combinations of factors. Speedups are relative to the first combination. */
  cells: z.array(
    z.strictObject({
      with: factorsSchema,
      label: z.string(),
      time_s: seconds,
      wrong: z.boolean(),
      /** Speedup relative to the first combination. */
      gain: ratioSchema,
    }),
  ),
  /** Combinations that were not measured, with the reason. */
  absent: z.array(z.strictObject({ with: factorsSchema, reason: z.string() })),
  /** Speedup by adding one factor to those listed in `given`. */
  effects: z.array(
    z.strictObject({
      of: z.string(),
      given: factorsSchema,
      gain: ratioSchema,
      verdict: z.enum(['faster', 'slower', 'same', 'undecided']),
    }),
  ),
  /** Combined speedup of two or more factors divided by the product of their individual speedups. */
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
