/** Comparison of a run's dose: gamma index against another run or an imported dose, and beam width against theory. */
import { z } from 'zod';
import { planeUnitSchema } from './dose/units.ts';
import { curveSchema, fieldMapSchema, viewportSchema } from './fields.ts';
import { fileRefSchema } from './files.ts';
import { runIdSchema } from './run.ts';
import { bytes } from './wire/arrays.ts';

/** Quantity compared: energy by mass of each cell (dose), or energy by area, whose maximum lies in dense matter. */
export const gammaDoseSchema = z.enum(['mass', 'area']);
export type GammaDose = z.infer<typeof gammaDoseSchema>;

/** Limits of the two criteria of a gamma index. */
export const gammaLimits = { dose: [0.001, 0.2], distance_mm: [0.05, 20] } as const;

const volumeAxisSchema = z.enum(['x', 'y', 'z']);

/** Limit on the total file size of one imported dose; the command line accepts larger ones. */
export const MAX_DOSE_BYTES = 32 * 2 ** 20;

const importedDoseSchema = z.strictObject({
  id: z.string().max(64),
  name: z.string(),
  /** Numbers of cells along x, y and, for a volume, z. In a table, the lateral axis comes first. */
  sizes: z.array(z.number().int().positive()).min(2).max(3),
  spacing_mm: z.array(z.number().positive()),
  /** Centres of the first cells. */
  origin_mm: z.array(z.number()),
  /** Facts about the file that a user must know, such as the unit that it states. */
  notes: z.array(z.string()),
});
export type ImportedDoseInfo = Readonly<z.infer<typeof importedDoseSchema>>;

const shift = z.number().min(-1e5).max(1e5).default(0);

/**
 * A plane of an imported dose, for comparison with a run: depth and across are two of its axes; a third is summed over.
 */
const importedPlaneSchema = z.strictObject({
  dose: z.string().max(64),
  /** Axis of the file that becomes the depth; by default its last one. */
  depth: volumeAxisSchema.optional(),
  /** Axis of the file that becomes the lateral axis; by default x. */
  across: volumeAxisSchema.optional(),
  /** Offsets in mm that are added to the imported positions: a run begins at depth 0 and has x = 0 in its middle. */
  shift_depth_mm: shift,
  shift_across_mm: shift,
  /**
   * Unit of the imported numbers; both doses are then compared in absolute terms. If null, both are scaled to their
   * maximum.
   */
  unit: planeUnitSchema.nullable().default(null),
});

export type ImportedPlane = Readonly<z.infer<typeof importedPlaneSchema>>;

/** Unit of the dose of pencils. */
export const pencilUnit = 'Gy mm/1e9' as const;

export const doseMethods = {
  /** Imports a dose from another program: MetaImage, NRRD, or a table as this program writes it. */
  'dose.import': {
    params: z.strictObject({
      /** Several files if a header (.mhd, .nhdr) refers to data files, such as one for each slice. */
      files: z
        .array(z.strictObject({ name: z.string().min(1).max(255), bytes }))
        .min(1)
        .max(1000)
        .refine(
          (files) => files.reduce((sum, file) => sum + file.bytes.length, 0) <= MAX_DOSE_BYTES,
          `larger than ${MAX_DOSE_BYTES / 2 ** 20} MiB; use braggbench gamma for larger files`,
        ),
    }),
    result: importedDoseSchema,
  },
  /**
   * Dose of the run's beam as a sum of pencils traced along their axes, to compare the run with. It becomes an imported
   * dose in the unit `pencilUnit`.
   */
  'dose.pencils': {
    params: z.strictObject({
      run: runIdSchema,
      /** File of the run's scenario, next to which its CT is searched for. */
      file: fileRefSchema.nullable().default(null),
    }),
    result: importedDoseSchema.extend({
      pencils: z.number().int(),
      /** Different columns of matter, each of which is solved once. */
      columns: z.number().int(),
      seconds: z.number(),
    }),
  },
  /** Gamma index of a run's dose at the cells of the reference run (D. A. Low et al., Med. Phys. 25 (1998) 656). */
  'dose.gamma': {
    params: z.strictObject({
      /** Evaluated run. */
      run: runIdSchema,
      /**
       * A run or an imported dose. With an imported dose, both are scaled to their maximum unless its unit is given.
       */
      reference: z.union([runIdSchema, importedPlaneSchema]),
      /** Dose criterion as a share of the reference's largest dose: 0.01 is 1 %. */
      dose: z.number().min(gammaLimits.dose[0]).max(gammaLimits.dose[1]),
      distance_mm: z.number().min(gammaLimits.distance_mm[0]).max(gammaLimits.distance_mm[1]),
      /** Whether the dose criterion is a share of the local dose at each point. */
      local: z.boolean().default(false),
      /** Cells with a dose below this share of the reference's largest dose are not evaluated. */
      threshold: z.number().min(0).max(0.9).default(0.1),
      by: gammaDoseSchema.default('mass'),
      viewport: viewportSchema,
    }),
    result: z.strictObject({
      /** NaN in cells that are not evaluated, because the reference's dose is below the threshold. */
      map: fieldMapSchema,
      /** Quantity that was compared: always `area` if a run was stored without densities. */
      by: gammaDoseSchema,
      /** Share of the evaluated cells with a gamma of at most one. */
      passed: z.number(),
      points: z.number().int().nonnegative(),
      /** Largest gamma; at most 3, where the search stops. */
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
      /** Reason if there is no curve. */
      reason: z.string().nullable(),
    }),
  },
} as const;
