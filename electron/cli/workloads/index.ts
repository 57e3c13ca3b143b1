/** The workloads of the command line, by the kind of their scenarios: the only place that tells them apart. */

import { defaultKind, type ScenarioKindName, scenarioKindNames } from '../../contract/scenario/index.ts';
import { eachTask } from '../../contract/task.ts';
import { diffraction } from './diffraction/index.ts';
import { taskWorkload } from './task/index.ts';
import { transport } from './transport/index.ts';
import type { Workload } from './workload.ts';

/** Verbs that are of one workload. */
export { refineVerb } from './diffraction/refine.ts';

const workloads: Readonly<Record<ScenarioKindName, Workload>> = {
  transport,
  diffraction,
  ...eachTask(taskWorkload),
};

/** A text that is no scenario of any kind gets the first workload, which says what is wrong with it. */
export function workloadFor(kind: ScenarioKindName | null): Workload {
  return workloads[kind ?? defaultKind];
}

export const allWorkloads = scenarioKindNames.map((kind) => ({ kind, workload: workloads[kind] }));
