/** Scenario files of small measured workloads. They contain the name of the variant, and a flat problem. */
import {
  type FieldIssue,
  type TaskDocument,
  type TaskScenario,
  type TaskValue,
  unknownVariantIssues,
} from '../../../../contract/scenario/index.ts';
import { USER_PROBLEM } from '../../../../contract/scenario/user-problem/index.ts';
import { isTaskKind } from '../../../../contract/task.ts';
import type { TaskProblem } from '../../../io/addon/task.ts';
import type { ScenarioText } from '../../scenarios/read.ts';
import { checkProblem, problemValues } from '../user-problem/definition.ts';

function benchOf(scenario: TaskScenario): string {
  if (scenario.kind === USER_PROBLEM) return scenario.name;
  const { problem } = scenario;
  return 'kind' in problem ? problem.kind : '';
}

/**
 * Checks whether the variant exists, which the schema cannot. The engine reports values that the variant does not
 * support.
 */
export function checkTask(
  scenario: TaskScenario,
  variants: readonly { readonly bench: string; readonly id: string }[],
): readonly FieldIssue[] {
  const own = variants.filter(({ bench }) => bench === benchOf(scenario));
  const unknown = unknownVariantIssues(
    scenario.solver.variant,
    own.map(({ id }) => id),
  );
  return scenario.kind === USER_PROBLEM ? [...checkProblem(scenario), ...unknown] : unknown;
}

function valuesOfType<T extends TaskValue>(values: readonly (readonly [string, TaskValue])[], type: string) {
  return Object.fromEntries(values.filter(([, value]) => typeof value === type)) as Readonly<Record<string, T>>;
}

/** Builds the engine's problem. `files`: files with the arrays of a user problem. */
export function resolveTask(
  scenario: TaskScenario,
  memory_limit_bytes: number,
  files: readonly string[] = [],
): TaskProblem {
  const { kind, seed, solver } = scenario;
  const common = { workload: kind, bench: benchOf(scenario), ...solver, memory_limit_bytes, seed };
  if (scenario.kind === USER_PROBLEM) return { ...common, ...problemValues(scenario, files), switches: {} };
  const values = Object.entries<TaskValue>(scenario.problem).filter(([name]) => name !== 'kind');
  return {
    ...common,
    numbers: valuesOfType<number>(values, 'number'),
    words: valuesOfType<string>(values, 'string'),
    switches: valuesOfType<boolean>(values, 'boolean'),
  };
}

export interface TaskReading extends ScenarioText {
  readonly kind: TaskScenario['kind'];
  readonly document: TaskDocument | null;
  readonly scenario: TaskScenario;
  readonly problem: (() => TaskProblem) | null;
}

export function isTask(reading: { readonly kind: string | null }): reading is TaskReading {
  return reading.kind !== null && isTaskKind(reading.kind);
}
