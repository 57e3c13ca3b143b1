/**
 * A queued or running transport run: the engine's object, live frames that are reduced to what each page displays, and
 * checkpoints for recovery.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LiveFrame, MapRequest } from '../../../contract/run.ts';
import type { GridSize, TransportProgress } from '../../../contract/scenario/transport/workload.ts';
import { countText } from '../../../domain/values/units.ts';
import {
  errorFromNative,
  type Marginals,
  type NativeAddon,
  type NativeCheckpoint,
  type NativeLiveFrame,
  type NativeProgress,
  type TransportProblem,
  type TransportRun,
} from '../../io/addon/addon.ts';
import { CheckpointSchedule } from '../../io/flow/checkpoint-times.ts';
import { type FrameSink, FrameSubscribers } from '../../io/flow/subscribers.ts';
import type { RunCallbacks, WorkloadRun } from '../workload.ts';
import { learnTime } from './bench/expected-time.ts';
import { framePartsOf, isSamePlane, liveMaps, planeOf } from './display/maps.ts';
import { axisProfileLater } from './metrics/depth-readouts.ts';
import { massScaling } from './metrics/dose-per-mass.ts';
import { perMassCurve, profileCurve } from './metrics/run-metrics.ts';
import { hasKinds, yKinds } from './metrics/y-kinds.ts';
import { type Axes, axesOf, beamOf, keyframesOf, type RunData, type RunOutcome, runData } from './run-data.ts';

interface LiveView {
  readonly maps: readonly MapRequest[];
  readonly depthDose: boolean;
}

type FrameOrError = Omit<LiveFrame, 'run'> | Error;

/** Newest frame of a run, and the maps of it that views display. Frames are processed one at a time. */
class LiveState {
  readonly axes: Axes;
  readonly beam: RunData['beam'];
  readonly #native: Pick<TransportRun, 'live' | 'wantPlanes'>;
  #latest: NativeLiveFrame | null = null;
  #revision = 0;
  /** Latest frame or error of each view. Null before the first one. */
  readonly #views = new Map<LiveView, FrameOrError | null>();
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(native: Pick<TransportRun, 'live' | 'wantPlanes'>, axes: Axes, beam: RunData['beam']) {
    this.#native = native;
    this.axes = axes;
    this.beam = beam;
  }

  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  /** Receives the newest frame of the engine. Resolves with the views that have a new frame. */
  receiveFrame(): Promise<readonly LiveView[]> {
    return this.#runInTurn(async () => {
      const views = [...this.#views.keys()];
      const parts = views.flatMap(({ maps, depthDose }) => [
        ...framePartsOf(maps),
        ...(depthDose ? ['dose' as const] : []),
      ]);
      const newest = this.#native.live([...new Set(parts)]);
      if (newest !== null) {
        this.#latest = newest;
        this.#revision += 1;
      }
      const latest = this.#latest;
      if (latest === null) return [];
      const behind = newest === null ? views.filter((view) => this.#views.get(view) === null) : views;
      const made = await Promise.all(behind.map((view) => this.#composeFrame(view, latest)));
      const there = behind.filter((view) => this.#views.has(view));
      for (const view of there) this.#views.set(view, made[behind.indexOf(view)] ?? null);
      return there;
    });
  }

  /** Registers a view. Throws BraggError `invalid` if a cut is outside of the grid. */
  addView(view: LiveView): void {
    this.#views.set(view, null);
    try {
      this.#requestCuts();
    } catch (error) {
      this.#views.delete(view);
      throw error;
    }
  }

  removeView(view: LiveView): void {
    this.#views.delete(view);
    this.#requestCuts();
  }

  /** Returns the latest frame of a view. Throws if computing it failed. */
  frame(run: string, view: LiveView): LiveFrame {
    const made = this.#views.get(view) ?? new Error('a live frame was requested before the first one was computed');
    if (made instanceof Error) throw made;
    return { run, ...made };
  }

  async #runInTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Requests from the engine exactly the cuts that views display. */
  #requestCuts(): void {
    const planes = [...this.#views.keys()]
      .flatMap(({ maps }) => maps)
      .filter(({ cuts }) => cuts !== undefined && cuts.length > 0)
      .map(planeOf);
    const distinct = planes.filter((plane, i) => planes.findIndex((other) => isSamePlane(plane, other)) === i);
    try {
      this.#native.wantPlanes(distinct);
    } catch (error) {
      throw errorFromNative(error);
    }
  }

  async #composeFrame(view: LiveView, live: NativeLiveFrame): Promise<FrameOrError> {
    const { nz, nx, dz_mm, dx_mm, density_g_cm3 } = this.axes;
    const geometry = { nz, nx, dz_mm, dx_mm, ...this.beam };
    const fields = { axes: this.axes, dose: live.dose, marginals: live, planes: live.planes };
    const revision = this.#revision;
    const curves = view.depthDose && live.dose.length > 0;
    const per = massScaling(density_g_cm3);
    try {
      const [maps, profile, massProfile] = await Promise.all([
        liveMaps(fields, view.maps),
        curves ? axisProfileLater(live.dose, geometry) : null,
        curves && per !== null ? axisProfileLater(live.dose, geometry, per) : null,
      ]);
      return {
        revision,
        step: live.step,
        depth_mm: live.depth_mm,
        maps,
        depthDose: profile && profileCurve(profile),
        depthDosePerMass: massProfile && perMassCurve(massProfile),
      };
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

interface CopiedState {
  readonly state: NativeCheckpoint;
  /** Keyframes that the run has saved so far. */
  readonly keyframes: readonly Marginals[];
  readonly depth_mm: number;
}

class CheckpointWriter {
  readonly #native: Pick<TransportRun, 'wantCheckpoint' | 'checkpoint'>;
  readonly #keep: (taken: CopiedState) => Promise<void>;
  readonly #keyframes: Marginals[] = [];
  readonly #times: CheckpointSchedule;
  #state: 'resting' | 'asked' | 'keeping' = 'resting';
  #taken = 0;

  constructor(
    native: Pick<TransportRun, 'wantCheckpoint' | 'checkpoint'>,
    saveCopy: (taken: CopiedState) => Promise<void>,
    now = performance.now(),
  ) {
    this.#native = native;
    this.#keep = saveCopy;
    this.#times = new CheckpointSchedule(now);
  }

  /** Whether any checkpoint was written. */
  get hasBegun(): boolean {
    return this.#taken > 0;
  }

  /** Call this with every progress report of the run. */
  onProgress({ depth_mm }: Pick<NativeProgress, 'depth_mm'>, now = performance.now()): void {
    if (this.#state === 'resting' && this.#times.isDue(now)) {
      this.#native.wantCheckpoint(this.#keyframes.length);
      this.#state = 'asked';
    } else if (this.#state === 'asked') {
      const state = this.#native.checkpoint();
      if (state !== null) void this.#saveState(state, depth_mm, now);
    }
  }

  async #saveState(state: NativeCheckpoint, depth_mm: number, now: number): Promise<void> {
    this.#state = 'keeping';
    this.#times.begin(now);
    this.#taken += 1;
    this.#keyframes.push(...state.keyframes);
    await this.#keep({ state, keyframes: [...this.#keyframes], depth_mm });
    this.#times.end();
    this.#state = 'resting';
  }
}

export function gridText({ ne, ntheta, nz, nx }: GridSize): string {
  return `${ne} × ${ntheta} × ${nz} × ${nx} cells`;
}

export function progressText(steps: number, depth_mm: number): string {
  return `${countText(steps, 'step')}, ${depth_mm.toFixed(1)} mm deep`;
}

interface TransportStart {
  readonly problem: TransportProblem;
  readonly table: string;
  /** Whether to record the GPU's work and the driver's calls, which slows down every launch. */
  readonly trace: boolean;
  /** Whether no page displays the run, so that no live frames are needed. */
  readonly unwatched: boolean;
  /** Expected number of cell visits. The rate of the machine is learned from it and the time of the run. */
  readonly visits?: number | null;
  /** Whether to solve kinds of spots separately after the run, to compute the dose in Gy. */
  readonly gray?: boolean;
}

function progressDetail({ step, steps_max, depth_mm, weight_left, ledger_error, steps_per_s }: NativeProgress) {
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

export class TransportWorkloadRun implements WorkloadRun {
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
  readonly #watchers = new FrameSubscribers<LiveFrame>();
  readonly #sinks = new Map<LiveView, FrameSink<LiveFrame>>();

  /** `native`: the run of the problem, which is prepared but not started. */
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

  async start(around: RunCallbacks): Promise<RunData> {
    const checkpointing = this.#checkpointing(around);
    const result = await this.#native.start(
      (progress) => {
        const { eta_s, steps_per_s } = progress;
        // The remaining time cannot be estimated before the first step, because there is no rate.
        around.reportProgress(progressDetail(progress), Number.isFinite(eta_s) && steps_per_s > 0 ? eta_s : null);
        checkpointing?.onProgress(progress);
      },
      { trace: this.#start.trace, unwatched: this.#start.unwatched },
    );
    const context = around.context();
    if (result.traceReason !== null) around.warn(result.traceReason);
    // Copying a large result blocks the event loop, so yield first.
    await nextTurn();
    // The engine retains a last frame, so that every live map ends with the final state.
    await this.#refresh();
    const keyframes = await keyframesOf(this.#native, result);
    const { problem, gray, visits = null } = this.#start;
    if (result.status === 'done') {
      learnTime(problem, this.#native.plan, visits, result.solve_s + (result.secondaries?.seconds ?? 0));
    }
    const told = gray === true && result.status === 'done' && hasKinds(problem);
    return {
      ...this.#runDataOf(context, result, keyframes),
      ...(told && { acrossY: await yKinds(this.#addon, problem, this.#ending.signal) }),
    };
  }

  cancel(): void {
    this.#ending.abort();
    this.#native.cancel();
  }

  /** Sends frames of a view until the returned function is called or the run has ended. */
  watch(run: string, view: LiveView, sink: FrameSink<LiveFrame>): () => void {
    this.#live.addView(view);
    const leave = this.#watchers.add(sink, () => this.#live.frame(run, view));
    this.#sinks.set(view, sink);
    // The engine makes frames only on request, so request the first one.
    void this.#refresh();
    return () => {
      leave();
      this.#sinks.delete(view);
      this.#live.removeView(view);
    };
  }

  showLive(): void {
    if (this.#watchers.hasReadySubscriber && !this.#live.isBusy) void this.#refresh();
  }

  async #refresh(): Promise<void> {
    for (const view of await this.#live.receiveFrame()) {
      const sink = this.#sinks.get(view);
      if (sink !== undefined) this.#watchers.offer(sink);
    }
  }

  endLive(): void {
    this.#watchers.finish();
  }

  #checkpointing(around: RunCallbacks): CheckpointWriter | null {
    const { saveCheckpoint } = around;
    if (saveCheckpoint === null) return null;
    return new CheckpointWriter(this.#native, ({ state, keyframes, depth_mm }) =>
      saveCheckpoint(this.#runDataOf(around.context(), state, keyframes), progressText(state.steps, depth_mm)),
    );
  }

  #runDataOf(
    context: ReturnType<RunCallbacks['context']>,
    result: RunOutcome,
    keyframes: readonly Marginals[],
  ): RunData {
    const { problem, table } = this.#start;
    return runData({ ...context, table }, problem, this.#live.axes, result, keyframes);
  }
}
