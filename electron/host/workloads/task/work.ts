/** Amount of work in a small workload. */
import { availableParallelism } from 'node:os';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { TaskProblem, TaskVariant } from '../../io/addon/task.ts';
import { leastInstances } from '../../model/verdicts/precision.ts';
import type { Amount } from '../benchable.ts';
import { fastest, leastSeconds, refuseTooLong, type Work } from '../least-minutes.ts';
import { allFit, roundsPerInstance } from './arena.ts';
import { measuredOf, taskCandidates, variantsFor } from './candidates.ts';
import { usualSample_s } from './contestant.ts';
import { taskLimits } from './running.ts';

/**
 * Answers of a layer are checked against one by the CPU, whatever is measured; all other work is limited by the clock.
 */
function workOf({ variant, numbers, threads }: TaskProblem): Work {
  const { batch = 0, inputs = 0, outputs = 0 } = numbers;
  const [amount, of] = [2 * batch * inputs * outputs, 'operations of a layer'];
  return { variant, amount, of, rate: fastest.flops, threads: threads || availableParallelism() };
}

/** Operations of a layer that a thread takes in a second, on an EPYC server with AVX-512: 256 × 256 × 512. */
const usualRates: Readonly<Record<string, number>> = { 'cpu-fp64': 1e9, 'cpu-blocked': 2.3e10 };

/** Other small workloads have no amount: their times compare where their sizes are the same. */
export async function amountFor(addon: NativeAddon, problem: TaskProblem, id: string): Promise<Amount | null> {
  const own = variantsFor(problem, addon.taskVariants(problem.workload)).find((one) => one.id === id);
  if (own === undefined) return null;
  const { numbers, words, switches } = problem;
  const { amount, of, threads } = workOf(problem);
  return {
    amount: amount > 0 ? amount : 1,
    of: amount > 0 ? of : JSON.stringify([problem.bench, numbers, words, switches]),
    threads: own.device === 'cpu' ? threads : null,
    usualRate: usualRates[id] ?? null,
    right: true,
  };
}

export const refuseLongTask = (problem: TaskProblem): void => refuseTooLong(workOf(problem));

/** Seconds of one sample of a variant: as long as the clock wants, or one repetition at the best of any machine. */
function leastSample_s(problem: TaskProblem, { device }: Pick<TaskVariant, 'device'>): number {
  const work = workOf(problem);
  return Math.max(usualSample_s, leastSeconds(device === 'cpu' ? work : { ...work, threads: null }));
}

/** Seconds that no machine's run stays below: samples last by the clock, and a session takes so many at least. */
export function leastOfRun(addon: NativeAddon, problem: TaskProblem): number | null {
  const all = addon.taskVariants(problem.workload);
  const measured = measuredOf(problem, all);
  const [first] = measured;
  if (first === undefined) return null;
  const labels = measured.map(({ id }) => id);
  const candidates = taskCandidates(problem, labels, all);
  const keep = allFit(addon, problem, candidates);
  const rounds = Math.min(taskLimits.mostRounds, leastInstances * roundsPerInstance(keep));
  const each = measured.map((variant) => leastSample_s(problem, variant));
  const once_s = each.reduce((sum_s, one_s) => sum_s + one_s, 0);
  // The first has a control in each round. A round that has begun is taken to its end.
  const round_s = once_s + leastSample_s(problem, first);
  const rounds_s = Math.min(rounds * round_s, Math.max(taskLimits.mostSeconds - once_s, round_s));
  return leastSeconds(workOf(problem)) + once_s + rounds_s;
}

/** Least seconds of the answer that is held against, and of one repetition of each variant. */
export function leastOfEach(addon: NativeAddon, problem: TaskProblem, labels: readonly string[] | null): number {
  const all = addon.taskVariants(problem.workload);
  const able = variantsFor(problem, all).filter(({ available }) => available);
  const chosen = taskCandidates(problem, labels ?? able.map(({ id }) => id), all);
  const work = workOf(problem);
  const each = chosen.map(({ variant }) => leastSeconds(variant.device === 'cpu' ? work : { ...work, threads: null }));
  return each.reduce((sum_s, one_s) => sum_s + one_s, leastSeconds(work));
}
