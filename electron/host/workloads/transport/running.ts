/** A transport run while it waits and computes: engine, live frames, states against a crash. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LiveFrame } from '../../../contract/run.ts';
import type { TransportProgress } from '../../../contract/scenario/transport/workload.ts';
import type { Marginals, NativeAddon, NativeProgress, TransportProblem, TransportRun } from '../../io/addon/addon.ts';
import type { Sink } from '../../io/flow/sink.ts';
import { Subscribers } from '../../io/flow/subscribers.ts';
import type { RunSurroundings, WorkloadRun } from '../workload.ts';
import { learnTime } from './bench/expected-time.ts';
import { Checkpointing } from './checkpointing.ts';
import { LiveState, type LiveView } from './live.ts';
import { hasKinds, yKinds } from './metrics/y-kinds.ts';
import { axesOf, beamOf, keyframesOf, type RunData, type RunOutcome, runData } from './run-data.ts';
import { gridText, upToText } from './texts.ts';

interface TransportStart {
  readonly problem: TransportProblem;
  readonly table: string;
  /** Record the GPU's work and the driver's calls; slows launches from then on. */
  readonly trace: boolean;
  /** Nobody will look at the run on its way: it makes no live frames. */
  readonly unwatched: boolean;
  /** Cells that its steps were expected to visit: what it takes is learned from. */
  readonly visits?: number | null;
  /** Solve spots of different kinds separately after the run, for dose in Gy. */
  readonly gray?: boolean;
}

function detailOf({ step, steps_max, depth_mm, weight_left, ledger_error, steps_per_s }: NativeProgress) {
  const detail: TransportProgress = {
    workload: 'transport',
    step,
    steps_max,
    depth_mm,
    weight_left,
    ledger_error,
    steps_per_s,
  };
  return detail;
}

export class TransportRunning implements WorkloadRun {
  readonly variant: string;
  readonly precision: 'fp32' | 'fp64';
  readonly device: string;
  readonly lane: string;
  readonly size: string;
  readonly before: TransportProgress;
  readonly #addon: NativeAddon;
  readonly #native: TransportRun;
  readonly #start: TransportStart;
  readonly #live: LiveState;
  readonly #ending = new AbortController();
  readonly #watchers = new Subscribers<LiveFrame>();
  readonly #sinks = new Map<LiveView, Sink<LiveFrame>>();

  /** `native` is the problem's run, laid out and not started. */
  constructor(addon: NativeAddon, native: TransportRun, start: TransportStart) {
    this.#addon = addon;
    this.#native = native;
    this.#start = start;
    const { plan } = this.#native;
    this.variant = plan.variant;
    this.precision = plan.precision;
    this.device = addon.variants().find(({ id }) => id === plan.variant)?.device ?? 'cpu';
    this.lane = this.device;
    this.size = gridText(plan);
    const nothing = { step: 0, depth_mm: 0, weight_left: 1, ledger_error: 0, steps_per_s: 0 };
    this.before = { workload: 'transport', ...nothing, steps_max: plan.steps_max };
    this.#live = new LiveState(this.#native, axesOf(start.problem, plan), beamOf(start.problem));
  }

  async start(around: RunSurroundings): Promise<RunData> {
    const checkpointing = this.#checkpointing(around);
    const result = await this.#native.start(
      (progress) => {
        const { eta_s, steps_per_s } = progress;
        // Before the first step there is no rate, and the estimate is of no use.
        around.progressed(detailOf(progress), Number.isFinite(eta_s) && steps_per_s > 0 ? eta_s : null);
        checkpointing?.progressed(progress);
      },
      { trace: this.#start.trace, unwatched: this.#start.unwatched },
    );
    const context = around.context();
    if (result.traceReason !== null) around.warn(result.traceReason);
    // Copying a large result blocks the event loop, so yield first.
    await nextTurn();
    // The engine leaves a last frame, with which every live map ends at the final state.
    await this.#refresh();
    const keyframes = await keyframesOf(this.#native, result);
    const { problem, gray, visits = null } = this.#start;
    if (result.status === 'done') {
      learnTime(problem, this.#native.plan, visits, result.solve_s + (result.secondaries?.seconds ?? 0));
    }
    const told = gray === true && result.status === 'done' && hasKinds(problem);
    return {
      ...this.#dataOf(context, result, keyframes),
      ...(told && { acrossY: await yKinds(this.#addon, problem, this.#ending.signal) }),
    };
  }

  cancel(): void {
    this.#ending.abort();
    this.#native.cancel();
  }

  /** Frames of what the view looks at, until the returned function is called or the run has ended. */
  watch(run: string, view: LiveView, sink: Sink<LiveFrame>): () => void {
    this.#live.look(view);
    const leave = this.#watchers.add(sink, () => this.#live.frame(run, view));
    this.#sinks.set(view, sink);
    // The engine makes frames only when someone asks; this asks for the first one.
    void this.#refresh();
    return () => {
      leave();
      this.#sinks.delete(view);
      this.#live.leave(view);
    };
  }

  showLive(): void {
    if (this.#watchers.anyoneReady && !this.#live.busy) void this.#refresh();
  }

  async #refresh(): Promise<void> {
    for (const view of await this.#live.take()) {
      const sink = this.#sinks.get(view);
      if (sink !== undefined) this.#watchers.offer(sink);
    }
  }

  endLive(): void {
    this.#watchers.finish();
  }

  #checkpointing(around: RunSurroundings): Checkpointing | null {
    const { keep } = around;
    if (keep === null) return null;
    return new Checkpointing(this.#native, ({ state, keyframes, depth_mm }) =>
      keep(this.#dataOf(around.context(), state, keyframes), upToText(state.steps, depth_mm)),
    );
  }

  #dataOf(
    context: ReturnType<RunSurroundings['context']>,
    result: RunOutcome,
    keyframes: readonly Marginals[],
  ): RunData {
    const { problem, table } = this.#start;
    return runData({ ...context, table }, problem, this.#live.axes, result, keyframes);
  }
}
