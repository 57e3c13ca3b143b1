/**
 * Benchmark session of any workload, with every raw sample; also the format of session files. Comparisons, ladders and
 * reports are computed from it. Times are in seconds.
 */
import { z } from 'zod';
import { kernelResourcesSchema } from '../launches.ts';
import { recordingSchema } from '../recording.ts';
import { taskKinds } from '../scenario/kinds.ts';
import { workloadSchema } from '../workload.ts';
import {
  count,
  endToEndSchema,
  isUnproven,
  modeSchema,
  processSchema,
  quantitySchema,
  ratioSchema,
  reportShape,
  seconds,
  verdictSchema,
} from './bench-session.ts';
import { taskClaimResultSchema } from './claims.ts';
import { factorialSchema } from './factorial.ts';

/** One check or error measure of an answer, shown as a column. */
export const accuracySchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  /** Explanation of the title, shown as a tooltip. */
  tip: z.string(),
  unit: z.string(),
  /** Null if the value is not finite. Also null, with `holds` true, if there is nothing to compare with. */
  value: z.number().nullable(),
  /** Largest allowed value; null if the value is reported but not checked. */
  bound: z.number().nullable(),
  /** Whether the check passed; if false, the answer is wrong. */
  holds: z.boolean(),
});
export type Accuracy = Readonly<z.infer<typeof accuracySchema>>;

/** Terms by which a workload calls the common fields of sessions. */
export const sessionTermsSchema = z.strictObject({
  /** Title of the measured time, such as `Steps`. */
  time: z.string(),
  timeTip: z.string(),
  /** Unit of problem sizes, such as `cells`. */
  size: z.string(),
  /** Title of the rate in sweeps, such as `Cell-steps`; null if the workload has none. */
  rate: z.string().nullable(),
});
export type SessionTerms = Readonly<z.infer<typeof sessionTermsSchema>>;

/** One raw sample. Its times are averaged over `repetitions`. */
export const sampleSchema = z.strictObject({
  round: count,
  /** Index of the instance, a separately prepared state; absent if the session has no instances. */
  instance: count.optional(),
  /** Position in its round, whose order is shuffled. */
  position: count.optional(),
  repetitions: count.optional(),
  /** Time of one repetition, by the clock that the benchmark uses. */
  time_s: seconds,
  /**
   * Time of one repetition by the device's clock, and by the host's clock; null if it was not measured with that clock.
   */
  device_s: seconds.nullable().optional(),
  host_s: seconds.nullable().optional(),
  /** Set-up time, if the state was prepared for this sample; null if it existed already. */
  setup_s: seconds.nullable().optional(),
  /** End-to-end time; absent if it was not recorded. */
  wall_s: seconds.optional(),
  /** Quantities by id that the variant reported for this sample; only those that differ between samples. */
  told: z.record(z.string(), z.number()).optional(),
  /** Multiprocessor clock; null on the CPU or if not recorded. */
  sm_MHz: z.number().nullable(),
  /** Reason why the sample is doubtful, such as a throttled clock; null if it is not. */
  flag: z.string().nullable(),
});
export type TimedSample = Readonly<z.infer<typeof sampleSchema>>;

/**
 * Column of a table of samples: one value for all samples, or a list of one value per sample. Null marks a sample
 * without the value.
 */
const columnSchema = <T extends z.ZodType>(value: T) => z.union([value.nullable(), z.array(value.nullable())]);

/** Samples in columns, as files contain them. Rows would need three times as many bytes. */
const sampleColumnsSchema = z.strictObject({
  round: z.array(count),
  instance: columnSchema(count).optional(),
  position: columnSchema(count).optional(),
  repetitions: columnSchema(count).optional(),
  /**
   * Absent if equal to the time by the device's clock, or to that by the host's clock in samples without a device time.
   */
  time_s: columnSchema(seconds).optional(),
  device_s: columnSchema(seconds).optional(),
  host_s: columnSchema(seconds).optional(),
  setup_s: columnSchema(seconds).optional(),
  wall_s: columnSchema(seconds).optional(),
  told: z.record(z.string(), z.array(z.number().nullable())).optional(),
  sm_MHz: columnSchema(z.number()),
  flag: columnSchema(z.string()),
});
export type SampleColumns = Readonly<z.infer<typeof sampleColumnsSchema>>;

/** Sample fields whose missing value is null; other missing fields are absent. */
const NULLABLE_FIELDS: readonly string[] = ['device_s', 'host_s', 'setup_s', 'sm_MHz', 'flag'];

function rowsFromColumns({ told = {}, time_s, ...plain }: SampleColumns, context: z.RefinementCtx): unknown {
  const { round } = plain;
  const columns = [...Object.values(plain), time_s, ...Object.values(told)].filter((one) => Array.isArray(one));
  if (columns.some(({ length }) => length !== round.length)) {
    context.addIssue({ code: 'custom', message: 'the columns have different lengths' });
    return z.NEVER;
  }
  return round.map((_, i) => {
    const at = (column: unknown): unknown => (Array.isArray(column) ? column[i] : column);
    const fields = Object.entries(plain).map(([name, column]): [string, unknown] => [name, at(column)]);
    const known = fields.filter(([name, value]) => value !== null || NULLABLE_FIELDS.includes(name));
    const quantities = Object.entries(told).filter(([, column]) => column[i] !== null);
    return {
      ...Object.fromEntries(known),
      time_s: at(time_s) ?? at(plain.device_s) ?? at(plain.host_s),
      ...(quantities.length === 0
        ? {}
        : { told: Object.fromEntries(quantities.map(([id, column]) => [id, at(column)])) }),
    };
  });
}

/** Samples are rows between host and page, and columns in files. Parsing returns rows. */
const samplesSchema = z.union([
  z.array(sampleSchema),
  sampleColumnsSchema.transform(rowsFromColumns).pipe(z.array(sampleSchema)),
]);

/** Part of the set-up with its time in the first run and in warm runs. Null if it was not timed separately. */
export const setupPartSchema = z.strictObject({
  name: z.string(),
  first_s: seconds.nullable(),
  warm_s: seconds.nullable(),
});

/** Rates computed from the bytes and operations that the variant declares; null if it declares none. */
export const rooflineSchema = z.strictObject({
  bytes_per_s: z.number().nullable(),
  flops_per_s: z.number().nullable(),
  flops_per_byte: z.number().nullable(),
  share_of_copy: z.number().nullable(),
  share_of_flops: z.number().nullable(),
});

/** Whether repeated runs gave the same answer. */
export const determinismSchema = z.strictObject({
  runs: count,
  bitwise: z.boolean(),
  /** Largest difference between answers, divided by the largest value; null if only bits were compared. */
  spread: z.number().nullable(),
  /** Hash of the bits of the first answer. */
  hash: z.string().optional(),
});

/** Result of a mode other than `warm`. */
export const modeResultSchema = z.strictObject({
  mode: modeSchema,
  /** Reason why there is no time; null if there is one. */
  reason: z.string().nullable(),
  time_s: seconds.nullable(),
  /** Ratio to the same variant's warm time. */
  ratio: ratioSchema.nullable(),
  samples: samplesSchema.optional(),
});

const entryHeadShape = {
  /** Variant id, followed by precision and GPU if they were selected. */
  label: z.string(),
  variant: z.string(),
  title: z.string(),
  builds_on: z.string().nullable(),
  device: z.enum(['cpu', 'cuda']),
  /** Precision of the arithmetic, such as fp32. */
  precision: z.string(),
  note: z.string().nullable(),
  gpu: count.nullable(),
};

const sessionEntrySchema = z.discriminatedUnion('status', [
  z.strictObject({
    ...entryHeadShape,
    status: z.literal('measured'),
    /** Null if not recorded. */
    threads: count.nullable(),
    isa: z.string().optional(),
    /** Memory of the variant's state, bytes. */
    state_bytes: z.number().optional(),
    /** First run in the process, before the rounds. Includes opening the device and loading the kernels. */
    first: z.strictObject({ time_s: seconds, wall_s: seconds.nullable() }).optional(),
    /** Set-up time of the first run; null if it was not recorded separately. */
    first_setup_s: seconds.nullable(),
    setup_s: seconds,
    setup_parts: z.array(setupPartSchema),
    /** Median time of the samples, on which ratios are based. */
    time_s: seconds,
    wall_s: seconds.nullable(),
    spread: z.number(),
    /** Ratio to the time of the first variant. */
    ratio: ratioSchema,
    /** Ratio computed without flagged samples; null if no sample is flagged. */
    ratio_unflagged: ratioSchema.nullable().optional(),
    /**
     * Estimated number of instances per variant that would make the verdict certain. Null if it is certain already, or
     * if no number would suffice.
     */
    instances_to_decide: count.nullable().optional(),
    /** End-to-end comparison as judged by the session; absent if it did not judge end-to-end times. */
    whole: endToEndSchema.optional(),
    /** Comparison with a separate process per run; absent if no process was started. */
    process: z.strictObject({ ...processSchema.shape, samples: samplesSchema }).optional(),
    /** Number of flagged samples; null if clocks were not recorded. */
    flagged: count.nullable(),
    verdict: verdictSchema,
    /**
     * Ratios of the time to that of the variant it builds on, and to that of the first variant of its ladder. In a
     * ladder, each variant adds one optimisation. Absent if not measured.
     */
    rung: ratioSchema.nullable(),
    cumulative: ratioSchema.nullable(),
    roofline: rooflineSchema.nullable(),
    accuracy: z.array(accuracySchema),
    determinism: determinismSchema.nullable(),
    quantities: z.array(quantitySchema),
    /** Problem size, in the unit given by `words`; null if the workload has no size. */
    size: z.number().nullable(),
    modes: z.array(modeResultSchema),
    /** Warm samples, in the order of the rounds. */
    samples: samplesSchema,
  }),
  z.strictObject({ ...entryHeadShape, status: z.literal('refused'), reason: z.string() }),
]);
export type SessionEntry = Readonly<z.infer<typeof sessionEntrySchema>>;
export type MeasuredSessionEntry = Extract<SessionEntry, { status: 'measured' }>;

/** External program, timed after the rounds. */
const sessionExternalSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  language: z.string().optional(),
  reason: z.string().nullable(),
  result: z
    .strictObject({
      device: z.string(),
      precision: z.string(),
      /** Versions of the language and libraries by name, as the program reports them. */
      versions: z.record(z.string(), z.string()).optional(),
      time_s: seconds,
      wall_s: seconds,
      setup_s: seconds,
      spread: z.number(),
      size: z.number().nullable(),
      wrong: z.boolean(),
      accuracy: z.array(accuracySchema),
      quantities: z.array(quantitySchema),
      times: z.array(seconds),
    })
    .nullable(),
});
export type SessionExternal = Readonly<z.infer<typeof sessionExternalSchema>>;

const { scenario, machine, document, reference, seed, rounds, stopped, judged, environment, elapsed_s } = reportShape;

/**
 * Seconds spent on audits (checks of random repetitions), on additional problems solved before the rounds, and on all
 * candidate calls including both.
 */
const auditCostSchema = z.strictObject({ audits_s: z.number(), others_s: z.number(), all_s: z.number() });
export type AuditCost = Readonly<z.infer<typeof auditCostSchema>>;

export const sessionReportSchema = z.strictObject({
  /** Name of the benchmark if the workload has several; otherwise empty. */
  bench: z.string(),
  /** Title of the measured operation. */
  title: z.string().optional(),
  ...{ scenario, machine, document, reference, seed, rounds, stopped, judged, environment, elapsed_s },
  noise: reportShape.noise.extend({
    /** Noise floor of times in separate processes; absent if no process was started. */
    process_floor: z.number().nullable().optional(),
  }),
  program: z.strictObject({
    /** Program version. Null if not recorded, as are `compiler` and `commit`. */
    version: z.string().nullable(),
    build: z.string(),
    compiler: z.string().nullable(),
    commit: z.string().nullable(),
  }),
  resources: kernelResourcesSchema.optional(),
  /** Cost of the audits of all candidates together; absent if nothing was audited. */
  audits: auditCostSchema.optional(),
  /** Further facts about the session, as pairs of name and value. */
  facts: z.array(z.tuple([z.string(), z.string()])),
  entries: z.array(sessionEntrySchema),
  /** Samples of the A/A control: the reference measured a second time in every round, prepared like a candidate. */
  control: samplesSchema.optional(),
  /** Samples of the A/A control in separate processes. */
  process_control: samplesSchema.optional(),
  external: z.array(sessionExternalSchema),
  /** Verdicts on claims. They are computed from the samples and not stored in files. */
  claims: z.array(taskClaimResultSchema).default([]),
  /** Factorial experiments. They are computed from the samples and not stored in files. */
  factorials: z.array(factorialSchema).optional(),
  /** Timeline recordings of the variants, on one clock; absent unless requested. */
  recordings: z.array(recordingSchema).optional(),
});
export type SessionReport = Readonly<z.infer<typeof sessionReportSchema>>;

const sessionFitSchema = z.strictObject({
  label: z.string(),
  points: z.array(
    z.strictObject({
      value: z.number(),
      /** Problem size, in the unit given by `words`. */
      size: z.number(),
      time_s: seconds,
      setup_s: seconds,
      /** Fraction of set-up time in the sum of set-up time and time. */
      setup_share: z.number(),
      /** Rate per second; null if `words.rate` is null. */
      rate: z.number().nullable(),
    }),
  ),
  /** Coefficients of time = fixed + slope × size; null for fewer than two sizes. */
  fixed_s: z.number().nullable(),
  slope_s: z.number().nullable(),
});
export type SessionFit = Readonly<z.infer<typeof sessionFitSchema>>;

/** Largest relative distance of a point from the fitted line. Beyond it, the line does not describe the times. */
const MAX_FIT_MISS = 0.25;

/**
 * Fitted line: `fixed_s` in s, `slope_s` in s per unit of size. Null if the fit is bad or a coefficient is negative.
 */
export function fittedLine({ points, fixed_s, slope_s }: SessionFit): {
  readonly fixed_s: number;
  readonly slope_s: number;
} | null {
  if (fixed_s === null || slope_s === null || fixed_s < 0 || slope_s < 0) return null;
  const misses = points.map(({ size, time_s }) => Math.abs(fixed_s + slope_s * size - time_s) / time_s);
  return misses.every((miss) => miss <= MAX_FIT_MISS) ? { fixed_s, slope_s } : null;
}

export const SESSION_FORMAT = 'braggbench-session';

export const sessionSchema = z.strictObject({
  format: z.literal(SESSION_FORMAT),
  format_version: z.literal(3),
  workload: workloadSchema,
  words: sessionTermsSchema,
  /** Time of creation, ISO 8601. */
  created: z.string(),
  /** Command line without the program's name, as the user typed it. */
  command: z.string(),
  reports: z.array(sessionReportSchema).min(1),
  sweep: z.strictObject({ path: z.string(), values: z.array(z.number()), fits: z.array(sessionFitSchema) }).nullable(),
});
export type Session = Readonly<z.infer<typeof sessionSchema>>;

/** Matches the beginning of a session file, whose first keys are format, version and workload. */
const SESSION_FILE_START =
  /^\s*\{\s*"format"\s*:\s*"([^"]+)"\s*,\s*"format_version"\s*:\s*\d+\s*,\s*"workload"\s*:\s*"([\w-]+)"/;

/**
 * Recognizes a session file from its first 200 characters; null for any other file. `isTask`: the workload is a small
 * measured task, whose sessions are listed as runs.
 */
export function recognizeSession(text: string): { readonly isTask: boolean } | null {
  const [, format, workload] = SESSION_FILE_START.exec(text) ?? [];
  return format === SESSION_FORMAT ? { isTask: taskKinds.some((kind) => kind === workload) } : null;
}

/** Id of the check that fails if the time is shorter than this machine needs for the computation. */
export const MIN_TIME_CHECK = 'least-time';

/**
 * Id of the check that fails if the candidate reuses cached results. Its value is null as long as caching is neither
 * proven nor excluded.
 */
export const CACHED_RESULTS_CHECK = 'remembers';

/** Correctness of an answer. */
export type Correctness = 'correct' | 'wrong' | 'impossible' | 'not checked';

/**
 * Derives the correctness from all checks. An answer without checks, or with a check that lacks a value to compare
 * with, is `not checked`.
 */
export function correctnessOf(accuracy: readonly Accuracy[]): Correctness {
  const failed = accuracy.filter(({ holds }) => !holds);
  if (failed.some(({ id }) => id !== MIN_TIME_CHECK)) return 'wrong';
  if (failed.length > 0) return 'impossible';
  const bounded = accuracy.filter(({ bound }) => bound !== null);
  return bounded.length > 0 && bounded.every(({ value }) => value !== null) ? 'correct' : 'not checked';
}

/** Reason why an answer is wrong, impossible, or not checked; null if all checks pass. */
export function correctnessReason(accuracy: readonly Accuracy[]): string | null {
  const all = accuracy.filter(({ holds }) => !holds);
  // Prefer failed checks with bound 0. They concern the kernel's behaviour, which explains its numerical errors.
  const first = all.find(({ bound, id }) => bound === 0 && id !== 'l2' && id !== 'largest') ?? all[0];
  const doubtful = accuracy.find(({ id, value }) => id === CACHED_RESULTS_CHECK && value === null);
  return (first ?? doubtful)?.tip ?? null;
}

/** One sentence for each entry that is wrong, impossible or not checked; empty if all are correct. */
export function unprovenTexts(entries: readonly SessionEntry[]): readonly string[] {
  return entries.flatMap((entry) => {
    if (entry.status !== 'measured' || !isUnproven(entry.verdict)) return [];
    const reason = correctnessReason(entry.accuracy);
    return reason === null ? [] : [`${entry.label}: ${entry.verdict}. ${reason}.`];
  });
}

type CeilingShares = Pick<z.infer<typeof rooflineSchema>, 'share_of_copy' | 'share_of_flops'>;

/** Whether a ratio to a ceiling is above 100 % when rounded to whole percent. */
const isAbove100Percent = (share: number | null): boolean => share !== null && share >= 1.005;

/** One sentence for each rate above its measured ceiling. */
export function aboveCeilingTexts({ share_of_copy, share_of_flops }: CeilingShares): readonly string[] {
  const ofCopy = 'Above 100 % of the copy rate: its data come from a cache, or it moves fewer bytes than it declares';
  const ofFlops =
    'Above 100 % of the FMA rate: it uses other units than the measured limit, or fewer operations than it declares';
  return [
    ...(isAbove100Percent(share_of_copy) ? [ofCopy] : []),
    ...(isAbove100Percent(share_of_flops) ? [ofFlops] : []),
  ];
}

/** Note shown after a percentage above 100 % in a table cell; otherwise empty. */
export function aboveCeilingMark(share: number | null | undefined, of: 'copy' | 'flops'): string {
  if (share === null || share === undefined || !isAbove100Percent(share)) return '';
  return of === 'copy' ? ', from a cache or not moved' : ', by other units or not computed';
}

/** Whether the answer failed a check, so that the time measures a different computation. */
export const isIncorrect = (
  verdict: MeasuredSessionEntry['verdict'] | Correctness,
): verdict is 'wrong' | 'impossible' => verdict === 'wrong' || verdict === 'impossible';
