/** Converts user problems to flat values for the engine, at any sizes. */

import path from 'node:path';
import { BraggError } from '../../../../contract/errors.ts';
import type { FieldIssue, TaskScenario } from '../../../../contract/scenario/index.ts';
import { fieldIssue } from '../../../../contract/scenario/index.ts';
import {
  definitionSchema,
  type ProblemDefinition,
  type USER_PROBLEM,
} from '../../../../contract/scenario/user-problem/index.ts';
import {
  formatArrays,
  formatLaunches,
  type ResolvedProblem,
  resolveProblem,
  type Sizes,
} from '../../../../contract/scenario/user-problem/resolve.ts';
import type { TaskProblem } from '../../../io/addon/task.ts';
import type { CandidateProperties } from '../../../model/user-kernels/problem-folder.ts';
import { cacheValueFile } from '../../../model/user-kernels/value-files.ts';

type ProblemScenario = Extract<TaskScenario, { kind: typeof USER_PROBLEM }>;

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

const definitionOf = (scenario: ProblemScenario): ProblemDefinition => ({
  axes: scenario.axes,
  constraints: scenario.constraints,
  arrays: scenario.arrays,
  work: scenario.work,
  reference: scenario.reference,
  candidates: scenario.candidates,
});

/** Checks a problem for errors that the schema cannot find. */
export function checkProblem(scenario: ProblemScenario): readonly FieldIssue[] {
  const { name, problem } = scenario;
  const wrong = NAME.test(name)
    ? []
    : [
        fieldIssue(
          ['name'],
          name,
          'is not a valid problem name',
          'letters, digits, - _ and ., at most 64 characters; sessions are listed by this name',
        ),
      ];
  const definition = definitionOf(scenario);
  const launches = definition.candidates.flatMap((one, i) => {
    const constants = Object.fromEntries(one.tunables.map(({ name: constant, values }) => [constant, values[0] ?? 1]));
    return formatLaunches(one, problem, constants).faults.map((each) => ({
      ...each,
      path: ['candidates', i, ...each.path],
    }));
  });
  const { faults } = resolveProblem(definition, problem);
  return [...wrong, ...faults, ...(faults.length > 0 ? [] : launches)];
}

/**
 * Returns a file with FP64 values for each array, or an empty name for random arrays. Issues of a file refer to its
 * position in the scenario.
 */
export async function valuesInFiles(scenario: ProblemScenario, folder: string | null, cache: string) {
  const { arrays } = resolveProblem(definitionOf(scenario), scenario.problem);
  const files: string[] = [];
  const faults: FieldIssue[] = [];
  for (const [i, { values, type, name }] of scenario.arrays.entries()) {
    files.push('');
    if (values?.kind !== 'file') continue;
    const at = ['arrays', i, 'values', 'path'];
    if (folder === null) {
      faults.push(
        fieldIssue(at, values.path, 'is a path relative to the problem, which has not been saved', 'a saved problem'),
      );
      continue;
    }
    const of = {
      file: path.join(folder, values.path),
      dataset: values.dataset,
      type,
      shape: arrays[i]?.shape ?? [],
      cache,
    };
    try {
      files[i] = await cacheValueFile(of);
    } catch (error) {
      if (!(error instanceof BraggError)) throw error;
      faults.push(
        fieldIssue(
          at,
          values.path,
          `has no usable values for ${name}: ${error.message}`,
          'a file with the values of the array',
        ),
      );
    }
  }
  return { files, faults };
}

/** The part of a problem that a candidate is compiled for. Other changes need no new compilation. */
const signatureOf = ({ axes, arrays }: ProblemDefinition): string =>
  JSON.stringify([axes.map(({ name }) => name), arrays.map(({ name, role, type }) => [name, role, type])]);

/** Builds the flat values that the engine expects, for the given axis sizes. */
function engineValues(
  definition: ProblemDefinition,
  sizes: Sizes,
  resolved: ResolvedProblem,
  files: readonly string[],
) {
  const { bytes, flops, arrays } = resolved;
  return {
    numbers: { ...sizes, '.bytes': bytes, ...(flops === null ? {} : { '.flops': flops }) },
    words: {
      axes: definition.axes.map(({ name }) => name).join(' '),
      arrays: formatArrays(arrays, files),
      definition: JSON.stringify(definition),
      ...(files.some((file) => file !== '') && { files: files.join('\n') }),
    },
  };
}

/**
 * Builds the engine's values of a scenario. `files`: file with the values of each array in the engine's format, or
 * empty for random arrays.
 */
export function problemValues(scenario: ProblemScenario, files: readonly string[]) {
  const definition = definitionOf(scenario);
  return engineValues(definition, scenario.problem, resolveProblem(definition, scenario.problem), files);
}

function definitionIn({ words }: Pick<TaskProblem, 'words'>): ProblemDefinition {
  return definitionSchema.parse(JSON.parse(words['definition'] ?? 'null'));
}

/** Returns the sizes of the axes in a problem. */
export function sizesIn(problem: Pick<TaskProblem, 'numbers' | 'words'>): Sizes {
  const names = (problem.words['axes'] ?? '').split(' ').filter((name) => name !== '');
  return Object.fromEntries(names.map((name) => [name, problem.numbers[name] ?? 0]));
}

/**
 * Returns the problem at other sizes. Null if they are invalid, for example because arrays from files have a fixed
 * size.
 */
export function resizeProblem(problem: TaskProblem, sizes: Sizes): TaskProblem | null {
  if (problem.words['files'] !== undefined) return null;
  const definition = definitionIn(problem);
  const resolved = resolveProblem(definition, sizes);
  if (resolved.faults.length > 0) return null;
  return { ...problem, ...engineValues(definition, sizes, resolved, []) };
}

/** Default sizes to test: small ones, and ones that no usual tile size divides. */
const defaultSizes = [1, 7, 61, 130] as const;

/**
 * Combinations of sizes that candidates must solve. Each axis cycles through its sizes, beginning at a different one.
 */
export function testedSizes(problem: TaskProblem): readonly Sizes[] {
  const { axes } = definitionIn(problem);
  const lists = axes.map(({ min, max, try: named }) => {
    const usual = [...(min === 0 ? [0] : []), ...defaultSizes].filter((size) => size >= min && size <= max);
    return named.length > 0 ? named : usual.length > 0 ? usual : [min];
  });
  const most = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: most }, (_, i) =>
    Object.fromEntries(axes.map(({ name }, k) => [name, lists[k]?.[(i + k) % (lists[k]?.length ?? 1)] ?? 1])),
  );
}

/** Whether the problem has an input of random real values, which edge values can replace. */
export const hasRealInputs = (problem: TaskProblem): boolean =>
  definitionIn(problem).arrays.some(({ values }) => values?.kind === 'uniform' || values?.kind === 'normal');

/**
 * Whether audits may alter the inputs. They may not if a matrix has a dominant diagonal, because swapping its rows
 * would move the diagonal.
 */
export const mayAlterInputs = (problem: TaskProblem): boolean =>
  definitionIn(problem).arrays.every(
    ({ values, shape }) => values === undefined || !('diagonal' in values) || !values.diagonal || shape.length > 2,
  );

/** Adds the launches of a candidate to a problem. `constants`: values of its tunables. Throws BraggError `invalid`. */
export function withLaunches(
  problem: TaskProblem,
  id: string,
  { definition, launches }: CandidateProperties,
  constants: Readonly<Record<string, number>>,
): TaskProblem {
  if (signatureOf(definitionIn(problem)) !== signatureOf(definition)) {
    throw new BraggError(
      'invalid',
      `${id} was compiled for other arrays or axes than the problem has now: reopen the problem`,
    );
  }
  if (launches.length === 0) return problem;
  const { text, faults } = formatLaunches({ launches }, sizesIn(problem), constants);
  const [first] = faults;
  if (first !== undefined) throw new BraggError('invalid', `${id}: ${first.message}`);
  return { ...problem, words: { ...problem.words, launches: text } };
}
