/**
 * Refinement of a crystal's parameters against a measured image: the imported image, progress frames, and the result.
 */
import { z } from 'zod';
import { fieldMapSchema } from '../../fields.ts';
import { fileRefSchema } from '../../files.ts';
import { imageViewSchema } from '../../image.ts';
import { runIdSchema } from '../../run.ts';
import { bytes } from '../../wire/arrays.ts';
import { kindOfDocument } from '../kinds.ts';
import { type ScenarioDraft, scenarioDraftSchema } from '../workload.ts';

/** Whether a document describes a crystal, so that it can be refined. */
export const hasCrystal = (document: ScenarioDraft): boolean => kindOfDocument(document) === 'diffraction';

export const crystalUnknowns = [
  { id: 'x_deg', of: 'misset', title: 'Misset x', unit: '°' },
  { id: 'y_deg', of: 'misset', title: 'Misset y', unit: '°' },
  { id: 'z_deg', of: 'misset', title: 'Misset z', unit: '°' },
  { id: 'a_A', of: 'cell', title: 'Edge a', unit: 'Å' },
  { id: 'b_A', of: 'cell', title: 'Edge b', unit: 'Å' },
  { id: 'c_A', of: 'cell', title: 'Edge c', unit: 'Å' },
  { id: 'alpha_deg', of: 'cell', title: 'Angle alpha', unit: '°' },
  { id: 'beta_deg', of: 'cell', title: 'Angle beta', unit: '°' },
  { id: 'gamma_deg', of: 'cell', title: 'Angle gamma', unit: '°' },
] as const;
export type CrystalUnknown = (typeof crystalUnknowns)[number];

const refinedPartSchema = z.enum(['misset', 'cell']);
export type RefinedPart = z.infer<typeof refinedPartSchema>;

/** Groups of parameters that a fit may vary. */
export const refineParameterGroups = {
  both: ['misset', 'cell'],
  misset: ['misset'],
  cell: ['cell'],
} as const satisfies Record<string, readonly RefinedPart[]>;

/** Largest number of iterations. A fit that converges needs fewer. */
export const MAX_ITERATIONS = 30;

/**
 * Size limit of an image, bytes: twice a frame of 16 million pixels with 32 bits each. The command line accepts larger
 * files.
 */
export const MAX_IMAGE_BYTES = 128 * 2 ** 20;

/** File name extensions of supported images. */
export const imageFileExtensions = ['.img', '.osc', '.tif', '.tiff', '.cbf', '.bin', '.raw', '.h5', '.hdf5'] as const;

const headerSchema = z.strictObject({
  distance_mm: z.number().optional(),
  pixel_mm: z.number().optional(),
  wavelength_A: z.number().optional(),
});

const measuredImageSchema = z.strictObject({
  id: z.string().max(64),
  name: z.string(),
  width: z.number().int().positive(),
  height: z.number().int().positive(),
  /** Number of pixels excluded from the fit, because they are saturated or have no count. */
  left_out: z.number().int().nonnegative(),
  /** Values from the image header, in the units of scenarios. */
  header: headerSchema,
});
export type MeasuredImage = Readonly<z.infer<typeof measuredImageSchema>>;

const unknownValueSchema = z.strictObject({
  id: z.enum(crystalUnknowns.map(({ id }) => id)),
  start: z.number(),
  value: z.number(),
  /** Standard deviation, estimated from the residuals; null if the image does not determine the parameter. */
  sigma: z.number().nullable(),
});

const refinedSchema = z.strictObject({
  state: z.literal('refined'),
  unknowns: z.array(unknownValueSchema),
  iterations: z.number().int(),
  converged: z.boolean(),
  /** Number of pixels used in the fit. */
  pixels: z.number().int(),
  /** Fitted counts per photon, and background counts. */
  scale: z.number(),
  background: z.number(),
  correlation: z.strictObject({ start: z.number(), end: z.number() }),
  iteration_s: z.number(),
});
export type RefinedCrystal = Readonly<z.infer<typeof refinedSchema>>;

const refineIterationSchema = z.strictObject({
  state: z.literal('iteration'),
  /** Number of the iteration. Iteration 1 evaluates the initial parameters. */
  iteration: z.number().int().positive(),
  /** Root mean square of the difference between image and fit, counts. */
  rms: z.number(),
  correlation: z.number(),
  /**
   * Whether the step was accepted, because the fit is at least as good as the best one before. After a rejected step,
   * the fit tries a shorter one.
   */
  taken: z.boolean(),
  /** Values of the fitted parameters, in their order. */
  values: z.array(z.number()),
  seconds: z.number(),
});
export type RefineIteration = Readonly<z.infer<typeof refineIterationSchema>>;

const refineFrameSchema = z.discriminatedUnion('state', [
  /** The refinement waits until earlier runs and measurements have ended. */
  z.strictObject({ state: z.literal('waiting') }),
  /** The refinement has started. `warnings` are contradictions between the image header and the scenario. */
  z.strictObject({ state: z.literal('begun'), variant: z.string(), warnings: z.array(z.string()) }),
  refineIterationSchema,
  refinedSchema,
]);
export type RefineFrame = Readonly<z.infer<typeof refineFrameSchema>>;

const imageBytesSchema = bytes.refine(
  ({ length }) => length <= MAX_IMAGE_BYTES,
  `larger than ${MAX_IMAGE_BYTES / 2 ** 20} MiB; use braggbench refine for larger files`,
);
/** Limit on linked files. Only one of them is read, but users may select a complete folder. */
const MAX_LINKED = 16;

const imageIdSchema = z.string().max(64);

export const refiningMethods = {
  /**
   * Imports the image to refine against: a file, or an image that this program computed. Throws an error for invalid
   * input.
   */
  'refining.take': {
    params: z.strictObject({
      source: z.discriminatedUnion('kind', [
        z.strictObject({
          kind: z.literal('file'),
          name: z.string().min(1).max(255),
          bytes: imageBytesSchema,
          /** Files selected together with the main file. The master file of an Eiger detector refers to data files. */
          linked: z
            .array(z.strictObject({ name: z.string().min(1).max(255), bytes: imageBytesSchema }))
            .max(MAX_LINKED)
            .readonly(),
          /** Image size (fast, slow) in pixels, for files of raw numbers. Other formats contain their size. */
          size: z.tuple([z.number().int().positive(), z.number().int().positive()]),
        }),
        z.strictObject({ kind: z.literal('run'), run: runIdSchema }),
      ]),
    }),
    result: measuredImageSchema,
  },
  /** Returns the counts of the image, or, after a fit has completed, their difference from the fit. */
  'refining.view': {
    params: z.strictObject({ image: imageIdSchema, show: z.enum(['measured', 'difference']), view: imageViewSchema }),
    result: z.strictObject({ map: fieldMapSchema }),
  },
} as const;

export const refiningStreams = {
  /** Refines the crystal of a scenario. The last frame contains the result; closing the stream cancels the fit. */
  refining: {
    params: z.strictObject({
      image: imageIdSchema,
      scenario: scenarioDraftSchema,
      file: fileRefSchema.nullable(),
      fit: z.array(refinedPartSchema).min(1).max(2),
    }),
    frame: refineFrameSchema,
    policy: 'lossless',
  },
} as const;

type Document = Readonly<Record<string, unknown>>;

/** Returns a copy of the scenario with the fitted values. */
export function withFittedValues<D extends Document>(
  document: D,
  unknowns: readonly Pick<RefinedCrystal['unknowns'][number], 'id' | 'value'>[],
): D {
  const crystal = (document['crystal'] ?? {}) as Record<string, Document>;
  const of = (part: RefinedPart): Document =>
    Object.fromEntries(
      unknowns
        .filter(({ id }) => crystalUnknowns.some((one) => one.id === id && one.of === part))
        .map(({ id, value }) => [id, Number(value.toPrecision(9))]),
    );
  return {
    ...document,
    crystal: {
      ...crystal,
      lattice: { ...crystal['lattice'], ...of('cell') },
      misset: { ...crystal['misset'], ...of('misset') },
    },
  };
}
