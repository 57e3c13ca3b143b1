/** Small measured workloads on the command line: every kind whose problem is flat. */
import type { ScenarioKindName } from '../../../contract/scenario/index.ts';
import { formatBytes } from '../../../contract/units.ts';
import { problemOf } from '../../../host/workloads/scenarios/index.ts';
import { isTask } from '../../../host/workloads/task/scenario/reading.ts';
import type { Workload } from '../workload.ts';
import { benchTasks } from './bench.ts';
import { runTask } from './run.ts';

export function taskWorkload(own: ScenarioKindName): Workload {
  return {
    run: runTask,
    bench: benchTasks,
    plan: (host, reading) => {
      if (!isTask(reading) || reading.problem === null) return null;
      const problem = problemOf(reading);
      const { variant, precision, estimate_bytes } = host.addon.createTask(problem).plan;
      const values = { ...problem.numbers, ...problem.words, ...problem.switches };
      const told = Object.entries(values).map(([name, value]) => `${name} ${value}`);
      return {
        document: { variant, precision, problem: values, state_bytes: estimate_bytes },
        takes: `${told.join(', ')}; ${formatBytes(estimate_bytes)} with ${variant}`,
      };
    },
    variants: (addon) => {
      const all = addon.taskVariants(own);
      return {
        columns: [
          ...(all.some(({ bench }) => bench !== '') ? [{ title: 'Row' }] : []),
          { title: 'Variant' },
          { title: 'Device' },
          { title: 'Precision' },
          { title: 'Builds on' },
          { title: 'What it changes' },
        ],
        rows: all.map(({ bench, id, device, precision, buildsOn, changes }) => [
          ...(bench === '' ? [] : [bench]),
          id,
          device,
          precision,
          buildsOn ?? '–',
          changes,
        ]),
        all,
      };
    },
    compare: null,
  };
}
