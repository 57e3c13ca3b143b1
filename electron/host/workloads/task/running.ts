/** A run of a small measured workload while it waits and is measured: all variants that this machine can run. */
import { isOwnId } from '../../../contract/own.ts';
import type { TaskKind, TaskProgress } from '../../../contract/task.ts';
import { TASK_SESSION_FORMAT, type TaskSession } from '../../../contract/task-bench.ts';
import type { NativeAddon } from '../../addon.ts';
import type { TaskProblem, TaskVariant } from '../../addon-task.ts';
import { limitsOf } from '../../bench/index.ts';
import { EVERY_LANE } from '../../runs/lanes.ts';
import type { RunSurroundings, WorkloadRun } from '../workload.ts';
import { benchTask } from './bench.ts';
import { variantsFor } from './candidates.ts';
import { taskSurroundings } from './surroundings.ts';
import { type TaskRunData, taskRunData } from './task-data.ts';
import { countText } from './texts.ts';

/** Enough for medians and intervals; a reader waits for it. */
const LIMITS = limitsOf(40, 20);

export interface TaskStart {
  readonly kind: TaskKind;
  readonly problem: TaskProblem;
  readonly document: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly assetsFolder: string;
}

export class TaskRunning implements WorkloadRun {
  readonly variant: string;
  readonly precision: string;
  readonly device: string;
  /** Nothing may run beside a measurement. */
  readonly lane = EVERY_LANE;
  readonly size: string;
  readonly before: TaskProgress;
  readonly #addon: NativeAddon;
  readonly #start: TaskStart;
  readonly #variants: readonly TaskVariant[];
  readonly #stop = new AbortController();

  /** Throws what the engine refuses. */
  constructor(addon: NativeAddon, start: TaskStart) {
    const { problem, kind } = start;
    const { plan } = addon.createTask(problem);
    const own = variantsFor(problem, addon.taskVariants(problem.workload));
    const [first] = own;
    const chosen = own.find(({ id }) => id === problem.variant);
    // Beside the first, and a user's beside the one that it was made from.
    const isOwn = chosen !== undefined && isOwnId(chosen.id);
    const beside = (id: string): boolean => isOwn && id === chosen.buildsOn;
    const wanted =
      chosen === undefined
        ? own.filter(({ id }) => !isOwnId(id))
        : own.filter((one) => one === first || one === chosen || beside(one.id));
    this.#addon = addon;
    this.#start = start;
    this.#variants = wanted.filter(({ available }) => available);
    this.variant = plan.variant;
    this.precision = plan.precision;
    this.device = plan.device;
    this.size = countText(this.#variants.length, 'variant');
    this.before = { workload: kind, phase: 'first runs', what: '', round: 0, rounds: LIMITS.mostRounds };
  }

  async start(around: RunSurroundings): Promise<TaskRunData> {
    const { kind, problem, document, name, assetsFolder } = this.#start;
    const known = await taskSurroundings(this.#addon, problem, assetsFolder, document, around.warn);
    const created = new Date().toISOString();
    const report = await benchTask(this.#addon, problem, {
      scenario: name,
      variants: this.#variants.map(({ id }) => id),
      seed: 1,
      limits: LIMITS,
      ...known,
      signal: this.#stop.signal,
      onProgress: ({ phase, variant, round, mostRounds, left_s }) => {
        around.progressed({ workload: kind, phase, what: variant, round, rounds: mostRounds }, left_s);
      },
    });
    const session: TaskSession = {
      format: TASK_SESSION_FORMAT,
      format_version: 1,
      created,
      command: `bench ${name}`,
      reports: [report],
      sweep: null,
    };
    return taskRunData(kind, around.context(), session) as TaskRunData;
  }

  cancel(): void {
    this.#stop.abort();
  }

  /** A measurement has nothing to look at before its end. */
  showLive(): void {}

  endLive(): void {}
}
