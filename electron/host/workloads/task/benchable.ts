/** Small measured workloads as benchmarks take them. */
import type { TaskKind } from '../../../contract/task.ts';
import { TASK_SESSION_FORMAT } from '../../../contract/task-bench.ts';
import { eachOnce } from '../../bench/known.ts';
import { problemOf } from '../../scenarios/index.ts';
import { type Benchable, problemFor, reportEach } from '../benchable.ts';
import { benchTask } from './bench.ts';
import { taskCandidates } from './candidates.ts';
import { taskFits } from './session-file.ts';
import { taskSurroundings } from './surroundings.ts';

export function taskBenchable(kind: TaskKind): Benchable {
  return {
    problem: (reading) => {
      if (reading.kind !== kind) throw new Error(`a scenario of ${reading.kind} came to ${kind}`);
      return { kind, problem: problemOf(reading) };
    },
    check: (addon, problem, variants) => {
      eachOnce(variants);
      taskCandidates(problemFor(kind, problem), variants, addon.taskVariants(kind));
    },
    hasRivals: false,
    measure: async (addon, task, { tell, signal }) => {
      const { scenario, document, variants, modes, seed, limits, assetsFolder, sweep, created, command, trace } = task;
      const reports = await reportEach(task, signal, async (any, index) => {
        const problem = problemFor(kind, any);
        return benchTask(addon, problem, {
          ...{ scenario, variants, modes, seed, limits, signal },
          ...(await taskSurroundings(addon, problem, assetsFolder, document, () => undefined)),
          ...(trace && { trace: () => undefined }),
          onProgress: (progress) => tell(progress, index),
        });
      });
      const values = sweep?.values.slice(0, reports.length) ?? [];
      return {
        session: {
          ...{ format: TASK_SESSION_FORMAT, format_version: 1, created, command, reports },
          sweep: sweep === null ? null : { path: sweep.path, values, fits: taskFits(values, reports) },
        },
        answers: [],
      };
    },
    field: () => null,
  };
}
