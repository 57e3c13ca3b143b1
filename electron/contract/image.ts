/** Diffraction images as the page asks for them. Pixels count from 0; the middle of pixel i is at i + 0.5. */
import { z } from 'zod';
import { fieldMapSchema, fieldStatisticSchema, viewportSchema } from './fields.ts';
import { precisionSchema, runIdSchema } from './run.ts';

/** Fast axis across, slow axis down; windows in pixels. */
export const imageViewSchema = z.strictObject({
  viewport: viewportSchema,
  statistic: fieldStatisticSchema.default('mean'),
});
export type ImageView = Readonly<z.input<typeof imageViewSchema>>;

const imageFrameSchema = z.strictObject({
  run: runIdSchema,
  /** Grows with every new state of this run. */
  revision: z.number().int().nonnegative(),
  /** Share of the image that is there; the rest is 0. */
  done: z.number(),
  map: fieldMapSchema,
});
export type ImageFrame = Readonly<z.infer<typeof imageFrameSchema>>;

const pixelSchema = z.strictObject({
  fast: z.number(),
  slow: z.number(),
  /** Spacing of the lattice planes that reflect there, Å; null straight ahead. */
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
  /** Time of the image by the GPU's clock; null on the CPU. */
  device_s: z.number().nullable(),
  /** Lattice factors computed. */
  terms: z.number(),
  /** Per lattice factor and thread, or on the GPU; null before there is one. */
  ns_per_term: z.number().nullable(),
  image: z.strictObject({
    width: z.number().int(),
    height: z.number().int(),
    oversample: z.number().int(),
    sources: z.number().int(),
    orientations: z.number().int(),
    layers: z.number().int(),
    /** Photons. */
    max: z.number(),
    sum: z.number(),
    mean: z.number(),
    /** Pixels above 1e-3 of the largest. */
    bright_pixels: z.number().int(),
  }),
  /** The first of the largest pixels. */
  brightest: pixelSchema,
  /** Resolution at the edge nearest to the beam and at the farthest corner; null in the forward direction. */
  resolution_A: z.strictObject({ edge: z.number().nullable(), corner: z.number().nullable() }),
  /** Peak of the process, which holds other runs too. */
  peak_rss_MB: z.number(),
  /** Memory of this run alone: its largest state, or its image with what computes it. */
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
  /** Norm of the difference over the norm of the reference. */
  rel_l2: z.number().nullable(),
  /** Largest difference over the reference's largest pixel. */
  max: z.number().nullable(),
  /** Largest relative error of the pixels above 1e-3 of the largest. */
  bright: z.number().nullable(),
  /** Relative difference of the sums. */
  sum: z.number().nullable(),
  /** Mean relative error of the pixels above 1e-3 of the largest. */
  mean: z.number().nullable(),
  /** Pearson's, of all pixels. */
  correlation: z.number().nullable(),
});
export type ImageError = Readonly<z.infer<typeof imageErrorSchema>>;

/** A bright pixel may be off by this much. */
export const BRIGHT_PARITY = 2e-5;

const ofRun = z.strictObject({ run: runIdSchema });

export const imageMethods = {
  'image.summary': { params: ofRun, result: imageSummarySchema },
  /** The image, or the image less another run's of the same size. */
  'image.view': {
    params: z.strictObject({ run: runIdSchema, view: imageViewSchema, against: runIdSchema.nullable().default(null) }),
    result: imageFrameSchema,
  },
  /** Photons of one pixel, whatever the view shows. */
  'image.pixel': {
    params: z.strictObject({
      run: runIdSchema,
      against: runIdSchema.nullable().default(null),
      fast: z.number().int().nonnegative(),
      slow: z.number().int().nonnegative(),
    }),
    result: z.strictObject({ photons: z.number() }),
  },
  /** Pixels brighter than their eight neighbours, the brightest first. */
  'image.peaks': {
    params: z.strictObject({ run: runIdSchema, count: z.number().int().min(1).max(1000) }),
    result: z.strictObject({ peaks: z.array(imagePeakSchema) }),
  },
  /** Throws `unsupported` for images of different sizes. */
  'image.error': {
    params: z.strictObject({ run: runIdSchema, reference: runIdSchema }),
    result: imageErrorSchema,
  },
} as const;

export const imageStreams = {
  /** The image as its rows are computed, reduced to the requested pixels. Ends with the run. */
  'image.live': {
    params: z.strictObject({ run: runIdSchema, view: imageViewSchema }),
    frame: imageFrameSchema,
    policy: 'latest',
  },
} as const;
