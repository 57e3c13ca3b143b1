/**
 * Benchmark session of any workload, with every raw sample. It defines the file format, and is the input of
 * comparisons, ladders and reports. Times are in seconds.
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

/** One measure of an answer's accuracy, shown as a column. */
export const accuracySchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  /** Explanation of a short title. */
  tip: z.string(),
  unit: z.string(),
  /** Null if not a finite number, or if `holds` is true and there is no value to compare with. */
  value: z.number().nullable(),
  /** Null if the value is only reported, not judged. */
  bound: z.number().nullable(),
  /** Whether the check passed; if false, the answer is wrong. */
  holds: z.boolean(),
});
export type Accuracy = Readonly<z.infer<typeof accuracySchema>>;

/** A workload's terms for fields common to all sessions. */
export const wordsSchema = z.strictObject({
  /** Title of the measured time: `Steps`. */
  time: z.string(),
  timeTip: z.string(),
  /** Unit of sizes: `cells`. */
  size: z.string(),
  /** Title of the rate over a sweep: `Cell-steps`; null if there is none. */
  rate: z.string().nullable(),
});
export type Words = Readonly<z.infer<typeof wordsSchema>>;

/** One raw sample: its instance, its round, and the number of repetitions that its times are averaged over. */
export const timedSchema = z.strictObject({
  round: count,
  /** Index of the separately prepared state; absent if the session does not record instances. */
  instance: count.optional(),
  /** Position in the shuffled order of its round. */
  position: count.optional(),
  repetitions: count.optional(),
  /** Time of one repetition, by the clock that counts for the benchmark. */
  time_s: seconds,
  /** Time of one repetition by the device's clock, and by the host's; null if that clock was not read. */
  device_s: seconds.nullable().optional(),
  host_s: seconds.nullable().optional(),
  /** Set-up time, if the state was prepared for this sample; null if an already prepared state was used. */
  setup_s: seconds.nullable().optional(),
  /** End-to-end time; absent if there is none or it was not recorded. */
  wall_s: seconds.optional(),
  /** Quantities that the variant reported for this sample, by id, if they differ between samples. */
  told: z.record(z.string(), z.number()).optional(),
  /** Multiprocessor clock; null on the CPU or if not recorded. */
  sm_MHz: z.number().nullable(),
  /** Reason for doubting the sample; null if there is none. */
  flag: z.string().nullable(),
});
export type TimedSpread = Readonly<z.infer<typeof timedSchema>>;

/** A value that all samples share, or one value for each sample; null in a sample without the value. */
const columnOf = <T extends z.ZodType>(value: T) => z.union([value.nullable(), z.array(value.nullable())]);

/** Samples as a file contains them: a third of the size of the same samples as rows. */
const sampleColumnsSchema = z.strictObject({
  round: z.array(count),
  instance: columnOf(count).optional(),
  position: columnOf(count).optional(),
  repetitions: columnOf(count).optional(),
  /** Absent if it is the time by the device's clock, or by the host's in samples without the former. */
  time_s: columnOf(seconds).optional(),
  device_s: columnOf(seconds).optional(),
  host_s: columnOf(seconds).optional(),
  setup_s: columnOf(seconds).optional(),
  wall_s: columnOf(seconds).optional(),
  told: z.record(z.string(), z.array(z.number().nullable())).optional(),
  sm_MHz: columnOf(z.number()),
  flag: columnOf(z.string()),
});
export type SampleColumns = Readonly<z.infer<typeof sampleColumnsSchema>>;

/** Fields of a sample that are null instead of absent. */
const NULLABLE: readonly string[] = ['device_s', 'host_s', 'setup_s', 'sm_MHz', 'flag'];

function rowsOf({ told = {}, time_s, ...plain }: SampleColumns, context: z.RefinementCtx): unknown {
  const { round } = plain;
  const columns = [...Object.values(plain), time_s, ...Object.values(told)].filter((one) => Array.isArray(one));
  if (columns.some(({ length }) => length !== round.length)) {
    context.addIssue({ code: 'custom', message: 'the columns have different lengths' });
    return z.NEVER;
  }
  return round.map((_, i) => {
    const at = (column: unknown): unknown => (Array.isArray(column) ? column[i] : column);
    const fields = Object.entries(plain).map(([name, column]): [string, unknown] => [name, at(column)]);
    const known = fields.filter(([name, value]) => value !== null || NULLABLE.includes(name));
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

/** Samples as rows between host and page, and as columns in files. */
const samplesSchema = z.union([z.array(timedSchema), sampleColumnsSchema.transform(rowsOf).pipe(z.array(timedSchema))]);

/** Part of the set-up; times are null if the part was not measured separately. */
export const partSchema = z.strictObject({ name: z.string(), first_s: seconds.nullable(), warm_s: seconds.nullable() });

/** Declared bytes and operations divided by the time; null if the variant declares none. */
export const rooflineSchema = z.strictObject({
  bytes_per_s: z.number().nullable(),
  flops_per_s: z.number().nullable(),
  flops_per_byte: z.number().nullable(),
  share_of_copy: z.number().nullable(),
  share_of_flops: z.number().nullable(),
});

/** Whether repeats gave the same answer. */
export const determinismSchema = z.strictObject({
  runs: count,
  bitwise: z.boolean(),
  /** Largest difference divided by the largest value; null if the engine compared only bits. */
  spread: z.number().nullable(),
  /** Hash of the bits of the first answer. */
  hash: z.string().optional(),
});

/** Result of a mode other than warm. */
export const modeResultSchema = z.strictObject({
  mode: modeSchema,
  /** Reason for a missing time; null if there is a time. */
  reason: z.string().nullable(),
  time_s: seconds.nullable(),
  /** Ratio to the same variant's warm time. */
  ratio: ratioSchema.nullable(),
  samples: samplesSchema.optional(),
});

const head = {
  /** Variant id, with precision and GPU if they were requested. */
  label: z.string(),
  variant: z.string(),
  title: z.string(),
  builds_on: z.string().nullable(),
  device: z.enum(['cpu', 'cuda']),
  /** Precision of the arithmetic. */
  precision: z.string(),
  note: z.string().nullable(),
  gpu: count.nullable(),
};

const sessionEntrySchema = z.discriminatedUnion('status', [
  z.strictObject({
    ...head,
    status: z.literal('measured'),
    /** Null if not recorded. */
    threads: count.nullable(),
    isa: z.string().optional(),
    /** Memory of the variant's state. */
    state_bytes: z.number().optional(),
    /** First run in this process, before the rounds; includes opening the device and loading kernels. */
    first: z.strictObject({ time_s: seconds, wall_s: seconds.nullable() }).optional(),
    /** Set-up time of the first run in the process; null if not distinguished from later set-ups. */
    first_setup_s: seconds.nullable(),
    setup_s: seconds,
    setup_parts: z.array(partSchema),
    /** Median time, used for ratios. */
    time_s: seconds,
    wall_s: seconds.nullable(),
    spread: z.number(),
    /** Ratio to the time of the first variant. */
    ratio: ratioSchema,
    /** Ratio without the flagged samples; null if no sample is flagged. */
    ratio_unflagged: ratioSchema.nullable().optional(),
    /**
     * Instances per variant that would decide the verdict at the current spread; null if it is decided, or if no number
     * would decide it.
     */
    instances_to_decide: count.nullable().optional(),
    /** The session's own judgement of end-to-end runs; absent if it made none. */
    whole: endToEndSchema.optional(),
    /** Absent if no processes were started for the variant. */
    process: z.strictObject({ ...processSchema.shape, samples: samplesSchema }).optional(),
    /** Number of flagged samples; null if clocks were not recorded. */
    flagged: count.nullable(),
    verdict: verdictSchema,
    /**
     * Ratios of the time to the variant it builds on, and to the first variant of the ladder, if they were measured.
     */
    rung: ratioSchema.nullable(),
    cumulative: ratioSchema.nullable(),
    roofline: rooflineSchema.nullable(),
    accuracy: z.array(accuracySchema),
    determinism: determinismSchema.nullable(),
    quantities: z.array(quantitySchema),
    /** Problem size, in the unit that `words` names; null if sizes have no meaning. */
    size: z.number().nullable(),
    modes: z.array(modeResultSchema),
    /** Warm samples, in the order of the rounds. */
    samples: samplesSchema,
  }),
  z.strictObject({ ...head, status: z.literal('refused'), reason: z.string() }),
]);
export type SessionEntry = Readonly<z.infer<typeof sessionEntrySchema>>;
export type MeasuredSessionEntry = Extract<SessionEntry, { status: 'measured' }>;

/** Other program that was timed after the rounds. */
const sessionExternalSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  language: z.string().optional(),
  reason: z.string().nullable(),
  result: z
    .strictObject({
      device: z.string(),
      precision: z.string(),
      /** Versions of the language and libraries, as the program reports them. */
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
 * Seconds spent on audits, on solving further problems before the rounds, and on all calls of the candidates for them.
 */
const auditCostSchema = z.strictObject({ audits_s: z.number(), others_s: z.number(), all_s: z.number() });
export type AuditCost = Readonly<z.infer<typeof auditCostSchema>>;

export const sessionReportSchema = z.strictObject({
  /** Name of the benchmark if the workload has several; otherwise empty. */
  bench: z.string(),
  /** Description of the measured operation for the reader. */
  title: z.string().optional(),
  ...{ scenario, machine, document, reference, seed, rounds, stopped, judged, environment, elapsed_s },
  noise: reportShape.noise.extend({
    /** Noise floor of cold processes; absent if no process was started. */
    process_floor: z.number().nullable().optional(),
  }),
  program: z.strictObject({
    /** Null if not recorded; the same applies to `compiler` and `commit`. */
    version: z.string().nullable(),
    build: z.string(),
    compiler: z.string().nullable(),
    commit: z.string().nullable(),
  }),
  resources: kernelResourcesSchema.optional(),
  /** Cost of the audits of all candidates together; absent if nothing was audited. */
  audits: auditCostSchema.optional(),
  /** Further facts: name and value. */
  facts: z.array(z.tuple([z.string(), z.string()])),
  entries: z.array(sessionEntrySchema),
  /** A/A control: the reference measured again in every round, prepared and started like a candidate. */
  control: samplesSchema.optional(),
  /** A/A control of cold processes. */
  process_control: samplesSchema.optional(),
  external: z.array(sessionExternalSchema),
  /** Verdicts on claims; computed from the samples, so files do not contain them. */
  claims: z.array(taskClaimResultSchema).default([]),
  /** Optimisations alone and combined; computed from the samples, so files do not contain them. */
  factorials: z.array(factorialSchema).optional(),
  /** A recording for each variant, on one clock; present if requested. */
  recordings: z.array(recordingSchema).optional(),
});
export type SessionReport = Readonly<z.infer<typeof sessionReportSchema>>;

const sessionFitSchema = z.strictObject({
  label: z.string(),
  points: z.array(
    z.strictObject({
      value: z.number(),
      /** Problem size, in the unit that `words` names. */
      size: z.number(),
      time_s: seconds,
      setup_s: seconds,
      /** Set-up time divided by the sum of set-up time and time. */
      setup_share: z.number(),
      /** Rate per second; null if `words` names no rate. */
      rate: z.number().nullable(),
    }),
  ),
  /** Coefficients of time = fixed + slope × size; null for fewer than two sizes. */
  fixed_s: z.number().nullable(),
  slope_s: z.number().nullable(),
});
export type SessionFit = Readonly<z.infer<typeof sessionFitSchema>>;

/** If the line misses a point by more than this share, the fit does not describe the times. */
const LARGEST_MISS = 0.25;

/** Fitted line, in s and s per unit of size; null if the fit is bad or a cost is negative. */
export function lineOf({ points, fixed_s, slope_s }: SessionFit): {
  readonly fixed_s: number;
  readonly slope_s: number;
} | null {
  if (fixed_s === null || slope_s === null || fixed_s < 0 || slope_s < 0) return null;
  const misses = points.map(({ size, time_s }) => Math.abs(fixed_s + slope_s * size - time_s) / time_s);
  return misses.every((miss) => miss <= LARGEST_MISS) ? { fixed_s, slope_s } : null;
}

export const SESSION_FORMAT = 'braggbench-session';

export const sessionSchema = z.strictObject({
  format: z.literal(SESSION_FORMAT),
  format_version: z.literal(3),
  workload: workloadSchema,
  words: wordsSchema,
  /** Time of creation, ISO 8601. */
  created: z.string(),
  /** Command line as typed, without the program. */
  command: z.string(),
  reports: z.array(sessionReportSchema).min(1),
  sweep: z.strictObject({ path: z.string(), values: z.array(z.number()), fits: z.array(sessionFitSchema) }).nullable(),
});
export type Session = Readonly<z.infer<typeof sessionSchema>>;

/** Matches the beginning of a session file, where format and workload are the first keys. */
const FILE_HEAD =
  /^\s*\{\s*"format"\s*:\s*"([^"]+)"\s*,\s*"format_version"\s*:\s*\d+\s*,\s*"workload"\s*:\s*"([\w-]+)"/;

/** Recognizes a session by the first 200 characters of its file; null for any other file. Sessions of task workloads are runs. */
export function sessionHead(text: string): { readonly isTask: boolean } | null {
  const [, format, workload] = FILE_HEAD.exec(text) ?? [];
  return format === SESSION_FORMAT ? { isTask: taskKinds.some((kind) => kind === workload) } : null;
}

/** Id of the check that fails if a time is shorter than this machine can achieve. */
export const LEAST_TIME = 'least-time';

/**
 * Id of the check that fails if the candidate caches results; its value is null while this is neither proven nor
 * refuted.
 */
export const REMEMBERS_RESULTS = 'remembers';

/** Correctness of an answer. */
export type Correctness = 'correct' | 'wrong' | 'impossible' | 'not checked';

/**
 * Returns `wrong` if a check fails, whatever the speed. An answer without checks, or with a check that had nothing to
 * compare with, is not checked.
 */
export function correctnessOf(accuracy: readonly Accuracy[]): Correctness {
  const failed = accuracy.filter(({ holds }) => !holds);
  if (failed.some(({ id }) => id !== LEAST_TIME)) return 'wrong';
  if (failed.length > 0) return 'impossible';
  const bounded = accuracy.filter(({ bound }) => bound !== null);
  return bounded.length > 0 && bounded.every(({ value }) => value !== null) ? 'correct' : 'not checked';
}

/** Reason why an answer is wrong, impossible, or not checked; null if all checks pass. */
export function reasonOf(accuracy: readonly Accuracy[]): string | null {
  const all = accuracy.filter(({ holds }) => !holds);
  // Prefer failed checks with bound 0: the kernel's behaviour explains its numerical errors.
  const first = all.find(({ bound, id }) => bound === 0 && id !== 'l2' && id !== 'largest') ?? all[0];
  const doubtful = accuracy.find(({ id, value }) => id === REMEMBERS_RESULTS && value === null);
  return (first ?? doubtful)?.tip ?? null;
}

/** One sentence for each entry that is wrong, impossible or not checked; empty if all are correct. */
export function unprovenTexts(entries: readonly SessionEntry[]): readonly string[] {
  return entries.flatMap((entry) => {
    if (entry.status !== 'measured' || !isUnproven(entry.verdict)) return [];
    const reason = reasonOf(entry.accuracy);
    return reason === null ? [] : [`${entry.label}: ${entry.verdict}. ${reason}.`];
  });
}

type Shares = Pick<z.infer<typeof rooflineSchema>, 'share_of_copy' | 'share_of_flops'>;

/** Whether a share is shown as more than 100 % in whole percent. */
const isAbove = (share: number | null): boolean => share !== null && share >= 1.005;

/** One sentence for each rate above its measured ceiling; empty if there is none. */
export function aboveCeilings({ share_of_copy, share_of_flops }: Shares): readonly string[] {
  const ofCopy = 'Above 100 % of the copy rate: its data come from a cache, or it moves fewer bytes than it declares';
  const ofFlops =
    'Above 100 % of the FMA rate: it uses other units than the measured limit, or fewer operations than it declares';
  return [...(isAbove(share_of_copy) ? [ofCopy] : []), ...(isAbove(share_of_flops) ? [ofFlops] : [])];
}

/** Short note after the share in a table's cell; empty if the rate is not above the ceiling. */
export function aboveCeilingMark(share: number | null | undefined, of: 'copy' | 'flops'): string {
  if (share === null || share === undefined || !isAbove(share)) return '';
  return of === 'copy' ? ', from a cache or not moved' : ', by other units or not computed';
}

/** Whether a check of the answer fails: the time of such an entry measures another computation. */
export const isIncorrect = (
  verdict: MeasuredSessionEntry['verdict'] | Correctness,
): verdict is 'wrong' | 'impossible' => verdict === 'wrong' || verdict === 'impossible';
