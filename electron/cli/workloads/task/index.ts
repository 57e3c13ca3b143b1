/** Small measured workloads on the command line: every kind whose problem is flat. */
import type { ScenarioKindName } from '../../../contract/scenario/index.ts';
import { problemOf } from '../../../host/workloads/scenarios/index.ts';
import { variantsFor } from '../../../host/workloads/task/candidates.ts';
import { isTask } from '../../../host/workloads/task/scenario/reading.ts';
import { fitByName } from '../../read-scenario.ts';
import { variantList, type Workload } from '../workload.ts';
import { runTask } from './run.ts';

export function taskWorkload(kind: ScenarioKindName): Workload {
  return {
    fit: fitByName,
    run: runTask,
    usual: (addon, reading) => (isTask(reading) ? variantsFor(problemOf(reading), addon.taskVariants(kind)) : []),
    variants: (addon) => {
      const all = addon.taskVariants(kind);
      const hasRows = all.some(({ bench }) => bench !== '');
      const row = hasRows ? [{ title: 'Row', text: ({ bench }: { readonly bench: string }) => bench }] : [];
      return variantList(all, [{ title: 'Precision', text: ({ precision }) => precision }], row);
    },
    compare: null,
  };
}
