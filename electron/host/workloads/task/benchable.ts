/** Small measured workloads as benchmarks take them. */

import { TASK_SESSION_FORMAT, type TaskReport, type TaskSession } from '../../../contract/bench/task-bench.ts';
import type { TaskKind } from '../../../contract/scenario/kinds.ts';
import { type Benchable, problemFor, reportEach } from '../benchable.ts';
import { problemOf } from '../scenarios/index.ts';
import { benchTask } from './bench.ts';
import { taskCandidates } from './candidates.ts';
import { taskFits } from './session-file.ts';
import { taskSurroundings } from './surroundings.ts';
import { leastOfEach } from './work.ts';

export function taskBenchable(kind: TaskKind): Benchable {
  return {
    problem: (reading) => {
      if (reading.kind !== kind) throw new Error(`a scenario of ${reading.kind} came to ${kind}`);
      return { kind, problem: problemOf(reading) };
    },
    check: (addon, problem, variants) => {
      taskCandidates(problemFor(kind, problem), variants, addon.taskVariants(kind));
    },
    least_s: async (addon, problem, variants) => leastOfEach(addon, problemFor(kind, problem), variants),
    hasRivals: false,
    measure: async (addon, task, { tell, signal, soFar }) => {
      const { scenario, document, variants, modes, seed, limits, assetsFolder, sweep, created, command, trace } = task;
      const sessionOf = (reports: readonly TaskReport[]): TaskSession => {
        const values = sweep?.values.slice(0, reports.length) ?? [];
        return {
          ...{ format: TASK_SESSION_FORMAT, format_version: 1, created, command, reports: [...reports] },
          sweep: sweep === null ? null : { path: sweep.path, values, fits: taskFits(values, reports) },
        };
      };
      const whole: TaskReport[] = [];
      const reports = await reportEach(task, signal, async (any, index) => {
        const problem = problemFor(kind, any);
        const report = await benchTask(addon, problem, {
          ...{ scenario, variants, modes, seed, limits, signal },
          ...(await taskSurroundings(addon, problem, assetsFolder, document, () => undefined)),
          ...(trace && { trace: () => undefined }),
          ...(soFar !== undefined && { soFar: (part: TaskReport) => soFar(sessionOf([...whole, part])) }),
          onProgress: (progress) => tell(progress, index),
        });
        whole.push(report);
        return report;
      });
      return { session: sessionOf(reports), answers: [] };
    },
    field: () => null,
  };
}
