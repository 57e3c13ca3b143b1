/**
 * What a benchmark of a small measured workload says, and the file it is kept
 * in: plain JSON with every raw sample. Times in seconds, of one repetition.
 */
import { z } from 'zod';
import { benchReportSchema, claimResultSchema, modeSchema, ratioSchema, verdictSchema } from './bench.ts';

const seconds = z.number().nonnegative();
const count = z.number().int().nonnegative();

export const taskSampleSchema = z.strictObject({
  round: count,
  /** Place in the shuffled order of its round. */
  position: count,
  /** The times are means over them. */
  repetitions: count,
  /** By the clock that counts. */
  time_s: seconds,
  /** By the device's events; null on the CPU, and where cold repetitions are timed by the host. */
  device_s: seconds.nullable(),
  wall_s: seconds.nullable(),
  sm_MHz: z.number().nullable(),
  /** Why the sample is doubtful; null when it is not. */
  flag: z.string().nullable(),
});
export type TaskSampleRecord = Readonly<z.infer<typeof taskSampleSchema>>;

export const taskCheckSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  /** Null is not a number, which holds never. */
  value: z.number().nullable(),
  limit: z.number(),
  holds: z.boolean(),
});
export type TaskCheckRecord = Readonly<z.infer<typeof taskCheckSchema>>;

/** A further number with its unit: cycles of latency, registers, GB/s. */
export const quantitySchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  value: z.number().nullable(),
  unit: z.string(),
});
export type Quantity = Readonly<z.infer<typeof quantitySchema>>;

const head = {
  /** The variant's id, with `:1` where the second GPU was asked for. */
  label: z.string(),
  variant: z.string(),
  title: z.string(),
  builds_on: z.string().nullable(),
  device: z.enum(['cpu', 'cuda']),
  /** Of its arithmetic: fp32, tf32, bf16, fp64, int. */
  precision: z.string(),
  gpu: count.optional(),
};

export const refusedTaskSchema = z.strictObject({ ...head, status: z.literal('refused'), reason: z.string() });

export const measuredTaskSchema = z.strictObject({
  ...head,
  status: z.literal('measured'),
  isa: z.string(),
  /** From nothing to ready, once. */
  setup_s: seconds,
  setup_parts: z.array(z.strictObject({ name: z.string(), seconds })),
  estimate_bytes: z.number(),
  /** Which clock counts: the device's events, or the host's. */
  clock: z.enum(['device', 'wall']),
  /** Medians over the rounds. */
  time_s: seconds,
  device_s: seconds.nullable(),
  wall_s: seconds.nullable(),
  /** Median absolute deviation of the time over its median. */
  spread: z.number(),
  /** Time over the time of the first variant. */
  ratio: ratioSchema,
  ratio_unflagged: ratioSchema.nullable(),
  flagged: count,
  verdict: verdictSchema,
  /** Time over the time of the variant that it builds on, where that was measured too. */
  rung: ratioSchema.nullable(),
  /** Time over the time of the first of the variants that it stands on. */
  cumulative: ratioSchema.nullable(),
  /** Compulsory traffic and arithmetic over the time; null where meaningless. Shares are of the measured ceilings. */
  bytes_per_s: z.number().nullable(),
  flops_per_s: z.number().nullable(),
  share_of_copy: z.number().nullable(),
  share_of_flops: z.number().nullable(),
  /** Against an FP64 reference; one that does not hold makes it wrong. */
  checks: z.array(taskCheckSchema),
  compared: z.string(),
  determinism: z.strictObject({ runs: count, bitwise: z.boolean(), hash: z.string() }),
  quantities: z.array(quantitySchema),
  /** Cold and replayed, where they were asked for. */
  modes: z.array(
    z.strictObject({
      mode: modeSchema,
      /** Why there are no samples; null when there are. */
      reason: z.string().nullable(),
      time_s: seconds.nullable(),
      spread: z.number().nullable(),
      /** Time over the same variant's warm time. */
      ratio: ratioSchema.nullable(),
      samples: z.array(taskSampleSchema),
    }),
  ),
  /** Warm. */
  samples: z.array(taskSampleSchema),
});
export type MeasuredTask = Readonly<z.infer<typeof measuredTaskSchema>>;

export const taskEntrySchema = z.discriminatedUnion('status', [measuredTaskSchema, refusedTaskSchema]);
export type TaskEntry = Readonly<z.infer<typeof taskEntrySchema>>;

/** A published claim: beside pairs of variants as everywhere, and beside numbers that variants state of themselves. */
export const taskClaimResultSchema = z.strictObject({
  ...claimResultSchema.shape,
  values: z.array(
    z.strictObject({
      variant: z.string(),
      what: z.string(),
      /** Null when it was not measured. */
      value: z.number().nullable(),
      unit: z.string(),
      verdict: z.enum(['as claimed', 'less', 'more', 'not measured']),
    }),
  ),
});
export type TaskClaimResult = Readonly<z.infer<typeof taskClaimResultSchema>>;

const { scenario, machine, program, document, resources, reference, seed, rounds, stopped, elapsed_s, noise } =
  benchReportSchema.shape;

export const taskReportSchema = z.strictObject({
  /** The scenario's kind, and the benchmark of a kind that has several. */
  workload: z.string(),
  bench: z.string(),
  title: z.string(),
  ...{ scenario, machine, program, document, resources, reference, seed, rounds, stopped, elapsed_s, noise },
  entries: z.array(taskEntrySchema),
  claims: z.array(taskClaimResultSchema),
});
export type TaskReport = Readonly<z.infer<typeof taskReportSchema>>;

export const TASK_SESSION_FORMAT = 'braggbench-task-session';

/** Time against the swept value of one variant: fixed_s + slope_s × value; null for fewer than two values. */
export const taskFitSchema = z.strictObject({
  label: z.string(),
  points: z.array(z.strictObject({ value: z.number(), time_s: seconds, setup_s: seconds })),
  fixed_s: z.number().nullable(),
  slope_s: z.number().nullable(),
});
export type TaskFit = Readonly<z.infer<typeof taskFitSchema>>;

export const taskSessionSchema = z.strictObject({
  format: z.literal(TASK_SESSION_FORMAT),
  format_version: z.literal(1),
  /** ISO 8601. */
  created: z.string(),
  /** As it was typed, without the program. */
  command: z.string(),
  /** One report; of a sweep one per value, in its order. */
  reports: z.array(taskReportSchema).min(1),
  sweep: z.strictObject({ path: z.string(), values: z.array(z.number()), fits: z.array(taskFitSchema) }).nullable(),
});
export type TaskSession = Readonly<z.infer<typeof taskSessionSchema>>;
