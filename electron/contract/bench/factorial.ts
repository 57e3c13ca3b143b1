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

/** `more`, `less`, `none`: the combined speedup is above, below or equal to the product of the individual ones. */
const interactionVerdictSchema = z.enum(['more', 'less', 'none', 'undecided']);
export type InteractionVerdict = z.infer<typeof interactionVerdictSchema>;

export const factorialSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  factors: z.array(factorSchema),
  /** Measured combinations; speedups are relative to the first. */
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
  /** Combinations that were not measured, with the reason. */
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
