/**
 * A benchmark session of any workload, with every raw sample: the format of its file, and the input of comparisons,
 * ladders and reports. Times in seconds.
 */
import { z } from 'zod';
import { recordingSchema } from '../recording.ts';
import { kernelResourcesSchema } from '../resources.ts';
import { taskKinds } from '../scenario/kinds.ts';
import { workloadSchema } from '../workload.ts';
import {
  count,
  modeSchema,
  processSchema,
  quantitySchema,
  ratioSchema,
  reportShape,
  seconds,
  verdictSchema,
  wholeSchema,
} from './bench-session.ts';
import { taskClaimResultSchema } from './claims.ts';
import { factorialSchema } from './factorial.ts';

/** One measure of how right an answer is, a column of its own. */
export const accuracySchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  /** Explanation of a short title. */
  tip: z.string(),
  unit: z.string(),
  /** Null if not a number or, if `holds` is true, if there is no value to compare with. */
  value: z.number().nullable(),
  /** Null if the value is only reported, not judged. */
  bound: z.number().nullable(),
  /** One that does not hold makes the answer wrong. */
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
  /** Title of the rate over a sweep: `Cell-steps`; null where there is none. */
  rate: z.string().nullable(),
});
export type Words = Readonly<z.infer<typeof wordsSchema>>;

/** One raw sample: its instance, its round, and over how many repetitions its times are means. */
export const timedSchema = z.strictObject({
  round: count,
  /** Index of the separately prepared state; absent if the session does not record instances. */
  instance: count.optional(),
  /** Place in the shuffled order of its round. */
  position: count.optional(),
  repetitions: count.optional(),
  /** One repetition's, by the clock that counts. */
  time_s: seconds,
  /** The same by the device's clock, and by the host's; null where that was not read. */
  device_s: seconds.nullable().optional(),
  host_s: seconds.nullable().optional(),
  /** Set-up time, if the state was prepared for this sample; null if an already prepared state was used. */
  setup_s: seconds.nullable().optional(),
  /** End-to-end time; absent if there is none or it was not recorded. */
  wall_s: seconds.optional(),
  /** Quantities that the variant reported for this sample, by id; only those that differ between samples. */
  told: z.record(z.string(), z.number()).optional(),
  /** Null if run on the CPU or not recorded. */
  sm_MHz: z.number().nullable(),
  /** Why the sample is doubtful; null when it is not. */
  flag: z.string().nullable(),
});
export type Timed = Readonly<z.infer<typeof timedSchema>>;

/** Set-up in its parts; null is what was not measured apart. */
export const partSchema = z.strictObject({ name: z.string(), first_s: seconds.nullable(), warm_s: seconds.nullable() });

/** Declared bytes and operations over the time; null where the variant declares none. */
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
  /** Largest difference over the largest value; null where the engine compared the bits alone. */
  spread: z.number().nullable(),
  /** The hash of the first answer's bits. */
  hash: z.string().optional(),
});

/** Result of a mode other than warm. */
export const modeResultSchema = z.strictObject({
  mode: modeSchema,
  /** Why there is no time; null when there is. */
  reason: z.string().nullable(),
  time_s: seconds.nullable(),
  /** Over the same variant's warm time. */
  ratio: ratioSchema.nullable(),
  samples: z.array(timedSchema).optional(),
});

const head = {
  /** Variant id, with precision and GPU if they were requested. */
  label: z.string(),
  variant: z.string(),
  title: z.string(),
  builds_on: z.string().nullable(),
  device: z.enum(['cpu', 'cuda']),
  /** Precision of its arithmetic. */
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
    /** Memory of its state. */
    state_bytes: z.number().optional(),
    /** Its first run in this process, before the rounds; opening the device and loading kernels included. */
    first: z.strictObject({ time_s: seconds, wall_s: seconds.nullable() }).optional(),
    /** Set-up time of the first run in the process; null if not distinguished from later set-ups. */
    first_setup_s: seconds.nullable(),
    setup_s: seconds,
    setup_parts: z.array(partSchema),
    /** The median that ratios are made of. */
    time_s: seconds,
    wall_s: seconds.nullable(),
    spread: z.number(),
    /** Over the time of the first variant. */
    ratio: ratioSchema,
    /** The same without the flagged samples; null when none is flagged. */
    ratio_unflagged: ratioSchema.nullable().optional(),
    /** Instances of each that would decide at the spread seen so far; null where it is decided or none would. */
    instances_to_decide: count.nullable().optional(),
    /** The session's own judgement of end-to-end runs; absent if it made none. */
    whole: wholeSchema.optional(),
    /** Absent where no processes were started for it. */
    process: z.strictObject({ ...processSchema.shape, samples: z.array(timedSchema) }).optional(),
    /** Null if clocks were not recorded. */
    flagged: count.nullable(),
    verdict: verdictSchema,
    /** Over the time of what it builds on, and of the lowest of its chain, where they were measured. */
    rung: ratioSchema.nullable(),
    cumulative: ratioSchema.nullable(),
    roofline: rooflineSchema.nullable(),
    accuracy: z.array(accuracySchema),
    determinism: determinismSchema.nullable(),
    quantities: z.array(quantitySchema),
    /** In the words' unit; null where sizes have no meaning. */
    size: z.number().nullable(),
    modes: z.array(modeResultSchema),
    /** Warm, round by round. */
    samples: z.array(timedSchema),
  }),
  z.strictObject({ ...head, status: z.literal('refused'), reason: z.string() }),
]);
export type SessionEntry = Readonly<z.infer<typeof sessionEntrySchema>>;
export type MeasuredSessionEntry = Extract<SessionEntry, { status: 'measured' }>;

/** A program outside that was timed after the rounds. */
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

export const sessionReportSchema = z.strictObject({
  /** Which benchmark, for a workload that has several; empty otherwise. */
  bench: z.string(),
  /** Description of the measured operation for the reader. */
  title: z.string().optional(),
  ...{ scenario, machine, document, reference, seed, rounds, stopped, judged, environment, elapsed_s },
  noise: reportShape.noise.extend({
    /** The floor of cold processes; absent where none was started. */
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
  /** Further facts: name and value. */
  facts: z.array(z.tuple([z.string(), z.string()])),
  entries: z.array(sessionEntrySchema),
  /** A/A control: the reference measured again in every round, prepared and started like a candidate. */
  control: z.array(timedSchema).optional(),
  /** The same of cold processes. */
  process_control: z.array(timedSchema).optional(),
  external: z.array(sessionExternalSchema),
  claims: z.array(taskClaimResultSchema),
  /** Optimisations alone and together, from these samples; absent where the file was made before there were any. */
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
      /** In the words' unit. */
      size: z.number(),
      time_s: seconds,
      setup_s: seconds,
      /** Set-up over set-up and time. */
      setup_share: z.number(),
      /** Per second; null where the words name none. */
      rate: z.number().nullable(),
    }),
  ),
  /** time = fixed + slope × size; null for fewer than two sizes. */
  fixed_s: z.number().nullable(),
  slope_s: z.number().nullable(),
});
export type SessionFit = Readonly<z.infer<typeof sessionFitSchema>>;

/** A fit that misses a point by more than this share is no description of the times. */
const LARGEST_MISS = 0.25;

/** The fitted line, in s and s per unit of size; null where time is no line in size: a negative cost, or a bad fit. */
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
  format_version: z.literal(2),
  workload: workloadSchema,
  words: wordsSchema,
  /** ISO 8601. */
  created: z.string(),
  /** As it was typed, without the program. */
  command: z.string(),
  reports: z.array(sessionReportSchema).min(1),
  sweep: z.strictObject({ path: z.string(), values: z.array(z.number()), fits: z.array(sessionFitSchema) }).nullable(),
});
export type Session = Readonly<z.infer<typeof sessionSchema>>;

/** Format and workload are the first keys of a file. */
const FILE_HEAD =
  /^\s*\{\s*"format"\s*:\s*"([^"]+)"\s*,\s*"format_version"\s*:\s*\d+\s*,\s*"workload"\s*:\s*"([\w-]+)"/;

/** Recognizes a session by the first 200 characters of its file; null for any other file. Sessions of task workloads are runs. */
export function sessionHead(text: string): { readonly isTask: boolean } | null {
  const [, format, workload] = FILE_HEAD.exec(text) ?? [];
  return format === SESSION_FORMAT ? { isTask: taskKinds.some((kind) => kind === workload) } : null;
}

/** Id of the check that a time fails which the machine cannot reach. */
export const LEAST_TIME = 'least-time';

/** Correctness of an answer. */
export type Correctness = 'correct' | 'wrong' | 'impossible' | 'not checked';

/**
 * An answer with a check that fails is wrong whatever its speed. One without any check, or with a check that found
 * nothing to compare with, is not checked.
 */
export function correctnessOf(accuracy: readonly Accuracy[]): Correctness {
  const failed = accuracy.filter(({ holds }) => !holds);
  if (failed.some(({ id }) => id !== LEAST_TIME)) return 'wrong';
  if (failed.length > 0) return 'impossible';
  const bounded = accuracy.filter(({ bound }) => bound !== null);
  return bounded.length > 0 && bounded.every(({ value }) => value !== null) ? 'correct' : 'not checked';
}

/** Why an answer is wrong or impossible, one sentence; null where no check fails. */
export function reasonOf(accuracy: readonly Accuracy[]): string | null {
  const all = accuracy.filter(({ holds }) => !holds);
  // Prefer failed checks with bound 0: the kernel's behaviour explains its numerical errors.
  const first = all.find(({ bound, id }) => bound === 0 && id !== 'l2' && id !== 'largest') ?? all[0];
  return first === undefined ? null : first.tip;
}

type Shares = Pick<z.infer<typeof rooflineSchema>, 'share_of_copy' | 'share_of_flops'>;

/** A share that is shown as more than 100 % in whole percent. */
const isAbove = (share: number | null): boolean => share !== null && share >= 1.005;

/** Why rates are above the measured ceilings, a sentence for each; empty where none is. */
export function aboveCeilings({ share_of_copy, share_of_flops }: Shares): readonly string[] {
  const ofCopy = 'Above 100 % of copy: its data come from a cache, or it moves fewer bytes than it declares';
  const ofFlops =
    'Above 100 % of FMA: it uses other units than the measured ceiling, or fewer operations than it declares';
  return [...(isAbove(share_of_copy) ? [ofCopy] : []), ...(isAbove(share_of_flops) ? [ofFlops] : [])];
}

/** The same in a few words for a table's cell, after the share; empty where it is not above the ceiling. */
export function aboveCeilingMark(share: number | null | undefined, of: 'copy' | 'flops'): string {
  if (share === null || share === undefined || !isAbove(share)) return '';
  return of === 'copy' ? ', from caches or not moved' : ', other units or not computed';
}

/** Whether a check of the answer fails: the time of such an entry is of another computation. */
export const isIncorrect = (
  verdict: MeasuredSessionEntry['verdict'] | Correctness,
): verdict is 'wrong' | 'impossible' => verdict === 'wrong' || verdict === 'impossible';
