/** Command-line parts of all workloads, by kind of scenario. No other file distinguishes between workloads. */

import { defaultKind, type ScenarioKindName, scenarioKindNames } from '../../contract/scenario/index.ts';
import { recordByTaskKind } from '../../contract/task.ts';
import { type FlagSpec, type ParsedArguments, UsageError } from '../arguments.ts';
import { diffraction } from './diffraction/index.ts';
import { taskWorkload } from './task/index.ts';
import { transport } from './transport/index.ts';
import type { Workload } from './workload.ts';

/** Verbs that belong to a single workload. */
export { refineVerb } from './diffraction/index.ts';
export { pencilsVerb, volumeVerb } from './transport/volume.ts';

const workloads: Readonly<Record<ScenarioKindName, Workload>> = {
  transport,
  diffraction,
  ...recordByTaskKind(taskWorkload),
};

/** Workload of a kind. For an unknown kind (null), the first workload reports the error. */
export function workloadFor(kind: ScenarioKindName | null): Workload {
  return workloads[kind ?? defaultKind];
}

/** Flags of `run` that only some workloads accept. */
export const runFlags: readonly FlagSpec[] = [...new Set(Object.values(workloads).flatMap(({ flags = [] }) => flags))];

/** Throws UsageError for a flag that the workload does not accept, or for an invalid value. */
export function checkRunFlags(parsed: ParsedArguments, kind: ScenarioKindName | null): void {
  const { flags = [], checkFlags } = workloadFor(kind);
  const strange = runFlags.find((flag) => parsed.flags.has(flag.name) && !flags.includes(flag));
  if (strange !== undefined) {
    const owners = scenarioKindNames.filter((name) => workloads[name].flags?.includes(strange) === true);
    throw new UsageError(
      `--${strange.name} is for scenarios of kind ${owners.join(', ')}; this one is of kind ${kind ?? defaultKind}`,
    );
  }
  checkFlags?.(parsed);
}

export const allWorkloads = scenarioKindNames.map((kind) => ({ kind, workload: workloads[kind] }));
