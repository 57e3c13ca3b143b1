/** One variant on one problem over sessions of several days and commits, as the page and the command line show it. */
import { z } from 'zod';
import { workloadSchema } from '../workload.ts';
import { count, seconds } from './bench-session.ts';
import { intervalSchema } from './interval.ts';

const historyPointSchema = z.strictObject({
  /** The session as lists call it. */
  file: z.string(),
  /** ISO 8601. */
  created: z.string(),
  commit: z.string().nullable(),
  time_s: seconds,
  /** 95 % interval from the variation between the session's instances; null if it recorded no instances. */
  interval: intervalSchema.nullable(),
  right: z.boolean(),
  flagged: count.nullable(),
});
export type HistoryPoint = Readonly<z.infer<typeof historyPointSchema>>;

const historySeriesSchema = z.strictObject({
  workload: workloadSchema,
  bench: z.string(),
  scenario: z.string(),
  /** The value of a sweep; null without one. */
  at: z.string().nullable(),
  /** The GPU, or the processor. */
  machine: z.string(),
  label: z.string(),
  /** By day. */
  points: z.array(historyPointSchema),
});
export type HistorySeries = Readonly<z.infer<typeof historySeriesSchema>>;

/** Fewer sessions than this before the last say nothing of how sessions differ. */
export const fewestBefore = 3;

const trendSchema = z.strictObject({
  /** Standard deviation of the sessions' times before the last, as a ratio less 1. */
  spread: z.number(),
  /** The last time over their geometric mean, and where 95 % of further sessions would lie. */
  ratio: z.number(),
  expected: intervalSchema,
  verdict: z.enum(['faster', 'slower', 'as before']),
});
export type Trend = Readonly<z.infer<typeof trendSchema>>;

export const historyMethods = {
  /** Every variant and problem that at least two sessions measured, of this program and stored ones. */
  'bench.history': {
    params: z.strictObject({ workload: workloadSchema }),
    result: z.strictObject({
      series: z.array(z.strictObject({ ...historySeriesSchema.shape, trend: trendSchema.nullable() })),
    }),
  },
} as const;
