/**
 * What a benchmark of a small measured workload says, and the file it is kept
 * in: plain JSON with every raw sample. Times in seconds, of one repetition.
 */
import { z } from 'zod';
import { recordingSchema } from '../../recording.ts';
import {
  count,
  entryShape,
  modeEntryOf,
  quantitySchema,
  reportShape,
  sampleShape,
  seconds,
  sessionOf,
  standingShape,
  timedPartSchema,
} from '../bench-session.ts';
import { taskClaimResultSchema } from '../claims.ts';
import { verdictNow } from './speed-verdict.ts';

const taskSampleSchema = z.strictObject({
  ...sampleShape,
  /** The times are means over them. */
  repetitions: count,
  /** By the clock that counts. */
  time_s: seconds,
  /** By the device's events; null on the CPU, and where cold repetitions are timed by the host. */
  device_s: seconds.nullable(),
  wall_s: seconds.nullable(),
});

const taskCheckSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  /** Null is not a number, which holds never. */
  value: z.number().nullable(),
  limit: z.number(),
  holds: z.boolean(),
});

const head = {
  /** The label is the variant's id, with `:1` where the second GPU was asked for. */
  ...entryShape,
  /** Precision of its arithmetic: fp32, tf32, bf16, fp64, int. */
  precision: z.string(),
};

const refusedTaskSchema = z.strictObject({ ...head, status: z.literal('refused'), reason: z.string() });

const measuredTaskSchema = z.strictObject({
  ...head,
  status: z.literal('measured'),
  isa: z.string(),
  /** From nothing to ready, once. */
  setup_s: seconds,
  setup_parts: z.array(timedPartSchema),
  estimate_bytes: z.number(),
  /** Which clock counts: the device's events, or the host's. */
  clock: z.enum(['device', 'wall']),
  /** Medians over the rounds. */
  time_s: seconds,
  device_s: seconds.nullable(),
  wall_s: seconds.nullable(),
  /** Median absolute deviation of the time over its median. */
  spread: z.number(),
  ...standingShape,
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
  modes: z.array(modeEntryOf(taskSampleSchema)),
  /** Warm. */
  samples: z.array(taskSampleSchema),
});
export type MeasuredTask = Readonly<z.infer<typeof measuredTaskSchema>>;

const taskEntrySchema = z.discriminatedUnion('status', [measuredTaskSchema, refusedTaskSchema]);
export type TaskEntry = Readonly<z.infer<typeof taskEntrySchema>>;

const taskReportSchema = z
  .strictObject({
    /** The scenario's kind, and the benchmark of a kind that has several. */
    workload: z.string(),
    bench: z.string(),
    title: z.string(),
    ...reportShape,
    entries: z.array(taskEntrySchema),
    claims: z.array(taskClaimResultSchema),
    /** A recording for each variant, on one clock; missing in older sessions, and where only results are looked at. */
    recordings: z.array(recordingSchema).optional(),
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
export type TaskReport = Readonly<z.infer<typeof taskReportSchema>>;

export const TASK_SESSION_FORMAT = 'braggbench-task-session';

/** Time against the swept value of one variant: fixed_s + slope_s × value; null for fewer than two values. */
const taskFitSchema = z.strictObject({
  label: z.string(),
  points: z.array(z.strictObject({ value: z.number(), time_s: seconds, setup_s: seconds })),
  fixed_s: z.number().nullable(),
  slope_s: z.number().nullable(),
});

export const taskSessionSchema = sessionOf(TASK_SESSION_FORMAT, taskReportSchema, taskFitSchema);
export type TaskSession = Readonly<z.infer<typeof taskSessionSchema>>;
