/** A run of a small measured workload while it waits and is measured: all variants that this machine can run. */

import type { Session } from '../../../contract/bench/session.ts';
import type { TaskKind } from '../../../contract/scenario/kinds.ts';
import type { TaskProgress } from '../../../contract/task.ts';
import { countText } from '../../../contract/units.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { TaskProblem, TaskVariant } from '../../io/addon/task.ts';
import { EVERY_LANE } from '../../io/flow/lanes.ts';
import { limitsOf } from '../../model/bench/index.ts';
import type { Measure, RunSurroundings, WorkloadRun } from '../workload.ts';
import { measuredOf } from './candidates.ts';
import { type TaskRunData, taskRunData } from './task-data.ts';
import { roundsText } from './texts.ts';

/** Enough for medians and intervals; a reader waits for it. */
export const taskLimits = limitsOf(40, 20, { precision: 0.01 });

interface TaskStart {
  readonly kind: TaskKind;
  readonly problem: TaskProblem;
  readonly document: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly assetsFolder: string;
  readonly trace: boolean;
  readonly measure: Measure;
  readonly energy: boolean;
}

export class TaskRunning implements WorkloadRun {
  readonly variant: string;
  readonly precision: string;
  readonly device: string;
  /** Nothing may run at the same time as a measurement. */
  readonly lane = EVERY_LANE;
  readonly size: string;
  readonly before: TaskProgress;
  readonly #start: TaskStart;
  readonly #variants: readonly TaskVariant[];
  readonly #stop = new AbortController();

  /** Throws what the engine refuses. */
  constructor(addon: NativeAddon, start: TaskStart) {
    const { problem, kind } = start;
    const { plan } = addon.createTask(problem);
    this.#start = start;
    this.#variants = measuredOf(problem, addon.taskVariants(problem.workload));
    this.variant = plan.variant;
    this.precision = plan.precision;
    this.device = plan.device;
    this.size = countText(this.#variants.length, 'variant');
    this.before = { workload: kind, phase: 'first runs', what: '', round: 0, rounds: taskLimits.mostRounds };
  }

  /** On a thread of its own, as every benchmark: neither its statistics nor the host's pages hold the other up. */
  async start(around: RunSurroundings): Promise<TaskRunData> {
    const { kind, problem, document, name, assetsFolder, trace, measure, energy } = this.#start;
    const { keep } = around;
    const dataOf = (session: Session): TaskRunData => taskRunData(kind, around.context(), session) as TaskRunData;
    const { session } = await measure(
      {
        workload: kind,
        scenario: name,
        problems: [{ kind, problem }],
        documents: [document],
        scenarios: [],
        sweep: null,
        external: [],
        variants: this.#variants.map(({ id }) => id),
        modes: [],
        seed: 1,
        limits: taskLimits,
        assetsFolder,
        created: new Date().toISOString(),
        command: `bench ${name}`,
        trace,
        energy,
      },
      ({ phase, variant, round, mostRounds, left_s }) => {
        around.progressed({ workload: kind, phase, what: variant, round, rounds: mostRounds }, left_s);
      },
      this.#stop.signal,
      keep === null ? undefined : (soFar) => void keep(dataOf(soFar), roundsText(soFar)),
    );
    return dataOf(session);
  }

  cancel(): void {
    this.#stop.abort();
  }

  /** A measurement has nothing to look at before its end. */
  showLive(): void {}

  endLive(): void {}
}
