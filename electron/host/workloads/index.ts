/** The host's workloads by the kind of their scenarios: the only place that distinguishes between them. */

import type { Variant } from '../../contract/capabilities.ts';
import { BraggError } from '../../contract/errors.ts';
import { scenarioKindNames, validateScenario } from '../../contract/scenario/index.ts';
import { eachTask } from '../../contract/task.ts';
import { type WorkloadName, workloadSchema } from '../../contract/workload.ts';
import type { NativeAddon } from '../io/addon/addon.ts';
import type { Values } from '../model/bench/claims.ts';
import { workloadFolder } from '../model/bench/sources.ts';
import type { ReplaceRules, UserKernelBase } from '../model/user-kernels/base.ts';
import { diffraction } from './diffraction/index.ts';
import { type AnyRunData, runOf } from './run-data.ts';
import { taskWorkload } from './task/index.ts';
import { transport } from './transport/index.ts';
import type { HostWorkload } from './workload.ts';

export { ownKernel } from './task/own.ts';

export const hostWorkloads: Readonly<Record<WorkloadName, HostWorkload>> = {
  transport,
  diffraction,
  ...eachTask(taskWorkload),
};

/**
 * Scenario values that claims may be limited to, with defaults filled in. Null if the saved document is not, or no
 * longer, a valid scenario.
 */
export function claimedValues(document: unknown): Values | null {
  const { filled } = validateScenario(document);
  return filled === null ? null : hostWorkloads[filled.kind].claimed(filled);
}

/** Every workload, in their order. */
export function allVariants(addon: NativeAddon): readonly Variant[] {
  return scenarioKindNames.flatMap((kind) => hostWorkloads[kind].variants(addon));
}

/** The folders in `kernels` of the workloads that `wanted` takes; several kinds may share one. */
export function kernelFoldersOf(addon: NativeAddon, wanted: (workload: HostWorkload) => boolean): readonly string[] {
  const workloads = scenarioKindNames.map((kind) => hostWorkloads[kind]).filter(wanted);
  return [...new Set(workloads.flatMap(({ variants }) => variants(addon).map(workloadFolder)))];
}

/** Which files of a shipped variant a user's own may replace. */
export const rulesOf = (base: UserKernelBase): ReplaceRules =>
  hostWorkloads[workloadSchema.parse(base.workload)].userKernels;

/** Throws BraggError `foreign-file`, with the file's `name` in its message, for a run of another workload. */
export function openedAs<W extends AnyRunData['workload']>(
  workload: W,
  run: AnyRunData,
  name: string,
): Extract<AnyRunData, { workload: W }> {
  if (run.workload === workload) return runOf(workload, run);
  const { holds } = hostWorkloads[run.workload].runFile;
  throw new BraggError('foreign-file', `${name} cannot be opened as a ${workload} run: ${holds}.`);
}

export type { HostWorkload, WorkloadRun } from './workload.ts';
