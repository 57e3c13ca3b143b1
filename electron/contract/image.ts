/** Diffraction images for the page. Pixel coordinates start at 0; the centre of pixel i is at i + 0.5. */
import { z } from 'zod';
import { fieldMapSchema, fieldStatisticSchema, viewportSchema } from './fields.ts';
import { precisionSchema, runIdSchema } from './run.ts';

/** Visible part of an image in pixels, with its fast axis horizontal and its slow axis downwards. */
export const imageViewSchema = z.strictObject({
  viewport: viewportSchema,
  statistic: fieldStatisticSchema.default('mean'),
});
export type ImageView = Readonly<z.input<typeof imageViewSchema>>;

const imageFrameSchema = z.strictObject({
  run: runIdSchema,
  /** Increases whenever the image of this run changes. */
  revision: z.number().int().nonnegative(),
  /** Fraction of the image that is computed, 0 to 1; the other pixels are 0. */
  done: z.number(),
  map: fieldMapSchema,
});
export type ImageFrame = Readonly<z.infer<typeof imageFrameSchema>>;

const pixelSchema = z.strictObject({
  fast: z.number(),
  slow: z.number(),
  /** Spacing of the lattice planes that reflect towards this pixel, Å; null in the forward direction. */
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
  /** Fraction of the image that was computed, 0 to 1. */
  done: z.number(),
  threads: z.number().int(),
  isa: z.string(),
  wall_s: z.number(),
  setup_s: z.number(),
  solve_s: z.number(),
  /** Computing time by the GPU's clock; null on the CPU. */
  device_s: z.number().nullable(),
  /** Number of lattice factors that were computed. */
  terms: z.number(),
  /** Time per lattice factor, ns; on the CPU, for one thread. Null before the first lattice factor. */
  ns_per_term: z.number().nullable(),
  image: z.strictObject({
    width: z.number().int(),
    height: z.number().int(),
    oversample: z.number().int(),
    sources: z.number().int(),
    orientations: z.number().int(),
    layers: z.number().int(),
    /** Largest value of a pixel, photons. */
    max: z.number(),
    sum: z.number(),
    mean: z.number(),
    /** Number of pixels brighter than 1e-3 of the brightest one. */
    bright_pixels: z.number().int(),
  }),
  /** First of the pixels with the largest value. */
  brightest: pixelSchema,
  /** Resolution, Å, at the edge nearest to the beam and at the farthest corner; null in the forward direction. */
  resolution_A: z.strictObject({ edge: z.number().nullable(), corner: z.number().nullable() }),
  /** Peak memory of the process, including that of other runs. */
  peak_rss_MB: z.number(),
  /** Memory that this run alone needs for its image and work arrays, bytes. */
  state_bytes: z.number(),
});
export type ImageSummary = Readonly<z.infer<typeof imageSummarySchema>>;

const imagePeakSchema = z.strictObject({
  ...pixelSchema.shape,
  /** Photons in the brightest pixel. `fast` and `slow` are the centroid of the 3 × 3 pixels around it. */
  photons: z.number(),
  pixel: z.tuple([z.number().int(), z.number().int()]),
});
export type ImagePeak = Readonly<z.infer<typeof imagePeakSchema>>;

/**
 * Difference between an image and a reference. It has several measures, because the correlation alone misses errors of
 * half a bright pixel. A measure is null if undefined, for example if the reference is dark.
 */
const imageErrorSchema = z.strictObject({
  /** Norm of the difference divided by the norm of the reference. */
  rel_l2: z.number().nullable(),
  /** Largest difference, divided by the brightest pixel of the reference. */
  max: z.number().nullable(),
  /** Largest relative error among pixels brighter than 1e-3 of the brightest one. */
  bright: z.number().nullable(),
  /** Relative difference of the sums over all pixels. */
  sum: z.number().nullable(),
  /** Mean relative error of the pixels brighter than 1e-3 of the brightest one. */
  mean: z.number().nullable(),
  /** Pearson correlation between the images over all pixels. */
  correlation: z.number().nullable(),
});
export type ImageError = Readonly<z.infer<typeof imageErrorSchema>>;

/** Largest allowed relative error of a bright pixel. */
export const BRIGHT_PARITY = 2e-5;

const imageRunSchema = z.strictObject({ run: runIdSchema });

export const imageMethods = {
  'image.summary': { params: imageRunSchema, result: imageSummarySchema },
  /** Returns a part of an image, or of its difference from another run's image of equal size. */
  'image.view': {
    params: z.strictObject({ run: runIdSchema, view: imageViewSchema, against: runIdSchema.nullable().default(null) }),
    result: imageFrameSchema,
  },
  /** Returns the photons in one pixel. */
  'image.pixel': {
    params: z.strictObject({
      run: runIdSchema,
      against: runIdSchema.nullable().default(null),
      fast: z.number().int().nonnegative(),
      slow: z.number().int().nonnegative(),
    }),
    result: z.strictObject({ photons: z.number() }),
  },
  /** Lists pixels that are brighter than their eight neighbours, brightest first. */
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
  /** Sends the image, reduced to the requested pixels, while its rows are computed. Ends with the run. */
  'image.live': {
    params: z.strictObject({ run: runIdSchema, view: imageViewSchema }),
    frame: imageFrameSchema,
    policy: 'latest',
  },
} as const;
