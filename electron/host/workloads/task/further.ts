/**
 * Problems that a user kernel must solve in addition to the session's own: correct is a property of a set, not of a
 * point.
 */

import { randomInt } from 'node:crypto';
import type { BraggError } from '../../../contract/errors.ts';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import type { TaskProblem } from '../../io/addon/task.ts';
import type { TaskCandidate } from './candidates.ts';
import { atSizes, hasRealInputs, triedSizes } from './user-problem/definition.ts';

export interface FurtherProblem {
  /** As the session records it. */
  readonly title: string;
  readonly problem: TaskProblem;
  /** As large as the session's own. */
  readonly sameSize: boolean;
  /** Whether an error is of the problem rather than of the kernel. */
  readonly optional: (error: BraggError) => boolean;
}

/** Nobody can know them before; whole numbers that a double holds exactly. */
export const hiddenSeed = (): number => randomInt(1, 2 ** 47);

/** The hidden seed of a further problem by its number, the same for all candidates of a session. */
type Seeds = (of: number) => number;

/** Sizes below, at and around usual tiles, and off all of them: 0 and 1, odd, prime, one more than a power of two. */
const SIZES = [0, 1, 1021, 4097] as const;

/** Layers have no empty side. */
const SIDES = [1, 7, 61, 130] as const;

const edges = ['zeros', 'ones', 'alternating'] as const;

/** As many results as values, or few: other numbers of results follow from the size in a way that only their program knows. */
const MOST_FIXED_RESULTS = 64;

function ofVectors(problem: TaskProblem, seeds: Seeds): readonly FurtherProblem[] {
  const { n = 0, results = 0 } = problem.numbers;
  if (results !== n && results > MOST_FIXED_RESULTS) return [];
  const at = (size: number): TaskProblem => ({
    ...problem,
    seed: seeds(size),
    numbers: { ...problem.numbers, n: size, results: results === n ? size : results },
  });
  const sizes = SIZES.map((size) => ({
    title: `n = ${size}`,
    problem: at(size),
    sameSize: false,
    optional: ofProblem,
  }));
  const values = edges.map((edge) => ({
    title: edge,
    // These values are the same for every seed, and so is their answer.
    problem: { ...at(1021), seed: problem.seed, words: { ...problem.words, edge } },
    sameSize: false,
    optional: ofProblem,
  }));
  return [...sizes, ...values];
}

/** A user's problem at the sizes that it names, and with edge values at the first of them. */
function ofProblems(problem: TaskProblem, seeds: Seeds): readonly FurtherProblem[] {
  const sizes = triedSizes(problem).flatMap((one) => {
    const at = atSizes(problem, one);
    const title = Object.entries(one).map(([name, size]) => `${name} = ${size}`);
    return at === null ? [] : [{ title: title.join(', '), problem: at }];
  });
  const common = { sameSize: false, optional: ofProblem } as const;
  const [first] = sizes.slice(-1);
  const values = first === undefined || !hasRealInputs(problem) ? [] : edges;
  return [
    ...sizes.map(({ title, problem: at }, i) => ({ title, problem: { ...at, seed: seeds(i) }, ...common })),
    // These values are the same for every seed, and so is their answer where no other input is drawn.
    ...values.map((edge) => ({
      title: edge,
      problem: { ...(first?.problem ?? problem), seed: seeds(-1), words: { ...first?.problem.words, edge } },
      ...common,
    })),
  ];
}

function ofLayers(problem: TaskProblem, seeds: Seeds): readonly FurtherProblem[] {
  const sides = ['batch', 'inputs', 'outputs'] as const;
  return SIDES.map((_, i) => {
    const numbers = Object.fromEntries(sides.map((side, k) => [side, SIDES[(i + k) % SIDES.length] ?? 1]));
    const title = sides.map((side) => `${side} = ${numbers[side]}`).join(', ');
    return {
      title,
      problem: { ...problem, seed: seeds(i), numbers: { ...problem.numbers, ...numbers } },
      sameSize: false,
      optional: ofProblem,
    };
  });
}

/** A program that gives no answer, or a size that its shipped variant refuses. */
const ofProblem = ({ code }: BraggError): boolean => code === 'invalid' || code === 'unsupported';

/** Rows of one size: the same sizes where the shipped variant takes them. */
function ofRows(problem: TaskProblem, seeds: Seeds): readonly FurtherProblem[] {
  if (!('n' in problem.numbers)) return [];
  return [1021, 4097].map((n) => ({
    title: `n = ${n}`,
    problem: { ...problem, seed: seeds(n), numbers: { ...problem.numbers, n } },
    sameSize: false,
    optional: ofProblem,
  }));
}

/** None for a shipped variant, which the parity tests check at every size. */
export function furtherProblems({ problem, variant }: TaskCandidate, seeds: Seeds): readonly FurtherProblem[] {
  if (!isUserKernelId(variant.id)) return [];
  // Instances have hidden seeds: this one is of the scenario.
  const known: FurtherProblem = { title: `seed ${problem.seed}`, problem, sameSize: true, optional: () => false };
  if (problem.workload === USER_PROBLEM) return [known, ...ofProblems(problem, seeds)];
  if (problem.bench === 'own') return [known, ...ofVectors(problem, seeds)];
  return [known, ...(problem.workload === 'linear-relu' ? ofLayers(problem, seeds) : ofRows(problem, seeds))];
}
