/**
 * Comparison of a run's dose with another run or an imported dose (gamma index), and of its beam width with theory.
 */
import { z } from 'zod';
import { planeUnitSchema } from './dose/units.ts';
import { curveSchema, fieldMapSchema, viewportSchema } from './fields.ts';
import { fileRefSchema } from './files.ts';
import { runIdSchema } from './run.ts';
import { bytes } from './wire/arrays.ts';

/**
 * Compared quantity: energy per mass of each cell (dose), or energy per area. The latter has its maximum in dense
 * matter.
 */
export const gammaQuantitySchema = z.enum(['mass', 'area']);
export type GammaQuantity = z.infer<typeof gammaQuantitySchema>;

/**
 * Allowed ranges of the two gamma criteria: dose difference as a fraction of the reference dose, and distance in mm.
 */
export const gammaLimits = { dose: [0.001, 0.2], distance_mm: [0.05, 20] } as const;

const volumeAxisSchema = z.enum(['x', 'y', 'z']);

/** Limit on the total size of the files of one imported dose, bytes. The command line accepts larger files. */
export const MAX_DOSE_BYTES = 32 * 2 ** 20;

const importedDoseSchema = z.strictObject({
  id: z.string().max(64),
  name: z.string(),
  /** Numbers of cells along x, y and, for a volume, z. For a table, the first axis is lateral. */
  sizes: z.array(z.number().int().positive()).min(2).max(3),
  spacing_mm: z.array(z.number().positive()),
  /** Centre of the first cell along each axis. */
  origin_mm: z.array(z.number()),
  /** Remarks on the file that the user should read, such as the unit that it states. */
  notes: z.array(z.string()),
});
export type ImportedDoseInfo = Readonly<z.infer<typeof importedDoseSchema>>;

const shiftSchema = z.number().min(-1e5).max(1e5).default(0);

/**
 * Plane of an imported dose to compare with a run. Two axes of the dose become depth and lateral axis; a third is
 * summed over.
 */
const importedPlaneSchema = z.strictObject({
  dose: z.string().max(64),
  /** Axis of the file that becomes the depth; by default its last one. */
  depth: volumeAxisSchema.optional(),
  /** Axis of the file that becomes the lateral axis; by default x. */
  across: volumeAxisSchema.optional(),
  /** Offsets added to the imported positions. In a run, the depth starts at 0 and x = 0 is the centre. */
  shift_depth_mm: shiftSchema,
  shift_across_mm: shiftSchema,
  /** Unit of the imported values, for an absolute comparison. If null, both doses are scaled to their maximum. */
  unit: planeUnitSchema.nullable().default(null),
});

export type ImportedPlane = Readonly<z.infer<typeof importedPlaneSchema>>;

/** Unit of the dose that `dose.pencils` computes. */
export const PENCIL_DOSE_UNIT = 'Gy mm/1e9' as const;

export const doseMethods = {
  /**
   * Imports a dose computed by another program: MetaImage, NRRD, RT Dose (.dcm), or a CSV table in Braggbench's map
   * format.
   */
  'dose.import': {
    params: z.strictObject({
      /** Several files if a header (.mhd, .nhdr) refers to data files, for example to one for each slice. */
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
   * Computes the dose of the run's beam with a pencil-beam model, as a reference for the run. The result is an imported
   * dose in the unit `PENCIL_DOSE_UNIT`.
   */
  'dose.pencils': {
    params: z.strictObject({
      run: runIdSchema,
      /** File of the run's scenario. Its CT is searched for in the same folder. */
      file: fileRefSchema.nullable().default(null),
    }),
    result: importedDoseSchema.extend({
      pencils: z.number().int(),
      /** Number of distinct sequences of materials along pencils; each is solved once. */
      columns: z.number().int(),
      seconds: z.number(),
    }),
  },
  /** Gamma index of a run's dose in the cells of the reference (D. A. Low et al., Med. Phys. 25 (1998) 656). */
  'dose.gamma': {
    params: z.strictObject({
      /** Evaluated run. */
      run: runIdSchema,
      /**
       * Reference: a run or an imported dose. An imported dose without a unit is compared after scaling both doses to
       * their maximum.
       */
      reference: z.union([runIdSchema, importedPlaneSchema]),
      /** Dose criterion as a fraction of the largest reference dose; 0.01 is 1 %. */
      dose: z.number().min(gammaLimits.dose[0]).max(gammaLimits.dose[1]),
      distance_mm: z.number().min(gammaLimits.distance_mm[0]).max(gammaLimits.distance_mm[1]),
      /** If true, the dose criterion is a fraction of the reference dose in each cell. */
      local: z.boolean().default(false),
      /** Cells with less than this fraction of the largest reference dose are not evaluated. */
      threshold: z.number().min(0).max(0.9).default(0.1),
      by: gammaQuantitySchema.default('mass'),
      viewport: viewportSchema,
    }),
    result: z.strictObject({
      /** Gamma in each cell; NaN in cells below the threshold, which are not evaluated. */
      map: fieldMapSchema,
      /** Compared quantity; always `area` if a run was saved without densities. */
      by: gammaQuantitySchema,
      /** Pass rate: fraction of the evaluated cells with gamma ≤ 1. */
      passed: z.number(),
      points: z.number().int().nonnegative(),
      /** Largest gamma; the search stops at gamma = 3. */
      worst: z.number(),
      /** Number of cells by gamma, in bins of width 0.1. The last bin contains gamma = 3, where the search stops. */
      histogram: z.array(z.number().int().nonnegative()),
    }),
  },
  /** Lateral width σx as a function of depth by Fermi–Eyges theory, for a beam along z. */
  'dose.fermiEyges': {
    params: z.strictObject({ run: runIdSchema }),
    result: z.strictObject({
      curve: curveSchema.nullable(),
      /** Reason why there is no curve; null if there is one. */
      reason: z.string().nullable(),
    }),
  },
} as const;
