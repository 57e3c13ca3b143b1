/** History of one variant's times on one problem, from sessions of different days and commits. */
import { z } from 'zod';
import { workloadSchema } from '../workload.ts';
import { count, intervalSchema, ratioSchema, seconds } from './bench-session.ts';

const historyPointSchema = z.strictObject({
  /** Name of the session file as lists show it. */
  file: z.string(),
  /** Time of the session, ISO 8601. */
  created: z.string(),
  commit: z.string().nullable(),
  time_s: seconds,
  /** 95 % interval from the variation between the session's instances; null if it has no instances. */
  interval: intervalSchema.nullable(),
  right: z.boolean(),
  flagged: count.nullable(),
});
export type HistoryPoint = Readonly<z.infer<typeof historyPointSchema>>;

const historySeriesSchema = z.strictObject({
  workload: workloadSchema,
  bench: z.string(),
  scenario: z.string(),
  /** Value of the swept parameter; null without a sweep. */
  at: z.string().nullable(),
  /** Name of the GPU, or of the processor if there is no GPU. */
  machine: z.string(),
  label: z.string(),
  /** In chronological order. */
  points: z.array(historyPointSchema),
});
export type HistorySeries = Readonly<z.infer<typeof historySeriesSchema>>;

/** With fewer earlier sessions than this, the variation between sessions cannot be estimated. */
export const MIN_EARLIER_SESSIONS = 3;

const trendSchema = z.strictObject({
  /** Standard deviation of the times of all sessions except the last, as a ratio minus 1. */
  spread: z.number(),
  /**
   * Time of the last session divided by the geometric mean of earlier ones. `expected` is the range that would contain
   * 95 % of further sessions.
   */
  ratio: z.number(),
  expected: intervalSchema,
  verdict: z.enum(['faster', 'slower', 'as before']),
});
export type Trend = Readonly<z.infer<typeof trendSchema>>;

/** File in the library with the source that a coding agent submitted, identified by problem, number and language. */
export const attemptFileSchema = z
  .string()
  .regex(/^[\w-]{1,30}-attempt-\d{4}\.(?:cpp|cu|py)$/, 'allowed: PROBLEM-attempt-NUMBER.cpp, .cu or .py');

/** Parses a file name of the form `PROBLEM-attempt-NUMBER`; null for any other name. */
export function parseAttemptFileName(file: string): { readonly problem: string; readonly attempt: number } | null {
  const [, problem, number] = attemptFileSchema.safeParse(file).success
    ? (/^(.+)-attempt-(\d+)\./.exec(file) ?? [])
    : [];
  return problem === undefined ? null : { problem, attempt: Number(number) };
}

const attemptSchema = z.strictObject({
  attempt: count,
  file: z.string(),
  /** Time of the source file, ISO 8601. */
  created: z.string(),
  verdict: z.enum(['correct', 'wrong', 'impossible', 'not checked', 'crashed', 'not measured']),
  /** Reason for the failure in one sentence; null if the attempt is correct. */
  reason: z.string().nullable(),
  time_s: seconds.nullable(),
  interval: intervalSchema.nullable(),
  /**
   * Speedup over the reference, and over the best earlier attempt; values above 1 are faster. Null if the answer is not
   * correct.
   */
  vs_reference: ratioSchema.nullable(),
  vs_best: ratioSchema.extend({ attempt: count }).nullable(),
});
export type AgentAttempt = Readonly<z.infer<typeof attemptSchema>>;

const attemptHistorySchema = z.strictObject({
  /** Id of the problem, with characters other than letters, digits, - and _ replaced. */
  problem: z.string(),
  /** Attempts in the order of their numbers. */
  attempts: z.array(attemptSchema),
});
export type AttemptHistory = Readonly<z.infer<typeof attemptHistorySchema>>;

export const historyMethods = {
  /** Returns the attempts of coding agents in the library. The problem with the newest attempt comes first. */
  'bench.climbs': { params: z.strictObject({}), result: z.strictObject({ climbs: z.array(attemptHistorySchema) }) },
  'bench.attempt': {
    params: z.strictObject({ file: attemptFileSchema }),
    result: z.strictObject({ text: z.string() }),
  },
  /** Returns the history of every variant and problem that at least two sessions measured. */
  'bench.history': {
    params: z.strictObject({ workload: workloadSchema }),
    result: z.strictObject({
      series: z.array(z.strictObject({ ...historySeriesSchema.shape, trend: trendSchema.nullable() })),
    }),
  },
} as const;
