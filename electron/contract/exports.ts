/** Export formats of each workload. */
import { scenarioKinds } from './scenario/index.ts';
import type { ExportChoice } from './scenario/workload.ts';
import type { WorkloadName } from './workload.ts';

/** In the order of menus. */
export const exportsOf = (workload: WorkloadName): readonly ExportChoice[] => scenarioKinds[workload].exports;

/** Files that hold runs, by the end of their names. */
export const allRunEndings: readonly string[] = [
  ...new Set(Object.values(scenarioKinds).map(({ runEnding }) => runEnding)),
];
