/** How much there is to do of a beam. */
import { availableParallelism } from 'node:os';
import type { NativeAddon, TransportProblem, TransportRun } from '../../io/addon/addon.ts';
import { type Candidate, candidate, candidates } from '../../model/bench/candidates.ts';
import { fastest, leastSeconds, type Work } from '../least-minutes.ts';

type Planned = Pick<TransportRun['plan'], 'variant' | 'precision' | 'estimate_bytes' | 'steps_max' | 'threads'>;

export function workOf(addon: NativeAddon, plan: Planned): Work {
  const { variant, precision, estimate_bytes, steps_max, threads } = plan;
  const onGpu = addon.variants().some(({ id, device }) => id === variant && device !== 'cpu');
  return {
    variant,
    // A state is held twice.
    amount: (estimate_bytes / (precision === 'fp64' ? 16 : 8)) * steps_max,
    of: 'steps of a cell',
    rate: fastest.cellSteps,
    threads: onGpu ? null : threads,
  };
}

/** Null where the machine refuses it. */
async function workFor(addon: NativeAddon, problem: TransportProblem): Promise<Work | null> {
  try {
    return workOf(addon, (await addon.layTransport(problem)).plan);
  } catch {
    return null;
  }
}

/** Least seconds of one run of each variant, of all that can run where none is named; 0 for those that cannot. */
export async function leastOfEach(
  addon: NativeAddon,
  problem: TransportProblem,
  labels: readonly string[] | null,
): Promise<number> {
  const able = addon.variants().filter(({ available }) => available);
  const fitting = able.filter(({ id, steppings }) => id !== 'reference' && steppings.includes(problem.solver.stepping));
  const chosen: readonly Candidate[] =
    labels === null
      ? fitting.map((variant) => candidate(problem, variant))
      : candidates(problem, labels, addon.variants()).filter(({ variant }) => variant.available);
  // All with one stepping have the same cells and steps: they are laid out once.
  const works = new Map<string, Promise<Work | null>>();
  let sum_s = 0;
  for (const { variant, problem: theirs } of chosen) {
    const { stepping, precision } = theirs.solver;
    const alike = `${stepping} ${precision}`;
    const known = works.get(alike) ?? workFor(addon, theirs);
    works.set(alike, known);
    const work = await known;
    if (work === null) continue;
    const threads = variant.device === 'cpu' ? theirs.solver.threads || availableParallelism() : null;
    sum_s += leastSeconds({ ...work, threads });
  }
  return sum_s;
}
