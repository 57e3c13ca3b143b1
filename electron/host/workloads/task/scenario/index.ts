/** The small measured workloads' side of scenario files: the variant's name, and the flat problem. */
import { type Fault, type TaskScenario, type TaskValue, unknownVariant } from '../../../../contract/scenario/index.ts';
import type { TaskProblem } from '../../../io/addon/task.ts';

const benchOf = (problem: TaskScenario['problem']): string => ('kind' in problem ? problem.kind : '');

/** What the schema cannot know: whether there is such a variant. What it can do is the engine's to say. */
export function checkTask(
  { problem, solver }: TaskScenario,
  variants: readonly { readonly bench: string; readonly id: string }[],
): readonly Fault[] {
  const own = variants.filter(({ bench }) => bench === benchOf(problem));
  return unknownVariant(
    solver.variant,
    own.map(({ id }) => id),
  );
}

function ofType<T extends TaskValue>(values: readonly (readonly [string, TaskValue])[], type: string) {
  return Object.fromEntries(values.filter(([, value]) => typeof value === type)) as Readonly<Record<string, T>>;
}

export function resolveTask({ kind, problem, seed, solver }: TaskScenario, memory_limit_bytes: number): TaskProblem {
  const values = Object.entries<TaskValue>(problem).filter(([name]) => name !== 'kind');
  return {
    workload: kind,
    bench: benchOf(problem),
    ...solver,
    memory_limit_bytes,
    seed,
    numbers: ofType<number>(values, 'number'),
    words: ofType<string>(values, 'string'),
    switches: ofType<boolean>(values, 'boolean'),
  };
}
