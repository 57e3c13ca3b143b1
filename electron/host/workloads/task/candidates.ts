/** The variants of a bench to compare, each with the problem that it runs. */
import type { TaskProblem, TaskVariant } from '../../addon-task.ts';
import { knownVariant } from '../../bench/known.ts';

export interface TaskCandidate {
  /** As it was asked for: `cuda-tiled`, `cuda-tiled:1` on the second GPU. */
  readonly label: string;
  readonly variant: TaskVariant;
  readonly problem: TaskProblem;
  readonly gpu: number | null;
}

/** Of the bench of `problem`, in the order of the ladder. */
export function variantsFor(problem: TaskProblem, all: readonly TaskVariant[]): readonly TaskVariant[] {
  return all.filter(({ workload, bench }) => workload === problem.workload && bench === problem.bench);
}

/** Throws a BraggError for a variant that is not known. */
export function taskCandidates(
  problem: TaskProblem,
  labels: readonly string[],
  all: readonly TaskVariant[],
): readonly TaskCandidate[] {
  const own = variantsFor(problem, all);
  return labels.map((label) => {
    const [, id = label, gpu] = /^(.+):(\d+)$/.exec(label) ?? [];
    const variant = knownVariant(id, own);
    const device = gpu === undefined ? {} : { device: gpu };
    return {
      label,
      variant,
      problem: { ...problem, variant: id, ...device },
      gpu: gpu === undefined ? null : Number(gpu),
    };
  });
}
