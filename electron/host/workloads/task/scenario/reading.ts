/** Result of reading a scenario of a small measured workload. */
import type { TaskDocument, TaskScenario } from '../../../../contract/scenario/index.ts';
import { isTaskKind } from '../../../../contract/task.ts';
import type { TaskProblem } from '../../../io/addon/task.ts';
import type { Read } from '../../scenarios/read.ts';

export interface TaskReading extends Read {
  readonly kind: TaskScenario['kind'];
  readonly document: TaskDocument | null;
  readonly scenario: TaskScenario;
  readonly problem: (() => TaskProblem) | null;
}

export function isTask(reading: { readonly kind: string | null }): reading is TaskReading {
  return reading.kind !== null && isTaskKind(reading.kind);
}
