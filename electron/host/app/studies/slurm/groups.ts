/** Points in tasks that last minutes, and tasks in arrays that the cluster takes. */
import type { PlanLine } from '../../../../contract/study/index.ts';

/** More is no gain, and a task that dies loses less. */
const MOST_POINTS_OF_A_TASK = 5000;

/** The first try of points goes in whole tasks, the second in small ones, the third each by itself. */
const PARTS_OF_A_TRY = [1, 8, Number.POSITIVE_INFINITY] as const;

/** Tries of a point, each in a task. */
export const MOST_TRIES = PARTS_OF_A_TRY.length;

export interface TaskSize {
  /** Seconds of a point on one core; null where nothing is known. */
  readonly point_s: number | null;
  /** Points that a task solves at the same time. */
  readonly lanes: number;
  /** So long a task is to last. */
  readonly task_s: number;
}

/** `attempt` from 1. */
export function tasksOf(lines: readonly PlanLine[], attempt: number, size: TaskSize): readonly (readonly string[])[] {
  const { point_s, lanes, task_s } = size;
  const wanted = point_s === null || point_s <= 0 ? lanes : Math.ceil((task_s * lanes) / point_s);
  const parts = PARTS_OF_A_TRY[Math.min(attempt, MOST_TRIES) - 1] ?? 1;
  const count = Math.max(1, Math.floor(Math.min(wanted, MOST_POINTS_OF_A_TASK) / parts));
  const tasks: string[][] = [];
  for (let i = 0; i < lines.length; i += count) tasks.push(lines.slice(i, i + count).map(({ id }) => id));
  return tasks;
}

/** Indices of an array go from 0 to below `maxArraySize`. */
export function arraysOf<T>(tasks: readonly T[], maxArraySize: number): readonly (readonly T[])[] {
  const most = Math.max(1, maxArraySize);
  const arrays: (readonly T[])[] = [];
  for (let i = 0; i < tasks.length; i += most) arrays.push(tasks.slice(i, i + most));
  return arrays;
}
