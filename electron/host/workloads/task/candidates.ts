/**
 * Variants of a benchmark to compare, each with its problem. Also problems that a user kernel must solve in addition to
 * the session's, because one problem does not prove correctness.
 */
import { randomInt } from 'node:crypto';
import type { BraggError } from '../../../contract/errors.ts';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import type { TaskProblem, TaskVariant } from '../../io/addon/task.ts';
import { requestedVariants } from '../../model/bench/candidates.ts';
import { hasRealInputs, resizeProblem, testedSizes } from './user-problem/definition.ts';

export interface TaskCandidate {
  /** Label as requested: `cuda-tiled`, or `cuda-tiled:1` on the second GPU. */
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
  return requestedVariants(labels, variantsFor(problem, all)).map(({ label, variant, gpu }) => ({
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
  // A user kernel is also compared with the variant that it is based on.
  const isUserKernel = chosen !== undefined && isUserKernelId(chosen.id);
  const beside = (id: string): boolean => isUserKernel && id === chosen.buildsOn;
  const wanted =
    chosen === undefined
      ? own.filter(({ id, workload }) => workload === USER_PROBLEM || !isUserKernelId(id))
      : own.filter((one) => one === first || one === chosen || beside(one.id));
  return wanted.filter(({ available }) => available);
}

export interface FurtherProblem {
  /** Title as the session records it. */
  readonly title: string;
  readonly problem: TaskProblem;
  /** Whether it has the same size as the session's problem. */
  readonly sameSize: boolean;
  /** Whether an error comes from the problem rather than from the kernel. */
  readonly optional: (error: BraggError) => boolean;
}

/** Random seed that nobody can know in advance; an integer that a double represents exactly. */
export const hiddenSeed = (): number => randomInt(1, 2 ** 47);

/** Hidden seed of a further problem by its index, the same for all candidates of a session. */
type SeedGenerator = (of: number) => number;

/** Sizes smaller than, near and not divisible by usual tiles; layers have no empty side. */
const SIDES = [1, 7, 61, 130] as const;

const edges = ['zeros', 'ones', 'alternating'] as const;

/** A user's problem at the sizes that it names, and with edge values at the last of them. */
function furtherUserProblems(problem: TaskProblem, seeds: SeedGenerator): readonly FurtherProblem[] {
  const sizes = testedSizes(problem).flatMap((one) => {
    const at = resizeProblem(problem, one);
    const title = Object.entries(one).map(([name, size]) => `${name} = ${size}`);
    return at === null ? [] : [{ title: title.join(', '), problem: at }];
  });
  const common = { sameSize: false, optional: isProblemError } as const;
  const [first] = sizes.slice(-1);
  const values = first === undefined || !hasRealInputs(problem) ? [] : edges;
  return [
    ...sizes.map(({ title, problem: at }, i) => ({ title, problem: { ...at, seed: seeds(i) }, ...common })),
    // Edge values are the same for every seed. So is their answer, unless another input is random.
    ...values.map((edge) => ({
      title: edge,
      problem: { ...(first?.problem ?? problem), seed: seeds(-1), words: { ...first?.problem.words, edge } },
      ...common,
    })),
  ];
}

function furtherLayers(problem: TaskProblem, seeds: SeedGenerator): readonly FurtherProblem[] {
  const sides = ['batch', 'inputs', 'outputs'] as const;
  return SIDES.map((_, i) => {
    const numbers = Object.fromEntries(sides.map((side, k) => [side, SIDES[(i + k) % SIDES.length] ?? 1]));
    const title = sides.map((side) => `${side} = ${numbers[side]}`).join(', ');
    return {
      title,
      problem: { ...problem, seed: seeds(i), numbers: { ...problem.numbers, ...numbers } },
      sameSize: false,
      optional: isProblemError,
    };
  });
}

/** Whether the reference program gives no answer, or the shipped variant rejects the size. */
const isProblemError = ({ code }: BraggError): boolean => code === 'invalid' || code === 'unsupported';

/** Problems of one size parameter, at sizes that the shipped variant supports. */
function furtherRows(problem: TaskProblem, seeds: SeedGenerator): readonly FurtherProblem[] {
  if (!('n' in problem.numbers)) return [];
  return [1021, 4097].map((n) => ({
    title: `n = ${n}`,
    problem: { ...problem, seed: seeds(n), numbers: { ...problem.numbers, n } },
    sameSize: false,
    optional: isProblemError,
  }));
}

/** Further problems; none for a shipped variant, which the parity tests check at every size. */
export function furtherProblems({ problem, variant }: TaskCandidate, seeds: SeedGenerator): readonly FurtherProblem[] {
  if (!isUserKernelId(variant.id)) return [];
  // Include the scenario's seed, because instances have hidden seeds.
  const known: FurtherProblem = { title: `seed ${problem.seed}`, problem, sameSize: true, optional: () => false };
  if (problem.workload === USER_PROBLEM) return [known, ...furtherUserProblems(problem, seeds)];
  return [known, ...(problem.workload === 'linear-relu' ? furtherLayers(problem, seeds) : furtherRows(problem, seeds))];
}
