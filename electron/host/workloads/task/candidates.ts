/** The variants of a bench to compare, each with the problem that it runs. */
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import type { TaskProblem, TaskVariant } from '../../io/addon/task.ts';
import { askedFor } from '../../model/bench/label.ts';

export interface TaskCandidate {
  /** As requested: `cuda-tiled`, `cuda-tiled:1` on the second GPU. */
  readonly label: string;
  readonly variant: TaskVariant;
  readonly problem: TaskProblem;
  readonly gpu: number | null;
}

/** Candidates for the bench of `problem`, in the order of the ladder. */
export function variantsFor(problem: TaskProblem, all: readonly TaskVariant[]): readonly TaskVariant[] {
  return all.filter(({ workload, bench }) => workload === problem.workload && bench === problem.bench);
}

/** Throws a BraggError for an unknown or repeated variant. */
export function taskCandidates(
  problem: TaskProblem,
  labels: readonly string[],
  all: readonly TaskVariant[],
): readonly TaskCandidate[] {
  return askedFor(labels, variantsFor(problem, all)).map(({ label, variant, gpu }) => ({
    label,
    variant,
    problem: { ...problem, variant: variant.id, ...(gpu === null ? {} : { device: String(gpu) }) },
    gpu,
  }));
}

/** Variants that a run of `problem` measures: all, or the first and the chosen one. */
export function measuredOf(problem: TaskProblem, all: readonly TaskVariant[]): readonly TaskVariant[] {
  const own = variantsFor(problem, all);
  const [first] = own;
  const chosen = own.find(({ id }) => id === problem.variant);
  // A user kernel is also compared with the variant that it builds on.
  const isUserKernel = chosen !== undefined && isUserKernelId(chosen.id);
  const beside = (id: string): boolean => isUserKernel && id === chosen.buildsOn;
  const wanted =
    chosen === undefined
      ? own.filter(({ id, workload }) => workload === USER_PROBLEM || !isUserKernelId(id))
      : own.filter((one) => one === first || one === chosen || beside(one.id));
  return wanted.filter(({ available }) => available);
}
