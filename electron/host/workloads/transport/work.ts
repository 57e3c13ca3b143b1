/** Amount of work for a beam. */
import { availableParallelism } from 'node:os';
import type { NativeAddon, TransportProblem, TransportRun } from '../../io/addon/addon.ts';
import { type Candidate, candidate, candidates } from '../../model/bench/candidates.ts';
import type { Amount } from '../benchable.ts';
import { fastest, leastSeconds, refuseTooLong, type Work } from '../least-minutes.ts';
import { expectedTime, expectedVisits, learnTime, type Ranges } from './bench/expected-time.ts';

type Planned = Parameters<typeof expectedVisits>[1] & Pick<TransportRun['plan'], 'estimate_bytes' | 'steps_max'>;

/** Variants that follow the beam skip most of the state and only visit `visits` cells; null if unknown. */
function workOf(addon: NativeAddon, plan: Planned, visits: number | null): Work {
  const { variant, precision, estimate_bytes, steps_max, threads } = plan;
  const onGpu = addon.variants().some(({ id, device }) => id === variant && device !== 'cpu');
  // A state is held twice.
  const all = (estimate_bytes / (precision === 'fp64' ? 16 : 8)) * steps_max;
  return {
    variant,
    amount: visits !== null && visits < all ? visits : all,
    of: 'cell-steps',
    rate: fastest.cellSteps,
    threads: onGpu ? null : threads,
  };
}

/** Least seconds of a run. */
export function leastOf(addon: NativeAddon, problem: TransportProblem, plan: Planned, ranges: Ranges): number {
  return leastSeconds(workOf(addon, plan, expectedVisits(problem, plan, ranges)));
}

/** A run that is laid out and not started. */
interface Laid {
  readonly native: TransportRun;
  /** Cells that all of its steps are expected to visit; null of variants that visit others than the beam's. */
  readonly visits: number | null;
  /** Seconds that no machine stays below. */
  readonly least_s: number;
}

/** `memory`: its plan says what it takes. Throws what the engine refuses, and BraggError for what would take too long. */
export async function laid(
  addon: NativeAddon,
  problem: TransportProblem,
  ranges: Ranges,
  memory = false,
): Promise<Laid> {
  const native = await addon.layTransport(problem, memory);
  const visits = expectedVisits(problem, native.plan, ranges);
  const work = workOf(addon, native.plan, visits);
  refuseTooLong(work);
  return { native, visits, least_s: leastSeconds(work) };
}

/** Steps of a cell that a thread takes in a second, in FP32: 30 MeV in water, 0.5 mm, on an EPYC server with AVX-512. */
const usualRates: Readonly<Record<string, number>> = {
  scatter: 7e7,
  gather: 1.2e8,
  fused: 4.5e8,
};

/**
 * Null if `id` is the plain reference or cannot run. A variant that follows the beam uses the forecast of the form:
 * both count the cells that its steps visit, and both learn from completed runs.
 */
export async function amountFor(
  addon: NativeAddon,
  problem: TransportProblem,
  id: string,
  ranges: Ranges | null,
): Promise<Amount | null> {
  const variant = addon.variants().find((one) => one.id === id);
  if (variant === undefined || id === 'reference') return null;
  const own = candidate(problem, variant).problem;
  const plan = await planFor(addon, own);
  if (plan === null) return null;
  const threads = variant.device === 'cpu' ? own.solver.threads || availableParallelism() : null;
  const planned = { ...plan, variant: id, threads: threads ?? plan.threads };
  const visits = ranges === null ? null : expectedVisits(own, planned, ranges);
  if (visits !== null) {
    const { seconds, elsewhere } = expectedTime(own, planned, visits, threads === null);
    return {
      ...{ amount: visits, of: 'visits of cells', threads, right: true },
      usualRate: threads === null && elsewhere !== null ? null : visits / (seconds * (threads ?? 1)),
      ...(elsewhere !== null && { learn: (seconds) => learnTime(own, planned, visits, seconds) }),
    };
  }
  const work = workOf(addon, plan, null);
  const rate = usualRates[id] ?? null;
  return {
    ...{ amount: work.amount, of: work.of, threads },
    right: true,
    usualRate: rate === null ? null : own.solver.precision === 'fp64' ? rate / 2 : rate,
  };
}

/** Null if the engine refuses the problem. */
async function planFor(addon: NativeAddon, problem: TransportProblem): Promise<Planned | null> {
  try {
    return (await addon.layTransport(problem)).plan;
  } catch {
    return null;
  }
}

/** Least seconds of one run of each variant, of all that can run where none is named; 0 for those that cannot. */
export async function leastOfEach(
  addon: NativeAddon,
  problem: TransportProblem,
  labels: readonly string[] | null,
  ranges: Ranges | null,
): Promise<number> {
  const able = addon.variants().filter(({ available }) => available);
  const fitting = able.filter(({ id, steppings }) => id !== 'reference' && steppings.includes(problem.solver.stepping));
  const chosen: readonly Candidate[] =
    labels === null
      ? fitting.map((variant) => candidate(problem, variant))
      : candidates(problem, labels, addon.variants()).filter(({ variant }) => variant.available);
  // All with one stepping have the same cells and steps: they are laid out once.
  const plans = new Map<string, Promise<Planned | null>>();
  let sum_s = 0;
  for (const { variant, problem: theirs } of chosen) {
    const { stepping, precision, threads } = theirs.solver;
    const alike = `${stepping} ${precision}`;
    const known = plans.get(alike) ?? planFor(addon, theirs);
    plans.set(alike, known);
    const plan = await known;
    if (plan === null) continue;
    const own = { ...plan, variant: variant.id, threads: threads || availableParallelism() };
    sum_s += leastSeconds(workOf(addon, own, ranges === null ? null : expectedVisits(theirs, own, ranges)));
  }
  return sum_s;
}
