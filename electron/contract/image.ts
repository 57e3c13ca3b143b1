/** Diffraction images for the page. Pixels count from 0; the middle of pixel i is at i + 0.5. */
import { z } from 'zod';
import { fieldMapSchema, fieldStatisticSchema, viewportSchema } from './fields.ts';
import { precisionSchema, runIdSchema } from './run.ts';

/** View of an image: fast axis across, slow axis down; windows in pixels. */
export const imageViewSchema = z.strictObject({
  viewport: viewportSchema,
  statistic: fieldStatisticSchema.default('mean'),
});
export type ImageView = Readonly<z.input<typeof imageViewSchema>>;

const imageFrameSchema = z.strictObject({
  run: runIdSchema,
  /** Increases with every new state of this run. */
  revision: z.number().int().nonnegative(),
  /** Share of the image computed so far; the rest is 0. */
  done: z.number(),
  map: fieldMapSchema,
});
export type ImageFrame = Readonly<z.infer<typeof imageFrameSchema>>;

const pixelSchema = z.strictObject({
  fast: z.number(),
  slow: z.number(),
  /** Spacing of the lattice planes that reflect to this pixel, Å; null in the forward direction. */
  resolution_A: z.number().nullable(),
  twotheta_deg: z.number(),
  h: z.number(),
  k: z.number(),
  l: z.number(),
});

const imageSummarySchema = z.strictObject({
  workload: z.literal('diffraction'),
  scenario: z.string(),
  variant: z.string(),
  precision: precisionSchema,
  status: z.enum(['done', 'cancelled']),
  /** Share of the image that was computed. */
  done: z.number(),
  threads: z.number().int(),
  isa: z.string(),
  wall_s: z.number(),
  setup_s: z.number(),
  solve_s: z.number(),
  /** Time to compute the image by the GPU's clock; null on the CPU. */
  device_s: z.number().nullable(),
  /** Number of lattice factors computed. */
  terms: z.number(),
  /** Nanoseconds per lattice factor and thread, or per lattice factor on the GPU; null before the first. */
  ns_per_term: z.number().nullable(),
  image: z.strictObject({
    width: z.number().int(),
    height: z.number().int(),
    oversample: z.number().int(),
    sources: z.number().int(),
    orientations: z.number().int(),
    layers: z.number().int(),
    /** Largest pixel value, in photons. */
    max: z.number(),
    sum: z.number(),
    mean: z.number(),
    /** Number of pixels above 1e-3 of the largest. */
    bright_pixels: z.number().int(),
  }),
  /** First pixel with the largest value. */
  brightest: pixelSchema,
  /** Resolution at the edge nearest to the beam and at the farthest corner; null in the forward direction. */
  resolution_A: z.strictObject({ edge: z.number().nullable(), corner: z.number().nullable() }),
  /** Peak memory of the process, including other runs. */
  peak_rss_MB: z.number(),
  /** Memory of this run alone: its largest state, or its image and the work arrays. */
  state_bytes: z.number(),
});
export type ImageSummary = Readonly<z.infer<typeof imageSummarySchema>>;

const imagePeakSchema = z.strictObject({
  ...pixelSchema.shape,
  /** Photons in the brightest pixel; fast and slow are the centroid of the 3 × 3 pixels around it. */
  photons: z.number(),
  pixel: z.tuple([z.number().int(), z.number().int()]),
});
export type ImagePeak = Readonly<z.infer<typeof imagePeakSchema>>;

/**
 * Difference of an image from a reference. Correlation alone hides errors of half a bright pixel. Fields are null if
 * undefined: a pixel is NaN, or the reference is dark.
 */
const imageErrorSchema = z.strictObject({
  /** Norm of the difference divided by the norm of the reference. */
  rel_l2: z.number().nullable(),
  /** Largest difference divided by the reference's largest pixel. */
  max: z.number().nullable(),
  /** Largest relative error of the pixels above 1e-3 of the largest. */
  bright: z.number().nullable(),
  /** Relative difference of the sums. */
  sum: z.number().nullable(),
  /** Mean relative error of the pixels above 1e-3 of the largest. */
  mean: z.number().nullable(),
  /** Pearson correlation over all pixels. */
  correlation: z.number().nullable(),
});
export type ImageError = Readonly<z.infer<typeof imageErrorSchema>>;

/** Largest relative error allowed in a bright pixel. */
export const BRIGHT_PARITY = 2e-5;

const imageRunSchema = z.strictObject({ run: runIdSchema });

export const imageMethods = {
  'image.summary': { params: imageRunSchema, result: imageSummarySchema },
  /** View of the image, or of its difference from another run's image of the same size. */
  'image.view': {
    params: z.strictObject({ run: runIdSchema, view: imageViewSchema, against: runIdSchema.nullable().default(null) }),
    result: imageFrameSchema,
  },
  /** Photons in one pixel, independent of the view. */
  'image.pixel': {
    params: z.strictObject({
      run: runIdSchema,
      against: runIdSchema.nullable().default(null),
      fast: z.number().int().nonnegative(),
      slow: z.number().int().nonnegative(),
    }),
    result: z.strictObject({ photons: z.number() }),
  },
  /** Pixels brighter than their eight neighbours, brightest first. */
  'image.peaks': {
    params: z.strictObject({ run: runIdSchema, count: z.number().int().min(1).max(1000) }),
    result: z.strictObject({ peaks: z.array(imagePeakSchema) }),
  },
  /** Compares two images. Throws `unsupported` if their sizes differ. */
  'image.error': {
    params: z.strictObject({ run: runIdSchema, reference: runIdSchema }),
    result: imageErrorSchema,
  },
} as const;

export const imageStreams = {
  /** Sends the image while its rows are computed, reduced to the requested pixels. Ends with the run. */
  'image.live': {
    params: z.strictObject({ run: runIdSchema, view: imageViewSchema }),
    frame: imageFrameSchema,
    policy: 'latest',
  },
} as const;
