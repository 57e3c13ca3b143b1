/** The workloads of the command line, by the kind of their scenarios: the only place that tells them apart. */

import { SESSION_FORMAT } from '../../contract/bench/bench.ts';
import { IMAGE_SESSION_FORMAT } from '../../contract/bench/image-bench.ts';
import type { KeptSession } from '../../contract/bench/kept-session.ts';
import { TASK_SESSION_FORMAT } from '../../contract/bench/task-bench.ts';
import { defaultKind, type ScenarioKindName, scenarioKindNames } from '../../contract/scenario/index.ts';
import { eachTask } from '../../contract/task.ts';
import type { VerbContext } from '../verb.ts';
import { showImageSession } from './diffraction/bench.ts';
import { diffraction } from './diffraction/index.ts';
import { showTaskSession } from './task/bench.ts';
import { taskWorkload } from './task/index.ts';
import { showSession } from './transport/bench.ts';
import { transport } from './transport/index.ts';
import type { Workload } from './workload.ts';

const workloads: Readonly<Record<ScenarioKindName, Workload>> = {
  transport,
  diffraction,
  ...eachTask(taskWorkload),
};

/** A benchmark from its file. */
export function showKept(context: VerbContext, kept: KeptSession): void {
  switch (kept.format) {
    case SESSION_FORMAT:
      showSession(context, kept);
      return;
    case IMAGE_SESSION_FORMAT:
      showImageSession(context, kept);
      return;
    case TASK_SESSION_FORMAT:
      showTaskSession(context, kept);
      return;
  }
}

/** A text that is no scenario of any kind gets the first workload, which says what is wrong with it. */
export function workloadFor(kind: ScenarioKindName | null): Workload {
  return workloads[kind ?? defaultKind];
}

export const allWorkloads = scenarioKindNames.map((kind) => ({ kind, workload: workloads[kind] }));
