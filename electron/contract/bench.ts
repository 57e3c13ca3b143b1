/** What a benchmark says, and the file it is kept in: plain JSON with every raw sample. Times in seconds. */
import { z } from 'zod';
import { ceilingsSchema } from './devices.ts';
import { precisionSchema } from './run.ts';

/** What ptxas reports of a kernel on one architecture. */
export const kernelResourceSchema = z.strictObject({
  name: z.string(),
  /** Such as `sm_90`. */
  architecture: z.string(),
  registers: z.number().int().nonnegative(),
  shared_bytes: z.number().int().nonnegative(),
  constant_bytes: z.number().int().nonnegative(),
  stack_bytes: z.number().int().nonnegative(),
  spill_store_bytes: z.number().int().nonnegative(),
  spill_load_bytes: z.number().int().nonnegative(),
  barriers: z.number().int().nonnegative(),
  /** Most threads of a block, by its launch bounds; null without any, absent where it was not recorded. */
  max_threads: z.number().int().positive().nullable().optional(),
});
export type KernelResource = Readonly<z.infer<typeof kernelResourceSchema>>;

export const kernelResourcesSchema = z.strictObject({
  /** CUDA compiler's version; null where it did not say. */
  compiler: z.string().nullable(),
  kernels: z.array(kernelResourceSchema),
});
export type KernelResources = Readonly<z.infer<typeof kernelResourcesSchema>>;

const seconds = z.number().nonnegative();
const count = z.number().int().nonnegative();

export const intervalSchema = z.strictObject({ low: z.number(), high: z.number() });
export type Interval = Readonly<z.infer<typeof intervalSchema>>;

/** A ratio of medians with its 95 % bootstrap interval; null for too few rounds. */
export const ratioSchema = z.strictObject({ value: z.number(), interval: intervalSchema.nullable() });
export type Ratio = Readonly<z.infer<typeof ratioSchema>>;

/**
 * `warm`: steps follow set-up at once. `cold`: the caches (a GPU's L2) are emptied just before, outside the time.
 * `graph`: what a batch of steps launches is captured and replayed as one graph.
 */
export const modeSchema = z.enum(['warm', 'cold', 'graph']);
export type Mode = z.infer<typeof modeSchema>;
export const modes = modeSchema.options;

export const timingSchema = z.strictObject({
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

export const sampleSchema = z.strictObject({
  ...timingSchema.shape,
  round: count,
  /** Place in the shuffled order of its round. */
  position: count,
  /** Multiprocessor clock after the steps; null on the CPU and without NVML. */
  sm_MHz: z.number().nullable(),
  /** Why the sample is doubtful (a throttle reason, a clock drop); null when it is not. Kept all the same. */
  flag: z.string().nullable(),
});
export type Sample = Readonly<z.infer<typeof sampleSchema>>;

export const verdictSchema = z.enum(['faster', 'slower', 'same', 'undecided', 'reference', 'wrong']);

/** Declared bytes and FLOPs over the time, against the measured ceilings; shares are null where there are none. */
export const rooflineSchema = z.strictObject({
  bytes_per_s: z.number(),
  flops_per_s: z.number(),
  flops_per_byte: z.number(),
  share_of_copy: z.number().nullable(),
  share_of_flops: z.number().nullable(),
});
export type Roofline = Readonly<z.infer<typeof rooflineSchema>>;

export const modeEntrySchema = z.strictObject({
  mode: modeSchema,
  /** Why there are no samples; null when there are. */
  reason: z.string().nullable(),
  time_s: seconds.nullable(),
  spread: z.number().nullable(),
  /** Time over the same variant's warm time. */
  ratio: ratioSchema.nullable(),
  samples: z.array(sampleSchema),
});
export type ModeEntry = Readonly<z.infer<typeof modeEntrySchema>>;

export const setupPartSchema = z.strictObject({ name: z.string(), first_s: seconds, warm_s: seconds });

const head = {
  /** The variant's id, with @fp64 where that precision was asked for. */
  label: z.string(),
  variant: z.string(),
  title: z.string(),
  builds_on: z.string().nullable(),
  device: z.enum(['cpu', 'cuda']),
  stepping: z.enum(['path', 'depth']),
  precision: precisionSchema,
  /** What differs from the scenario because the variant offers nothing else. */
  note: z.string().nullable(),
  /** Which GPU, as the driver counts, where one was asked for. */
  gpu: count.optional(),
};

/** A variant that could not run: the reason stands where its numbers would. */
export const refusedEntrySchema = z.strictObject({ ...head, status: z.literal('refused'), reason: z.string() });
export type RefusedEntry = Readonly<z.infer<typeof refusedEntrySchema>>;

export const measuredEntrySchema = z.strictObject({
  ...head,
  status: z.literal('measured'),
  threads: count,
  isa: z.string(),
  /** The first run in this process, before the rounds: opening the device and loading kernels included. */
  first: timingSchema,
  /** What set-up went into, in the first run and in the rounds' median. */
  setup_parts: z.array(setupPartSchema),
  /** Medians over the rounds. */
  setup_s: seconds,
  solve_s: seconds,
  device_s: seconds.nullable(),
  wall_s: seconds,
  /** The median that ratios are made of: device_s on a GPU, else solve_s. */
  time_s: seconds,
  /** Median absolute deviation of the time over its median. */
  solve_spread: z.number(),
  steps: count,
  cells: z.number(),
  cell_steps: z.number(),
  cell_steps_per_s: z.number(),
  peak_state_bytes: z.number(),
  /** Time over the time of the first variant. */
  ratio: ratioSchema,
  /** The same without the flagged samples; null when none is flagged. */
  ratio_unflagged: ratioSchema.nullable(),
  flagged: count,
  verdict: verdictSchema,
  /** Time over the time of the variant that it builds on, where that was measured too. */
  rung: ratioSchema.nullable(),
  /** Time over the time of the first of the variants that it stands on. */
  cumulative: ratioSchema.nullable(),
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

export const benchEntrySchema = z.discriminatedUnion('status', [measuredEntrySchema, refusedEntrySchema]);
export type BenchEntry = Readonly<z.infer<typeof benchEntrySchema>>;

/** A program outside Braggbench; assets/external/README.md is its protocol. */
export const externalEntrySchema = z.strictObject({
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

/** A published claim beside what was measured for the pairs of variants that isolate it. */
export const claimResultSchema = z.strictObject({
  id: z.string(),
  claim: z.string(),
  from: z.number(),
  to: z.number(),
  source: z.string(),
  /** Why no pair isolates it; null when one does. */
  reason: z.string().nullable(),
  pairs: z.array(
    z.strictObject({
      slower: z.string(),
      faster: z.string(),
      what: z.string(),
      /** How many times faster; null when the pair was not measured. */
      gain: ratioSchema.nullable(),
      verdict: z.enum(['as claimed', 'less', 'more', 'not measured']),
    }),
  ),
});
export type ClaimResult = Readonly<z.infer<typeof claimResultSchema>>;

export const benchReportSchema = z.strictObject({
  scenario: z.string(),
  machine: z.strictObject({
    cpu: z.string(),
    logical_cores: count,
    isa: z.string(),
    os: z.string(),
    gpu: z
      .strictObject({
        name: z.string(),
        uuid: z.string(),
        driver: z.string().nullable(),
        ceilings: ceilingsSchema.nullable(),
      })
      .nullable(),
  }),
  program: z.strictObject({
    version: z.string(),
    build: z.string(),
    compiler: z.string(),
    /** Of the checkout; absent where it was not recorded. */
    commit: z.string().optional(),
  }),
  /** What was solved, as the user wrote it; absent in older sessions. */
  document: z.record(z.string(), z.unknown()).optional(),
  /** Of the CUDA kernels on this GPU's architecture; absent where they were not compiled beforehand. */
  resources: kernelResourcesSchema.optional(),
  /** The label that ratios are against: the first that could run. */
  reference: z.string().nullable(),
  seed: z.number(),
  rounds: count,
  stopped: z.enum(['narrow', 'settled', 'time', 'rounds', 'cancelled', 'refused']),
  elapsed_s: seconds,
  /** The first variant against itself in the same rounds. */
  noise: z.strictObject({ ratio: ratioSchema.nullable(), floor: z.number().nullable() }),
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
});
export type BenchReport = Readonly<z.infer<typeof benchReportSchema>>;

/** Time against cells of one variant over a sweep: fixed_s + slope_s_per_cell × cells. */
export const sweepFitSchema = z.strictObject({
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
export type SweepFit = Readonly<z.infer<typeof sweepFitSchema>>;

export const SESSION_FORMAT = 'braggbench-session';
export const benchSessionSchema = z.strictObject({
  format: z.literal(SESSION_FORMAT),
  format_version: z.literal(1),
  /** ISO 8601. */
  created: z.string(),
  /** As it was typed, without the program. */
  command: z.string(),
  /** One report; of a sweep one per value, in its order. */
  reports: z.array(benchReportSchema).min(1),
  sweep: z.strictObject({ path: z.string(), values: z.array(z.number()), fits: z.array(sweepFitSchema) }).nullable(),
});
export type BenchSession = Readonly<z.infer<typeof benchSessionSchema>>;
