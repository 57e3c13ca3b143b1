/** Comparison of a run's dose: gamma index against another run or an imported dose, and beam width against theory. */
import { z } from 'zod';
import { planeUnitSchema } from './dose/units.ts';
import { curveSchema, fieldMapSchema, viewportSchema } from './fields.ts';
import { runIdSchema } from './run.ts';
import { bytes } from './wire/arrays.ts';

/** Quantity compared: energy by mass of each cell (dose), or energy by area, whose maximum lies in dense matter. */
export const gammaDoseSchema = z.enum(['mass', 'area']);
export type GammaDose = z.infer<typeof gammaDoseSchema>;

/** Limits of the two criteria of a gamma index. */
export const gammaLimits = { dose: [0.001, 0.2], distance_mm: [0.05, 20] } as const;

const volumeAxisSchema = z.enum(['x', 'y', 'z']);

/** Bytes of the files of one imported dose; the command line takes larger ones. */
export const MOST_DOSE_BYTES = 32 * 2 ** 20;

const importedDoseSchema = z.strictObject({
  id: z.string().max(64),
  name: z.string(),
  /** Along each of its axes: x, y and, of a volume, z. A table has its places across first. */
  sizes: z.array(z.number().int().positive()).min(2).max(3),
  spacing_mm: z.array(z.number().positive()),
  /** Centres of the first cells. */
  origin_mm: z.array(z.number()),
});
export type ImportedDoseInfo = Readonly<z.infer<typeof importedDoseSchema>>;

const shift = z.number().min(-1e5).max(1e5).default(0);

/**
 * A plane of an imported dose, for comparison with a run: depth and across are two of its axes; a third is summed over.
 */
const importedPlaneSchema = z.strictObject({
  dose: z.string().max(64),
  /** The last one where it is left out. */
  depth: volumeAxisSchema.optional(),
  /** x where it is left out. */
  across: volumeAxisSchema.optional(),
  /** mm that are added to its places: a run begins at depth 0 and has x = 0 in its middle. */
  shift_depth_mm: shift,
  shift_across_mm: shift,
  /** Unit of its numbers; both doses are then compared in absolute terms. If null, both are scaled to their maximum. */
  unit: planeUnitSchema.nullable().default(null),
});

export type ImportedPlane = Readonly<z.infer<typeof importedPlaneSchema>>;

export const doseMethods = {
  /** Takes in a dose of another program: MetaImage, NRRD, or a table as the program writes it. */
  'dose.import': {
    params: z.strictObject({
      /** Several where a header (.mhd, .nhdr) has its numbers in others: a list of them may have one for each slice. */
      files: z
        .array(z.strictObject({ name: z.string().min(1).max(255), bytes }))
        .min(1)
        .max(1000)
        .refine(
          (files) => files.reduce((sum, file) => sum + file.bytes.length, 0) <= MOST_DOSE_BYTES,
          `more than ${MOST_DOSE_BYTES / 2 ** 20} MiB; larger ones are for braggbench gamma`,
        ),
    }),
    result: importedDoseSchema,
  },
  /** Gamma index of a run's dose at the cells of the reference run (D. A. Low et al., Med. Phys. 25 (1998) 656). */
  'dose.gamma': {
    params: z.strictObject({
      /** Evaluated. */
      run: runIdSchema,
      /**
       * A run or an imported dose. With an imported dose, both are scaled to their maximum unless its unit is given.
       */
      reference: z.union([runIdSchema, importedPlaneSchema]),
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
      /** Quantity compared: `area` regardless of the request if a run was stored without densities. */
      by: gammaDoseSchema,
      /** Share of the judged cells with a gamma of at most one. */
      passed: z.number(),
      points: z.number().int().nonnegative(),
      /** At most 3: the search ends there. */
      worst: z.number(),
      /** Histogram of gamma in bins of 0.1; the last bin holds gamma = 3, where the search stops. */
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
