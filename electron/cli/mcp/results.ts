/**
 * Responses of the tools for agents, version 1, and their conversion from a session. Responses are short and have the
 * same shape for every problem. Clients receive the schemas as JSON Schema.
 */
import { z } from 'zod';
import type { Ratio } from '../../contract/bench/bench-session.ts';
import {
  type Accuracy,
  aboveCeilingTexts,
  correctnessOf,
  correctnessReason,
  isIncorrect,
  type MeasuredSessionEntry,
  MIN_TIME_CHECK,
  type Session,
} from '../../contract/bench/session.ts';
import type { Issue } from '../../contract/errors.ts';
import type { KernelResource } from '../../contract/launches.ts';
import type { SavedRecording } from '../../contract/recording.ts';
import { isOpenCheck } from '../../contract/user-kernels/checks.ts';
import { computeOccupancy, type LaunchLimits, limiters } from '../../domain/launch/occupancy.ts';
import { factorText } from '../../domain/measured.ts';
import { percent } from '../../domain/numbers.ts';
import { groupByInstance, pairedRatio } from '../../host/api/benches.ts';
import { quoteForShell } from '../../host/api/studies.ts';

const interval = z.strictObject({ low: z.number(), high: z.number() });
const ratio = z.strictObject({ value: z.number(), interval: interval.nullable() });
type SpeedUp = Readonly<z.infer<typeof ratio>>;
const nullableNumber = z.number().nullable();

export const problemSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  notes: z.string(),
  workload: z.string(),
  /** Reference kernel, which candidates replace. Series of attempts begin with it. */
  kernel: z.string(),
  language: z.enum(['cpp', 'cu', 'py']),
  /** False if submissions are rejected, because the user has not trusted the folder by --trust or in the window. */
  trusted: z.boolean(),
});
export type Problem = Readonly<z.infer<typeof problemSchema>>;

export const problemsSchema = z.strictObject({
  version: z.literal(1),
  problems: z.array(problemSchema),
  /** Files that appear to be problems but cannot be used, with the reason. */
  unusable: z.array(z.strictObject({ file: z.string(), reason: z.string() })),
});

export const readProblemSchema = z.strictObject({
  version: z.literal(1),
  problem: problemSchema,
  /** Scenario of the problem as JSON text. */
  scenario: z.string(),
  /** Source of the reference kernel. Candidates must define the same function. */
  source: z.string(),
  /** Program that computes the expected answer; null if the engine computes it. */
  answer: z.strictObject({ file: z.string(), text: z.string() }).nullable(),
  rules: z.array(z.string()),
});

const compilerLine = z.strictObject({
  severity: z.enum(['error', 'warning']),
  line: nullableNumber,
  column: nullableNumber,
  message: z.string(),
});

/** Outcome of an attempt. Those with `not compiled` and `crashed` have no time. */
const attemptVerdictSchema = z.enum(['correct', 'wrong', 'impossible', 'not checked', 'not compiled', 'crashed']);

export const attemptSchema = z.strictObject({
  version: z.literal(1),
  /** Number of the attempt, starting at 1. */
  attempt: z.number().int().positive(),
  /** Path of the saved source, relative to the library. */
  file: z.string(),
  verdict: attemptVerdictSchema,
  /** Reason for the verdict in one sentence; null for a correct attempt. */
  reason: z.string().nullable(),
  /** Error measures of the answer by name, each with its limit. */
  errors: z.array(
    z.strictObject({ title: z.string(), value: nullableNumber, limit: nullableNumber, holds: z.boolean() }),
  ),
  /** First value whose error exceeds its limit. */
  first_wrong: z
    .strictObject({ place: z.string(), index: z.number().int().nullable(), got: z.string(), expected: z.string() })
    .nullable(),
  /** Median time of one repetition, s. */
  time_s: nullableNumber,
  /** Speedup over the reference, and over the best earlier attempt; values above 1 are faster. */
  vs_reference: ratio.nullable(),
  vs_best: ratio.extend({ attempt: z.number().int() }).nullable(),
  /** Verdict on the time compared with the reference. */
  speed: z.enum(['faster', 'slower', 'same', 'undecided']).nullable(),
  roofline: z
    .strictObject({ share_of_memory: nullableNumber, share_of_arithmetic: nullableNumber, least_s: nullableNumber })
    .nullable(),
  limiter: z.string(),
  /** Registers and memory of CUDA kernels; null for other kernels, or if the compiler does not report them. */
  resources: z
    .array(
      z.strictObject({
        kernel: z.string(),
        registers: z.number().int(),
        /** Bytes of spilled registers that each thread stores and loads; null without nvcc. */
        spill_bytes: z.number().int().nullable(),
        shared_bytes: z.number().int(),
        /**
         * Occupancy of the launch for the sizes of the problem, on this machine's GPU or, without one, on `gpu`. Null
         * without a launch.
         */
        occupancy: z
          .strictObject({
            gpu: z.string(),
            threads: z.number().int(),
            share: z.number(),
            limited_by: z.array(z.enum(limiters)),
          })
          .nullable(),
      }),
    )
    .nullable(),
  compiler: z.array(compilerLine),
  /** Advice on how to decide an undecided verdict; null if it is decided. */
  to_decide: z.string().nullable(),
  /** Number of lines that differ from the previous attempt; for the first attempt, from the reference. */
  diff: z.strictObject({ added: z.number().int(), removed: z.number().int() }),
  session: z.string().nullable(),
});
export type Attempt = Readonly<z.infer<typeof attemptSchema>>;

export const ladderSchema = z.strictObject({
  version: z.literal(1),
  problem: z.string(),
  /** Number of the fastest attempt, if it is certainly faster than the reference; otherwise null. */
  best: z.number().int().nullable(),
  attempts: z.array(
    attemptSchema.pick({
      attempt: true,
      file: true,
      verdict: true,
      reason: true,
      time_s: true,
      vs_reference: true,
      diff: true,
    }),
  ),
});
export type Ladder = Readonly<z.infer<typeof ladderSchema>>;

export const explainSchema = z.strictObject({
  version: z.literal(1),
  attempt: z.number().int(),
  limiter: z.string(),
  /** Durations in seconds: build, set-up including uploads to a GPU, one comparison of results, and one repetition. */
  parts: z.array(z.strictObject({ name: z.string(), seconds: nullableNumber })),
  /** Total time by name, longest first: GPU work and driver calls of the traced sample, or spans of CPU threads. */
  timeline: z.array(z.strictObject({ name: z.string(), count: z.number().int(), seconds: z.number() })),
  /** Reason why the timeline is empty; null if it is not. */
  no_timeline: z.string().nullable(),
  /** Further facts about the session, such as audits, libraries and clocks. */
  facts: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  /** Reason why there are no hardware counters, and the command with which a user can measure them. */
  counters: z.string(),
});

export const claimsSchema = z.strictObject({
  version: z.literal(1),
  claims: z.array(z.strictObject({ id: z.string(), claim: z.string(), answer: z.string() })),
  /** Number of matching claims that are omitted. */
  left_out: z.number().int(),
});

export const sanitizedAttemptSchema = z.strictObject({
  version: z.literal(1),
  summary: z.string(),
  findings: z.array(
    z.strictObject({ what: z.string(), kernel: z.string().nullable(), line: z.number().int().nullable() }),
  ),
});

/** A kernel that reaches this fraction of a ceiling counts as limited by it. */
const LIMIT_FRACTION = 0.6;
const DEFAULT_TEXT = 2000;

const shortenText = (text: string): string => (text.length > DEFAULT_TEXT ? `${text.slice(0, DEFAULT_TEXT)} …` : text);

const toSpeedUp = ({ value, interval }: Ratio): SpeedUp => ({
  value: 1 / value,
  interval: interval === null ? null : { low: 1 / interval.high, high: 1 / interval.low },
});

/** First value beyond its limit, parsed from the message of the failed check. */
export function parseFirstWrongValue(accuracy: readonly Accuracy[]): Attempt['first_wrong'] {
  for (const { holds, tip } of accuracy) {
    const [, place, got, expected] = /\b(\w+ \d+|\w+\[[\d, ]+\]\S*|\w+) is (\S+), expected ([^\s;,]+)/.exec(tip) ?? [];
    if (holds || place === undefined || got === undefined || expected === undefined) continue;
    // Results with several dimensions have no single index; a scalar result has index 0.
    const [, index = /^\w+$/.test(place) ? '0' : undefined] =
      /^\w+ (\d+)$|^\w+\[(\d+)\]/.exec(place)?.filter((one) => one !== undefined) ?? [];
    return { place, index: index === undefined ? null : Number(index), got, expected };
  }
  return null;
}

/** Sentence on the main limit of a kernel's speed, from its declared traffic and arithmetic. */
export function limiterText({ roofline, accuracy }: Pick<MeasuredSessionEntry, 'roofline' | 'accuracy'>): string {
  if (correctnessOf(accuracy) === 'wrong') return 'Not known: the result is wrong, so its time is meaningless.';
  const [copy, flops] = [roofline?.share_of_copy ?? null, roofline?.share_of_flops ?? null];
  const parts = [
    ...(copy === null ? [] : [{ what: 'memory traffic', share: copy, of: 'of the measured copy rate' }]),
    ...(flops === null ? [] : [{ what: 'arithmetic', share: flops, of: 'of the measured rate of operations' }]),
  ].toSorted((a, b) => b.share - a.share);
  const [first] = parts;
  if (first === undefined)
    return 'Not known: the limits of this machine were not measured, or the kernel declares neither bytes nor operations.';
  if (first.share >= LIMIT_FRACTION) {
    const above = roofline === null ? [] : aboveCeilingTexts(roofline).map((reason) => ` ${reason}.`);
    return `Limited by ${first.what}: ${percent(first.share)} ${first.of}.${above.join('')}`;
  }
  const shares = parts.map(({ what, share }) => `${what} at ${percent(share)}`).join(', ');
  return `Limited by latency or too little parallelism: ${shares} of its limit.`;
}

const sampleTimes = ({ samples }: MeasuredSessionEntry) =>
  groupByInstance(
    samples.map(({ instance = 0, time_s }) => ({ instance, time_s })),
    ({ time_s }) => time_s,
  );

interface AttemptMeasurement {
  readonly session: Session;
  readonly label: string;
  readonly best: { readonly label: string; readonly attempt: number } | null;
}

const unknownResources = {
  ...{ errors: [], first_wrong: null, time_s: null, vs_reference: null, vs_best: null, speed: null },
  ...{ roofline: null, limiter: 'Not known: it was not measured.', to_decide: null },
} as const;

/** Reason why a timeline is empty; null if it is not. */
export const noTimelineReason = (device: 'cpu' | 'cuda', names: number): string | null => {
  if (names > 0) return null;
  return device === 'cpu'
    ? 'The session contains no trace of this attempt, because an earlier version of Braggbench measured it; see the times in parts.'
    : 'The session has no trace of GPU work, which needs CUPTI and permission to use it; see the times in parts.';
};

/**
 * Text on missing counters. `words` is the command line that runs the attempt, because `bench --ncu` does not support
 * user kernels.
 */
export const countersText = (device: 'cpu' | 'cuda', words: readonly string[]): string =>
  device === 'cpu'
    ? 'Counters are available for CUDA kernels only.'
    : `Not profiled in the session. If NVIDIA's driver permits it, this command profiles a run: ncu --target-processes all braggbench ${words.map((word) => (/^[\w./:=-]+$/.test(word) ? word : quoteForShell(word))).join(' ')}`;

/** Largest number of timeline entries in a response. */
const MAX_NAMES = 12;

export function summarizeTimeline(recording: SavedRecording | undefined) {
  if (recording === undefined) return [];
  const { names, name, start_ns, end_ns } = recording.trace ?? recording.spans;
  const found = new Map<string, { count: number; seconds: number }>();
  for (const [i, index] of name.entries()) {
    const key = names[index] ?? '';
    const sum = found.get(key) ?? { count: 0, seconds: 0 };
    sum.count += 1;
    sum.seconds += 1e-9 * ((end_ns[i] ?? 0) - (start_ns[i] ?? 0));
    found.set(key, sum);
  }
  return [...found]
    .map(([key, { count, seconds }]) => ({ name: key, count, seconds }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, MAX_NAMES);
}

/** Mean time of one comparison of results, s; null if none was recorded. */
export function meanComparisonTime_s(recording: SavedRecording | undefined): number | null {
  if (recording === undefined) return null;
  const { names, name, start_ns, end_ns } = recording.spans;
  const compare = names.indexOf('compare');
  const all = name.flatMap((index, i) => (index === compare ? [(end_ns[i] ?? 0) - (start_ns[i] ?? 0)] : []));
  return all.length === 0 ? null : (1e-9 * all.reduce((sum, one) => sum + one, 0)) / all.length;
}

interface Launch {
  readonly kernel: string;
  readonly threads: number;
  readonly dynamic_bytes: number;
}

/**
 * Parses the launches of a candidate in the engine's format. Each line has kernel, grid, block and dynamic shared
 * memory.
 */
export function parseLaunches(text: string): readonly Launch[] {
  return text.split('\n').flatMap((line) => {
    const [kernel = '', , , , x = '1', y = '1', z = '1', shared = '0'] = line.split(' ');
    return kernel === '' ? [] : [{ kernel, threads: Number(x) * Number(y) * Number(z), dynamic_bytes: Number(shared) }];
  });
}

type CompiledResources = Omit<KernelResource, 'spill_store_bytes' | 'spill_load_bytes'> &
  Readonly<Record<'spill_store_bytes' | 'spill_load_bytes', number | null>>;

export function compiledResources(
  kernels: readonly CompiledResources[],
  launches: readonly Launch[],
  limits: LaunchLimits,
): NonNullable<Attempt['resources']> {
  return kernels.map((kernel) => {
    const { name, registers, shared_bytes, spill_store_bytes, spill_load_bytes } = kernel;
    const launch = launches.find((one) => one.kernel === name);
    const spill_bytes =
      spill_store_bytes === null || spill_load_bytes === null ? null : spill_store_bytes + spill_load_bytes;
    if (launch === undefined) return { kernel: name, registers, spill_bytes, shared_bytes, occupancy: null };
    const { threads, dynamic_bytes } = launch;
    const { share, limitedBy } = computeOccupancy(kernel, limits, threads, dynamic_bytes);
    const occupancy = { gpu: limits.name, threads, share, limited_by: [...limitedBy] };
    return { kernel: name, registers, spill_bytes, shared_bytes: shared_bytes + dynamic_bytes, occupancy };
  });
}

export function compilerLines(issues: readonly Issue[]): Attempt['compiler'] {
  return issues
    .slice(0, 50)
    .map(({ severity, line, column, message }) => ({ severity, line, column, message: shortenText(message) }));
}

/** Response for an attempt that does not compile and therefore has no session. */
export function notCompiledResponse(compiler: Attempt['compiler']) {
  const first = compiler.find(({ severity }) => severity === 'error');
  const reason = first === undefined ? 'the compiler produced no code' : `line ${first.line ?? '?'}: ${first.message}`;
  return { ...unknownResources, verdict: 'not compiled', reason, compiler, session: null } as const;
}

export function decisionAdvice(
  entry: Pick<MeasuredSessionEntry, 'accuracy' | 'verdict' | 'ratio' | 'instances_to_decide'>,
): string | null {
  // If a check is still open, the attempt has no speed until further probes have run.
  if (entry.accuracy.some(isOpenCheck)) {
    return 'More probes are needed to decide whether the kernel caches results: submit again with more seconds, or on a machine without other load.';
  }
  if (entry.verdict !== 'undecided') return null;
  const more = entry.instances_to_decide ?? null;
  if (entry.ratio.interval === null) return 'Too few rounds for a confidence interval: submit again with more seconds.';
  return more === null
    ? `The interval ${factorText(toSpeedUp(entry.ratio))} contains 1; more seconds would narrow it.`
    : `About ${more} instances would be needed to decide, given the current spread: submit again with more seconds.`;
}

/**
 * Response for a measured attempt. The first entry of the session is the reference; `best` is the label of the best
 * earlier attempt, if it was measured too.
 */
export function attemptResponse({ session, label, best }: AttemptMeasurement) {
  const [report] = session.reports;
  const entry = report?.entries.find((one) => one.label === label);
  if (report === undefined || entry === undefined || entry.status === 'refused') {
    const reason = entry?.status === 'refused' ? entry.reason : 'the session ended before this attempt was measured';
    return { ...unknownResources, verdict: 'crashed', reason: shortenText(reason) } as const;
  }
  const { accuracy, roofline } = entry;
  const found = isIncorrect(entry.verdict) ? entry.verdict : correctnessOf(accuracy);
  const counts = found === 'correct' || found === 'not checked';
  const before = best === null ? undefined : report.entries.find((one) => one.label === best.label);
  const vsBest =
    !counts || best === null || before?.status !== 'measured'
      ? null
      : { ...toSpeedUp(pairedRatio(sampleTimes(entry), sampleTimes(before), 2)), attempt: best.attempt };
  const { verdict } = entry;
  return {
    verdict: found,
    reason: correctnessReason(accuracy),
    errors: accuracy.map(({ title, value, bound, holds }) => ({ title, value, limit: bound, holds })),
    first_wrong: parseFirstWrongValue(accuracy),
    time_s: entry.time_s,
    vs_reference: counts ? toSpeedUp(entry.ratio) : null,
    vs_best: vsBest,
    speed:
      verdict === 'faster' || verdict === 'slower' || verdict === 'same' || verdict === 'undecided' ? verdict : null,
    roofline:
      roofline === null
        ? null
        : {
            share_of_memory: roofline.share_of_copy,
            share_of_arithmetic: roofline.share_of_flops,
            least_s: accuracy.find(({ id }) => id === MIN_TIME_CHECK)?.bound ?? null,
          },
    limiter: limiterText(entry),
    to_decide: counts ? decisionAdvice(entry) : null,
  };
}
