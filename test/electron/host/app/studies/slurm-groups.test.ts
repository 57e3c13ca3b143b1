import { expect, test } from 'vitest';
import type { PlanLine } from '../../../../../electron/contract/study/index.ts';
import { arraysOf, MOST_TRIES, tasksOf } from '../../../../../electron/host/app/studies/slurm/groups.ts';
import { taskScript } from '../../../../../electron/host/app/studies/slurm/script.ts';

const lines: readonly PlanLine[] = Array.from({ length: 100 }, (_, i) => ({ id: `p${i}`, base: 0, settings: [] }));

test('a task lasts as long as it is to, by what a point takes and how many go at once', () => {
  const tasks = tasksOf(lines, 1, { point_s: 10, lanes: 2, task_s: 100 });
  expect(tasks.map(({ length }) => length)).toEqual([20, 20, 20, 20, 20]);
  expect(tasks.flat()).toEqual(lines.map(({ id }) => id));
  // Nothing is known: one point for each that goes at once.
  expect(tasksOf(lines, 1, { point_s: null, lanes: 3, task_s: 100 })[0]).toHaveLength(3);
  // A point longer than the task is a task.
  expect(tasksOf(lines, 1, { point_s: 1000, lanes: 1, task_s: 100 })).toHaveLength(100);
});

test('what has come to nothing is tried in smaller tasks, at last each point by itself', () => {
  const sizes = [1, 2, MOST_TRIES].map(
    (attempt) => tasksOf(lines, attempt, { point_s: 1, lanes: 1, task_s: 40 })[0]?.length,
  );
  expect(sizes).toEqual([40, 5, 1]);
});

test('no array is larger than the cluster takes', () => {
  expect(arraysOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
});

test("words of the script are the shell's as they are", () => {
  expect(taskScript(['/a b/node', "it's"], 75)).toContain(`'/a b/node' 'it'\\''s' &`);
});
