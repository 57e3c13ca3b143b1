/** The workloads of the host, by the kind of their scenarios: the only place that tells them apart. */
import type { Variant } from '../../contract/capabilities.ts';
import { scenarioKindNames } from '../../contract/scenario/index.ts';
import type { WorkloadName } from '../../contract/workload.ts';
import type { NativeAddon } from '../addon.ts';
import { diffraction } from './diffraction/index.ts';
import { taskWorkload } from './task/index.ts';
import { transport } from './transport/index.ts';
import type { HostWorkload } from './workload.ts';

export const hostWorkloads: Readonly<Record<WorkloadName, HostWorkload>> = {
  transport,
  diffraction,
  'linear-relu': taskWorkload('linear-relu'),
  micro: taskWorkload('micro'),
};

/** Of every workload, in their order. */
export function allVariants(addon: NativeAddon): readonly Variant[] {
  return scenarioKindNames.flatMap((kind) => hostWorkloads[kind].variants(addon));
}

export type { HostWorkload, WorkloadRun } from './workload.ts';
