/** The workloads of the command line, by the kind of their scenarios: the only place that tells them apart. */
import { type ScenarioKindName, scenarioKindNames } from '../../contract/scenario/index.ts';
import { diffraction } from './diffraction/index.ts';
import { taskWorkload } from './task/index.ts';
import { transport } from './transport/index.ts';
import type { Workload } from './workload.ts';

const workloads: Readonly<Record<ScenarioKindName, Workload>> = {
  transport,
  diffraction,
  'linear-relu': taskWorkload('linear-relu'),
  micro: taskWorkload('micro'),
};

/** Of a text that is no scenario of any kind: the first one's, which says what is wrong with it. */
export function workloadFor(kind: ScenarioKindName | null): Workload {
  return workloads[kind ?? 'transport'];
}

export const allWorkloads = scenarioKindNames.map((kind) => ({ kind, workload: workloads[kind] }));
