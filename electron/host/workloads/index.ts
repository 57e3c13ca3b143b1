/**
 * The host's workloads by the kind of their scenarios. This is the only module that distinguishes between workloads.
 * Also builds the timeline of a run.
 */
import type { Variant } from '../../contract/capabilities.ts';
import { BraggError } from '../../contract/errors.ts';
import { scenarioKindNames, validateScenario } from '../../contract/scenario/index.ts';
import { recordByTaskKind } from '../../contract/task.ts';
import { type WorkloadName, workloadSchema } from '../../contract/workload.ts';
import type { NativeAddon } from '../io/addon/addon.ts';
import type { ProblemValues } from '../model/bench/claims.ts';
import { workloadFolder } from '../model/bench/sources.ts';
import type { RunTimeline } from '../model/timeline/import/run.ts';
import type { ReplaceRules, UserKernelBase } from '../model/user-kernels/problem-folder.ts';
import { diffraction } from './diffraction/index.ts';
import { type AnyRunData, runOf } from './run-data.ts';
import { taskWorkload } from './task/index.ts';
import { transport } from './transport/index.ts';
import type { DeclaredBytes, HostWorkload } from './workload.ts';

export const hostWorkloads: Readonly<Record<WorkloadName, HostWorkload>> = {
  transport,
  diffraction,
  ...recordByTaskKind(taskWorkload),
};

/**
 * Values of a complete scenario by which claims may be limited. Null if the stored document is not, or no longer, a
 * valid scenario.
 */
export function claimedValues(document: unknown): ProblemValues | null {
  const { filled } = validateScenario(document);
  return filled === null ? null : hostWorkloads[filled.kind].claimValues(filled);
}

/** Returns the variants of all workloads, in the order of the workloads. */
export function allVariants(addon: NativeAddon): readonly Variant[] {
  return scenarioKindNames.flatMap((kind) => hostWorkloads[kind].variants(addon));
}

/** Returns the subfolders of `kernels` for the workloads that `wanted` selects. Several workloads may share one. */
export function kernelFoldersOf(addon: NativeAddon, wanted: (workload: HostWorkload) => boolean): readonly string[] {
  const workloads = scenarioKindNames.map((kind) => hostWorkloads[kind]).filter(wanted);
  return [...new Set(workloads.flatMap(({ variants }) => variants(addon).map(workloadFolder)))];
}

/** Returns the rules for files of a shipped variant that a user kernel may replace. */
export const rulesOf = (base: UserKernelBase): ReplaceRules =>
  hostWorkloads[workloadSchema.parse(base.workload)].userKernels;

/**
 * Returns the run if it belongs to `workload`. Throws BraggError `foreign-file` otherwise, with the file's `name` in
 * the message.
 */
export function requireWorkload<W extends AnyRunData['workload']>(
  workload: W,
  run: AnyRunData,
  name: string,
): Extract<AnyRunData, { workload: W }> {
  if (run.workload === workload) return runOf(workload, run);
  const { holds } = hostWorkloads[run.workload].runFile;
  throw new BraggError('foreign-file', `${name} cannot be opened as a ${workload} run: ${holds}.`);
}

export type { HostWorkload, WorkloadRun } from './workload.ts';

export function timelineOf(run: AnyRunData, declared: DeclaredBytes = () => 0): RunTimeline {
  return hostWorkloads[run.workload].timeline(run, declared);
}
