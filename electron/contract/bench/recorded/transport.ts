/** What a benchmark of proton transport says, and the file it is kept in. Times in seconds. */
import { z } from 'zod';
import { precisionSchema } from '../../run.ts';
import {
  count,
  entryShape,
  modeEntryOf,
  ratioSchema,
  reportShape,
  sampleShape,
  seconds,
  sessionOf,
  standingShape,
  wholeSchema,
} from '../bench-session.ts';
import { claimResultSchema } from '../claims.ts';
import { verdictNow } from './speed-verdict.ts';

const timingSchema = z.strictObject({
  /** Tables, device, kernels, upload, start state. */
  setup_s: seconds,
  /** The steps, by the host's clock. */
  solve_s: seconds,
  /** The steps, by the device's clock; null on the CPU. */
  device_s: seconds.nullable(),
  /** Everything, from the problem to the result in this process. */
  wall_s: seconds,
});
export type Timing = Readonly<z.infer<typeof timingSchema>>;

const sampleSchema = z.strictObject({ ...timingSchema.shape, ...sampleShape });
export type Sample = Readonly<z.infer<typeof sampleSchema>>;

/** Declared bytes and FLOPs over the time, against the measured ceilings; shares are null where there are none. */
const rooflineSchema = z.strictObject({
  bytes_per_s: z.number(),
  flops_per_s: z.number(),
  flops_per_byte: z.number(),
  share_of_copy: z.number().nullable(),
  share_of_flops: z.number().nullable(),
});
export type Roofline = Readonly<z.infer<typeof rooflineSchema>>;

const modeEntrySchema = modeEntryOf(sampleSchema);

const setupPartSchema = z.strictObject({ name: z.string(), first_s: seconds, warm_s: seconds });

const head = {
  /** The label is the variant's id, with @fp64 where that precision was asked for. */
  ...entryShape,
  stepping: z.enum(['path', 'depth']),
  precision: precisionSchema,
  /** What differs from the scenario because the variant offers nothing else. */
  note: z.string().nullable(),
};

/** A variant that could not run: the reason stands where its numbers would. */
const refusedEntrySchema = z.strictObject({ ...head, status: z.literal('refused'), reason: z.string() });

const measuredEntrySchema = z.strictObject({
  ...head,
  status: z.literal('measured'),
  threads: count,
  isa: z.string(),
  /** The first run in this process, before the rounds: opening the device and loading kernels included. */
  first: timingSchema,
  /** Following what comes out of nuclear reactions, beside the steps of `first`; where they are followed. */
  products_s: seconds.optional(),
  /** What set-up went into, in the first run and in the rounds' median. */
  setup_parts: z.array(setupPartSchema),
  /** Medians over the rounds. */
  setup_s: seconds,
  solve_s: seconds,
  device_s: seconds.nullable(),
  wall_s: seconds,
  whole: wholeSchema.optional(),
  /** The median that ratios are made of: device_s on a GPU, else solve_s. */
  time_s: seconds,
  /** Median absolute deviation of the time over its median. */
  solve_spread: z.number(),
  steps: count,
  cells: z.number(),
  cell_steps: z.number(),
  cell_steps_per_s: z.number(),
  peak_state_bytes: z.number(),
  ...standingShape,
  roofline: rooflineSchema,
  /** Relative L2 difference of the dose from the FP64 reference; null where there is none. */
  rel_l2: z.number().nullable(),
  rel_l2_limit: z.number(),
  /** Larger of the ledgers' relative errors. */
  ledger_error: z.number(),
  determinism: z.strictObject({ runs: count, bitwise: z.boolean(), spread: z.number(), hash: z.string() }),
  /** Cold and replayed, where they were asked for. */
  modes: z.array(modeEntrySchema),
  /** Warm. */
  samples: z.array(sampleSchema),
});
export type MeasuredEntry = Readonly<z.infer<typeof measuredEntrySchema>>;

const benchEntrySchema = z.discriminatedUnion('status', [measuredEntrySchema, refusedEntrySchema]);
export type BenchEntry = Readonly<z.infer<typeof benchEntrySchema>>;

/** A program outside Braggbench; assets/external/README.md is its protocol. */
const externalEntrySchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  language: z.string(),
  /** Why there are no numbers; null when there are. */
  reason: z.string().nullable(),
  result: z
    .strictObject({
      device: z.string(),
      precision: precisionSchema,
      versions: z.record(z.string(), z.string()),
      /** Medians of its timed runs. */
      time_s: seconds,
      wall_s: seconds,
      spread: z.number(),
      setup_s: seconds,
      /** Its time over the time of the first variant, and over that of the fastest right variant of the session. */
      ratio: ratioSchema,
      over_fastest: z.strictObject({ variant: z.string(), ratio: ratioSchema }).nullable(),
      steps: count,
      cell_steps: z.number(),
      rel_l2: z.number().nullable(),
      rel_l2_limit: z.number(),
      wrong: z.boolean(),
      ledger_error: z.number(),
      samples: z.array(z.strictObject({ device_s: seconds.nullable(), wall_s: seconds })),
    })
    .nullable(),
});
export type ExternalEntry = Readonly<z.infer<typeof externalEntrySchema>>;

const benchReportSchema = z
  .strictObject({
    ...reportShape,
    /** What doses were compared with, per stepping; the reason where there was nothing. */
    oracles: z.array(
      z.strictObject({
        stepping: z.enum(['path', 'depth']),
        variant: z.string().nullable(),
        reason: z.string().nullable(),
      }),
    ),
    entries: z.array(benchEntrySchema),
    external: z.array(externalEntrySchema),
    claims: z.array(claimResultSchema),
  })
  // A session without instances is told by the rule kept for them, whatever the program that measured said.
  .transform((report) => ({
    ...report,
    entries: report.entries.map((entry) =>
      entry.status === 'measured' && report.judged === undefined
        ? { ...entry, verdict: verdictNow(entry.verdict, entry.ratio, report.noise.floor) }
        : entry,
    ),
  }));
export type BenchReport = Readonly<z.infer<typeof benchReportSchema>>;

/** Time against cells of one variant over a sweep: fixed_s + slope_s_per_cell × cells. */
const sweepFitSchema = z.strictObject({
  label: z.string(),
  points: z.array(
    z.strictObject({
      value: z.number(),
      cells: z.number(),
      time_s: seconds,
      setup_s: seconds,
      /** Set-up over set-up and steps. */
      setup_share: z.number(),
      cell_steps_per_s: z.number(),
    }),
  ),
  /** Null for fewer than two sizes. */
  fixed_s: z.number().nullable(),
  slope_s_per_cell: z.number().nullable(),
});

export const benchSessionSchema = sessionOf('braggbench-session', benchReportSchema, sweepFitSchema);
export type BenchSession = Readonly<z.infer<typeof benchSessionSchema>>;
