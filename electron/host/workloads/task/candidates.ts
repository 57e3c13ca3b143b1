/**
 * Variants of a benchmark, each with its problem. Also the further problems that a user kernel must solve, because a
 * single problem does not prove correctness.
 */
import { randomInt } from 'node:crypto';
import type { BraggError } from '../../../contract/errors.ts';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import type { TaskProblem, TaskVariant } from '../../io/addon/task.ts';
import { parseVariantLabels } from '../../model/bench/candidates.ts';
import { hasRealInputs, resizeProblem, testedSizes } from './user-problem/definition.ts';

export interface TaskCandidate {
  /** Label as requested, for example `cuda-tiled`, or `cuda-tiled:1` for the GPU with index 1. */
  readonly label: string;
  readonly variant: TaskVariant;
  readonly problem: TaskProblem;
  readonly gpu: number | null;
}

/** Returns the variants of the benchmark that `problem` belongs to, in the order of optimisation steps. */
export function variantsFor(problem: TaskProblem, all: readonly TaskVariant[]): readonly TaskVariant[] {
  return all.filter(({ workload, bench }) => workload === problem.workload && bench === problem.bench);
}

/** Returns the requested candidates. Throws a BraggError if a variant is unknown or repeated. */
export function taskCandidates(
  problem: TaskProblem,
  labels: readonly string[],
  all: readonly TaskVariant[],
): readonly TaskCandidate[] {
  return parseVariantLabels(labels, variantsFor(problem, all)).map(({ label, variant, gpu }) => ({
    label,
    variant,
    problem: { ...problem, variant: variant.id, ...(gpu === null ? {} : { device: String(gpu) }) },
    gpu,
  }));
}

/** Returns the variants that a run of `problem` measures: all, or the first and the selected one. */
export function measuredVariants(problem: TaskProblem, all: readonly TaskVariant[]): readonly TaskVariant[] {
  const own = variantsFor(problem, all);
  const [first] = own;
  const chosen = own.find(({ id }) => id === problem.variant);
  // A user kernel is also compared with the variant that it builds on.
  const isUserKernel = chosen !== undefined && isUserKernelId(chosen.id);
  const isBase = (id: string): boolean => isUserKernel && id === chosen.buildsOn;
  const wanted =
    chosen === undefined
      ? own.filter(({ id, workload }) => workload === USER_PROBLEM || !isUserKernelId(id))
      : own.filter((one) => one === first || one === chosen || isBase(one.id));
  return wanted.filter(({ available }) => available);
}

export interface FurtherProblem {
  /** Title of the problem in the session. */
  readonly title: string;
  readonly problem: TaskProblem;
  /** Whether it has the same size as the session's problem. */
  readonly sameSize: boolean;
  /** Whether the error is caused by the problem, not by the kernel. */
  readonly optional: (error: BraggError) => boolean;
}

/** Returns a random seed, which cannot be known in advance. A double represents it exactly. */
export const hiddenSeed = (): number => randomInt(1, 2 ** 47);

/** Returns the hidden seed of a further problem by index. It is the same for all candidates of a session. */
type SeedGenerator = (of: number) => number;

/**
 * Side lengths of tested layers: smaller than a usual tile, close to one, or not divisible by one. There is no 0,
 * because a layer must not be empty.
 */
const SIDES = [1, 7, 61, 130] as const;

const edges = ['zeros', 'ones', 'alternating'] as const;

/** A user problem at all tested sizes, and with edge values at the last of these sizes. */
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
    // Inputs with edge values do not depend on the seed. The answer depends on it only if other inputs are random.
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

/** Whether the reference program has no answer, or the shipped variant does not support the size. */
const isProblemError = ({ code }: BraggError): boolean => code === 'invalid' || code === 'unsupported';

/** Problems with one size parameter, at sizes that the shipped variant supports. */
function furtherRows(problem: TaskProblem, seeds: SeedGenerator): readonly FurtherProblem[] {
  if (!('n' in problem.numbers)) return [];
  return [1021, 4097].map((n) => ({
    title: `n = ${n}`,
    problem: { ...problem, seed: seeds(n), numbers: { ...problem.numbers, n } },
    sameSize: false,
    optional: isProblemError,
  }));
}

/**
 * Returns further problems for a user kernel. Empty for a shipped variant, which the parity tests check at all sizes.
 */
export function furtherProblems({ problem, variant }: TaskCandidate, seeds: SeedGenerator): readonly FurtherProblem[] {
  if (!isUserKernelId(variant.id)) return [];
  // Include the seed of the scenario, because the instances of a session have hidden seeds.
  const known: FurtherProblem = { title: `seed ${problem.seed}`, problem, sameSize: true, optional: () => false };
  if (problem.workload === USER_PROBLEM) return [known, ...furtherUserProblems(problem, seeds)];
  return [known, ...(problem.workload === 'linear-relu' ? furtherLayers(problem, seeds) : furtherRows(problem, seeds))];
}
