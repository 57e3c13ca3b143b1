/** What a benchmark of diffraction images says, and the file it is kept in: plain JSON with every raw sample. Seconds. */
import { z } from 'zod';
import { imageErrorSchema } from '../../image.ts';
import {
  count,
  modeSchema,
  namedGpusSchema,
  ratioSchema,
  reportShape,
  seconds,
  sessionGpuSchema,
  sessionOf,
  stoppedSchema,
  timedPartSchema,
  verdictSchema,
} from '../bench-session.ts';
import { taskClaimResultSchema } from '../claims.ts';
import { verdictOf } from './speed-verdict.ts';

/** How near the arithmetic and the traffic that a variant declares come to what the device does at best. */
const imageRooflineSchema = z.strictObject({
  fp32_per_s: z.number(),
  fp64_per_s: z.number(),
  bytes_per_s: z.number(),
  /** The ceiling that allows least, and the share of it that was reached; null without measured ceilings. */
  bound: z.enum(['fp32', 'fp64', 'memory']).nullable(),
  share: z.number().nullable(),
});

const imageBenchEntrySchema = z.strictObject({
  /** How the session calls the variant: its id, with `:1` where the second GPU was asked for. Absent in older sessions: the id. */
  label: z.string().optional(),
  variant: z.string(),
  device: z.enum(['cpu', 'cuda']),
  /** Which GPU, as the driver counts, where one was asked for. */
  gpu: count.optional(),
  mode: modeSchema,
  /** Why it could not run; null when it did, and the rest is there. */
  refused: z.string().nullable(),
  /** Against the FP64 reference. */
  error: imageErrorSchema.omit({ mean: true, correlation: true }).nullable(),
  /** Within parity on bright pixels. */
  correct: z.boolean().nullable(),
  threads: count,
  /** Whether every round gave the same bits; absent in older sessions. */
  determinism: z.strictObject({ runs: count, bitwise: z.boolean(), spread: z.number() }).optional(),
  /** One a round: an image by the GPU's events, or rendered on the CPU. */
  samples_s: z.array(seconds),
  /** One a round: from the first launch until the image is in the host's memory. */
  image_samples_s: z.array(seconds),
  /** One a round: set-up and image, with all that this process already has. */
  wall_samples_s: z.array(seconds),
  /** One a round: the multiprocessor clock after it, and why the sample is doubtful; absent in older sessions. */
  clocks: z.array(z.strictObject({ sm_MHz: z.number().nullable(), flag: z.string().nullable() })).optional(),
  /** How many of them are, and the ratio without those; null where none is. */
  flagged: count.optional(),
  ratio_unflagged: ratioSchema.nullable().optional(),
  median_s: seconds.nullable(),
  image_s: seconds.nullable(),
  wall_s: seconds.nullable(),
  /** Medians of the set-up: of the rounds. */
  setup_s: seconds.nullable(),
  /** Time of the first run in this process. */
  first_s: seconds.nullable(),
  first_setup: z.array(timedPartSchema),
  ns_per_term: z.number().nullable(),
  roofline: imageRooflineSchema.nullable(),
  /** Time over that of the first variant in its first mode. */
  ratio: ratioSchema.nullable(),
  instances_to_decide: count.nullable().optional(),
  verdict: verdictSchema.extract(['faster', 'slower', 'same', 'undecided']).nullable(),
});
export type ImageBenchEntry = Readonly<z.infer<typeof imageBenchEntrySchema>>;

const imageBenchReportSchema = z
  .strictObject({
    workload: z.literal('diffraction'),
    scenario: z.string(),
    machine: z.strictObject({
      cpu: z.string(),
      logicalCores: count,
      isa: z.string(),
      os: z.string(),
      gpu: sessionGpuSchema.nullable(),
      gpus: namedGpusSchema,
    }),
    build: z.string(),
    /** The program in full, what was drawn as the user wrote it, and the kernels' resources; absent in older sessions. */
    program: reportShape.program.optional(),
    document: reportShape.document,
    resources: reportShape.resources,
    width: count,
    height: count,
    terms: z.number(),
    reference: z.string().nullable(),
    seed: count,
    rounds: count,
    stopped: stoppedSchema,
    judged: reportShape.judged,
    environment: reportShape.environment,
    /** How far the first variant strays from itself. */
    noise_floor: z.number().nullable(),
    /** The same of whole runs; absent in older sessions. */
    whole_noise_floor: z.number().nullable().optional(),
    entries: z.array(imageBenchEntrySchema),
    /** Absent in older sessions. */
    claims: z.array(taskClaimResultSchema).optional(),
    elapsed_s: seconds,
  })
  // A session without instances is told by the rule that is kept for them, whatever the program that measured said.
  .transform((report) => ({
    ...report,
    entries: report.entries.map((entry) =>
      report.judged !== undefined || entry.verdict === null || entry.ratio === null
        ? entry
        : { ...entry, verdict: verdictOf(entry.ratio.interval, report.noise_floor) },
    ),
  }));
export type ImageBenchReport = Readonly<z.infer<typeof imageBenchReportSchema>>;

/** time = fixed + slope × pixels. */
const imageLineSchema = z.strictObject({ fixed_s: z.number(), slope_s_per_pixel: z.number() });

const imageFitSchema = z.strictObject({
  variant: z.string(),
  mode: modeSchema,
  points: z.array(
    z.strictObject({
      value: z.number(),
      pixels: count,
      kernel_s: seconds,
      image_s: seconds,
      wall_s: seconds,
      setup_share: z.number(),
    }),
  ),
  /** Lines through the times of one image, and of everything; null for fewer than two sizes. */
  kernel: imageLineSchema.nullable(),
  wall: imageLineSchema.nullable(),
});

export const IMAGE_SESSION_FORMAT = 'braggbench-image-session';

export const imageSessionSchema = z.strictObject({
  ...sessionOf(IMAGE_SESSION_FORMAT, imageBenchReportSchema, imageFitSchema).shape,
  commit: z.string().nullable(),
});
export type ImageSession = Readonly<z.infer<typeof imageSessionSchema>>;
