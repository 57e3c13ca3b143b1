/** Progress of a run of any workload. */
import { z } from 'zod';
import { runIdSchema, runStateSchema } from './run.ts';
import { eachWorkloads } from './scenario/kinds.ts';

/** Progress details of each workload. */
export const progressDetailSchema = z.discriminatedUnion('workload', eachWorkloads('progress'));
export type ProgressDetail = Readonly<z.infer<typeof progressDetailSchema>>;
export type ProgressOf<W extends ProgressDetail['workload']> = Extract<ProgressDetail, { workload: W }>;

export const runProgressSchema = z.strictObject({
  run: runIdSchema,
  state: runStateSchema,
  elapsed_s: z.number(),
  /** Seconds left; null before there is a rate. */
  eta_s: z.number().nullable(),
  detail: progressDetailSchema,
});
export type RunProgress = Readonly<z.infer<typeof runProgressSchema>>;

/** Share of the way gone by the host's estimate of the time, which every workload has; null before there is one. */
export function shareDone({ elapsed_s, eta_s }: Pick<RunProgress, 'elapsed_s' | 'eta_s'>): number | null {
  return eta_s === null || !Number.isFinite(eta_s) || elapsed_s + eta_s <= 0 ? null : elapsed_s / (elapsed_s + eta_s);
}
