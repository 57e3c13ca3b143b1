/** What a run's dose is held against: another run, and the theory of its beam's width. */
import { z } from 'zod';
import { curveSchema, fieldMapSchema, viewportSchema } from './fields.ts';
import { runIdSchema } from './run.ts';

/**
 * What doses are compared by: energy over the mass of each cell, which is dose, or energy over its area, whose largest
 * value lies in dense matter.
 */
export const gammaDoseSchema = z.enum(['mass', 'area']);
export type GammaDose = z.infer<typeof gammaDoseSchema>;

/** Limits of the two criteria of a gamma index. */
export const gammaLimits = { dose: [0.001, 0.2], distance_mm: [0.05, 20] } as const;

export const doseMethods = {
  /** Gamma index of a run's dose at the cells of the reference run (D. A. Low et al., Med. Phys. 25 (1998) 656). */
  'dose.gamma': {
    params: z.strictObject({
      /** Evaluated. */
      run: runIdSchema,
      reference: runIdSchema,
      /** Dose criterion as a share of the reference's largest dose: 0.01 is 1 %. */
      dose: z.number().min(gammaLimits.dose[0]).max(gammaLimits.dose[1]),
      distance_mm: z.number().min(gammaLimits.distance_mm[0]).max(gammaLimits.distance_mm[1]),
      /** Whether the dose criterion is a share of the dose at each point. */
      local: z.boolean().default(false),
      /** Cells below this share of the reference's largest dose are not judged. */
      threshold: z.number().min(0).max(0.9).default(0.1),
      by: gammaDoseSchema.default('mass'),
      viewport: viewportSchema,
    }),
    result: z.strictObject({
      /** NaN where the reference's dose is below a tenth of its largest, and is not judged. */
      map: fieldMapSchema,
      /** `area` whatever was asked for, where a run was stored without densities. */
      by: gammaDoseSchema,
      /** Share of the judged cells with a gamma of at most one. */
      passed: z.number(),
      points: z.number().int().nonnegative(),
      /** At most 3: the search ends there. */
      worst: z.number(),
      /** How often each gamma occurs, in steps of 0.1; the last one holds all that is 3. */
      histogram: z.array(z.number().int().nonnegative()),
    }),
  },
  /** σx against depth in Fermi–Eyges theory, for a beam along z. */
  'dose.fermiEyges': {
    params: z.strictObject({ run: runIdSchema }),
    result: z.strictObject({
      curve: curveSchema.nullable(),
      /** Why there is none. */
      reason: z.string().nullable(),
    }),
  },
} as const;
