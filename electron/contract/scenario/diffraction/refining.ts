/** Refinement of a crystal against a measured image of the user: imported image, progress frames and result. */
import { z } from 'zod';
import { fieldMapSchema } from '../../fields.ts';
import { fileRefSchema } from '../../files.ts';
import { imageViewSchema } from '../../image.ts';
import { runIdSchema } from '../../run.ts';
import { bytes } from '../../wire/arrays.ts';
import { type ScenarioDraft, scenarioDraftSchema } from '../draft.ts';
import { kindOfDocument } from '../kinds.ts';

/** Whether documents of this kind have a crystal. */
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

/** Both, or one of them, as a reader chooses. */
export const refineFits = { both: ['misset', 'cell'], misset: ['misset'], cell: ['cell'] } as const satisfies Record<
  string,
  readonly RefinedPart[]
>;

/** More normal equations than any fit that comes to its end needs. */
export const MOST_ITERATIONS = 30;

/** A frame of sixteen million pixels of 32 bits has half of it; the command line takes larger ones. */
export const MOST_IMAGE_BYTES = 128 * 2 ** 20;

/** Endings of the images that are read. */
export const measuredEndings = ['.img', '.tif', '.tiff', '.cbf', '.bin', '.raw', '.h5', '.hdf5'] as const;

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
  /** Pixels without a part: full, or without a count. */
  left_out: z.number().int().nonnegative(),
  /** Metadata from the image header, in the units of scenarios. */
  header: headerSchema,
});
export type MeasuredImage = Readonly<z.infer<typeof measuredImageSchema>>;

const unknownValueSchema = z.strictObject({
  id: z.enum(crystalUnknowns.map(({ id }) => id)),
  start: z.number(),
  value: z.number(),
  /** Standard deviation by the residuals; null where the image does not tell. */
  sigma: z.number().nullable(),
});

const refinedSchema = z.strictObject({
  state: z.literal('refined'),
  unknowns: z.array(unknownValueSchema),
  iterations: z.number().int(),
  converged: z.boolean(),
  /** Pixels that took part. */
  pixels: z.number().int(),
  /** Counts per photon, and counts without any. */
  scale: z.number(),
  background: z.number(),
  correlation: z.strictObject({ start: z.number(), end: z.number() }),
  iteration_s: z.number(),
});
export type RefinedCrystal = Readonly<z.infer<typeof refinedSchema>>;

const refineIterationSchema = z.strictObject({
  state: z.literal('iteration'),
  /** From 1: the first is at the start. */
  iteration: z.number().int().positive(),
  /** Counts: root of the mean square of what the image has more or less than the fit. */
  rms: z.number(),
  correlation: z.number(),
  /** Whether it is no worse than the best before. The fit goes on from there, else it steps less far. */
  taken: z.boolean(),
  /** In the order of the unknowns that are fitted. */
  values: z.array(z.number()),
  seconds: z.number(),
});
export type RefineIteration = Readonly<z.infer<typeof refineIterationSchema>>;

const refineFrameSchema = z.discriminatedUnion('state', [
  /** For runs and measurements before it. */
  z.strictObject({ state: z.literal('waiting') }),
  /** The refinement has started; `warnings` lists contradictions between the image file and the scenario. */
  z.strictObject({ state: z.literal('begun'), variant: z.string(), warnings: z.array(z.string()) }),
  refineIterationSchema,
  refinedSchema,
]);
export type RefineFrame = Readonly<z.infer<typeof refineFrameSchema>>;

const imageBytes = bytes.refine(
  ({ length }) => length <= MOST_IMAGE_BYTES,
  `more than ${MOST_IMAGE_BYTES / 2 ** 20} MiB; larger ones are for braggbench refine`,
);
/** One data file is read; more are chosen where all of a folder are. */
const MOST_LINKED = 16;

const imageId = z.string().max(64);

export const refiningMethods = {
  /** Takes in an image to fit a crystal to: a file, or an image that was computed here. Throws what is wrong with it. */
  'refining.take': {
    params: z.strictObject({
      source: z.discriminatedUnion('kind', [
        z.strictObject({
          kind: z.literal('file'),
          name: z.string().min(1).max(255),
          bytes: imageBytes,
          /** Files that were chosen with it: a master of an Eiger detector has its images in others. */
          linked: z
            .array(z.strictObject({ name: z.string().min(1).max(255), bytes: imageBytes }))
            .max(MOST_LINKED)
            .readonly(),
          /** Pixels of raw numbers, fast and slow; other files say it. */
          size: z.tuple([z.number().int().positive(), z.number().int().positive()]),
        }),
        z.strictObject({ kind: z.literal('run'), run: runIdSchema }),
      ]),
    }),
    result: measuredImageSchema,
  },
  /** Counts of the image, or what they are more or less than the fit. There is a fit once one has come to its end. */
  'refining.view': {
    params: z.strictObject({ image: imageId, show: z.enum(['measured', 'difference']), view: imageViewSchema }),
    result: z.strictObject({ map: fieldMapSchema }),
  },
} as const;

export const refiningStreams = {
  /** Fits the crystal of a scenario to an image that was taken in. Ends with what was found; closing it gives up. */
  refining: {
    params: z.strictObject({
      image: imageId,
      scenario: scenarioDraftSchema,
      file: fileRefSchema.nullable(),
      fit: z.array(refinedPartSchema).min(1).max(2),
    }),
    frame: refineFrameSchema,
    policy: 'lossless',
  },
} as const;

type Document = Readonly<Record<string, unknown>>;

/** The scenario with what was fitted. */
export function refinedDocument<D extends Document>(
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
