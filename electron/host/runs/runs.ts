/** All runs of a host: starts and cancels them, tells about them, keeps their results. */
import { randomBytes } from 'node:crypto';
import { BraggError, toWireError } from '../../contract/errors.ts';
import type { NamedFile } from '../../contract/files.ts';
import type { LiveFrame, RunInfo, RunProgress } from '../../contract/run.ts';
import type { Marginals, NativeAddon, TransportProblem, TransportRun } from '../addon.ts';
import { fromNative } from '../addon.ts';
import { depthDoseOf } from '../metrics/run-metrics.ts';
import type { Checkpoints } from '../recovery/checkpoints.ts';
import type { Sink } from '../service/service.ts';
import type { RunCache } from './cache.ts';
import { Checkpointing } from './checkpointing.ts';
import type { Lanes } from './lanes.ts';
import { isResting, type LiveView, liveFrame, liveSource, takeLive, wantCuts } from './live.ts';
import { oncePerTurn } from './once-per-turn.ts';
import { type ActivePart, newRecord, progressOf, type RunRecord, runInfo } from './record.ts';
import { keyframesOf, type Machine, measured, type RunData, type RunOutcome, runData } from './run-data.ts';

export interface RunsOptions {
  readonly addon: NativeAddon;
  readonly cache: RunCache;
  /** Shared with benchmarks, which nothing may run beside. */
  readonly lanes: Lanes;
  readonly program: RunData['program'];
  readonly machine: Omit<Machine, 'device'>;
  /** Name of the GPU that CUDA variants run on; null without one. */
  readonly gpu: string | null;
  readonly log: (level: 'info' | 'warning' | 'error', text: string) => void;
  /** Keeps states of runs on disk until they are saved or forgotten; null: a crash loses them. */
  readonly checkpoints: Pick<Checkpoints, 'keep' | 'drop'> | null;
}

export interface StartRequest {
  readonly name: string;
  readonly scenario: Readonly<Record<string, unknown>>;
  readonly completeScenario: Readonly<Record<string, unknown>>;
  readonly table: string;
  readonly problem: TransportProblem;
  /** Record the GPU's work and the driver's calls; slows launches from then on. */
  readonly trace?: boolean;
}

/** Many more than anyone looks at; the oldest that have ended are forgotten. */
const MOST_RUNS = 1000;

function ended(record: RunRecord): boolean {
  return record.active === null;
}

export class Runs {
  readonly #options: RunsOptions;
  readonly #records = new Map<string, RunRecord>();
  readonly #lanes: Lanes;
  readonly #watchers = new Set<Sink<{ runs: RunInfo[] }>>();
  #closing = false;

  constructor(options: RunsOptions) {
    this.#options = options;
    this.#lanes = options.lanes;
    this.#lanes.listen(() => this.#changed());
  }

  /** Queues a run. Throws BraggError when the engine refuses the problem. */
  start(request: StartRequest): RunInfo {
    if (this.#closing) throw new BraggError('unsupported', 'The program is closing.');
    let native: TransportRun;
    try {
      native = this.#options.addon.createTransport(request.problem);
    } catch (error) {
      throw fromNative(error);
    }
    const { plan } = native;
    const variant = this.#options.addon.variants().find(({ id }) => id === plan.variant);
    const { problem, table, completeScenario } = request;
    const active: ActivePart = {
      native,
      problem,
      table,
      completeScenario,
      measuring: { trace: request.trace === true },
      begun_ms: null,
      latest: null,
      revision: 0,
      liveRest_ms: 0,
      views: new Set(),
    };
    const record = newRecord(
      {
        id: randomBytes(9).toString('base64url'),
        name: request.name,
        variant: plan.variant,
        precision: plan.precision,
        device: variant?.device ?? 'cpu',
        created: new Date().toISOString(),
        grid: { ne: plan.ne, ntheta: plan.ntheta, nz: plan.nz, nx: plan.nx },
        scenario: request.scenario,
        state: 'queued',
        finished: null,
        file: null,
        r80_mm: null,
        wall_s: null,
        error: null,
        active,
      },
      plan.steps_max,
    );
    this.#remember(record);
    this.#lanes.add({ id: record.id, lane: record.device, run: () => this.#execute(record, active) });
    this.#changed();
    return this.info(record.id);
  }

  /** Returns at once: a running run ends within one step, with what it has computed. */
  cancel(id: string): RunInfo {
    const record = this.#record(id);
    if (this.#lanes.remove(id)) this.#end(record, 'cancelled');
    else record.active?.native.cancel();
    return this.info(id);
  }

  info(id: string): RunInfo {
    return runInfo(this.#record(id), this.#lanes.position(id));
  }

  /** Newest first. */
  list(): RunInfo[] {
    return [...this.#records.keys()].reverse().map((id) => this.info(id));
  }

  scenario(id: string): Readonly<Record<string, unknown>> {
    return this.#record(id).scenario;
  }

  async forget(id: string): Promise<void> {
    const record = this.#record(id);
    if (!ended(record)) throw new BraggError('unsupported', 'This run has not ended. Cancel it first.');
    this.#records.delete(id);
    this.#changed();
    await Promise.all([this.#options.cache.drop(id), this.#options.checkpoints?.drop(id)]);
  }

  /** The result of a run that has ended. */
  async data(id: string): Promise<RunData> {
    const record = this.#record(id);
    if (!ended(record)) throw new BraggError('unsupported', 'This run has not ended yet.');
    if (record.error !== null && record.wall_s === null) throw BraggError.fromWire(record.error);
    if (record.state === 'cancelled' && record.wall_s === null) {
      throw new BraggError('not-found', 'This run was cancelled before it began: there is no result.');
    }
    return this.#options.cache.get(id);
  }

  /** Takes in a run from a file. */
  adopt(data: RunData, file: NamedFile | null): RunInfo {
    const { axes } = data;
    const record = newRecord(
      {
        id: randomBytes(9).toString('base64url'),
        name: data.name,
        variant: data.variant,
        precision: data.precision,
        device: data.machine.device ?? 'cpu',
        created: data.created,
        grid: { ne: axes.energies_MeV.length, ntheta: axes.ntheta, nz: axes.nz, nx: axes.nx },
        scenario: data.scenario,
        state: data.status,
        finished: data.finished,
        file,
        r80_mm: depthDoseOf(measured(data)).metrics.r80_mm,
        wall_s: data.wall_s,
        error: data.error === null ? null : { ...data.error, issues: [] },
        active: null,
      },
      data.steps,
    );
    record.lastProgress = { ...record.lastProgress, step: data.steps, weight_left: measured(data).weightLeft };
    this.#options.cache.put(record.id, data);
    this.#remember(record);
    this.#changed();
    return this.info(record.id);
  }

  saved(id: string, file: NamedFile): void {
    this.#record(id).file = file;
    void this.#options.checkpoints?.drop(id);
    this.#changed();
  }

  watch(sink: Sink<{ runs: RunInfo[] }>): () => void {
    this.#watchers.add(sink);
    sink.offer(() => ({ runs: this.list() }));
    return () => this.#watchers.delete(sink);
  }

  watchProgress(id: string, sink: Sink<RunProgress>): () => void {
    const record = this.#record(id);
    const stop = record.progress.add(sink, () => record.lastProgress);
    record.progress.offer(sink);
    if (!ended(record)) return stop;
    stop();
    sink.end();
    return () => undefined;
  }

  watchLive(id: string, view: LiveView, sink: Sink<LiveFrame>): () => void {
    const record = this.#record(id);
    const source = liveSource(record);
    if (source === null) {
      sink.end();
      return () => undefined;
    }
    const { active } = source;
    active.views.add(view);
    try {
      wantCuts(active);
    } catch (error) {
      active.views.delete(view);
      throw error;
    }
    const leave = record.live.add(sink, () => liveFrame(id, source, view));
    const stop = (): void => {
      leave();
      active.views.delete(view);
      wantCuts(active);
    };
    // The engine makes frames only when someone asks; this asks for the first one.
    if (takeLive(record)) record.live.offerAll();
    else if (record.active?.latest != null) record.live.offer(sink);
    return stop;
  }

  /** Resolves when a run has ended, however. */
  async ended(id: string): Promise<RunInfo> {
    if (!ended(this.#record(id))) {
      await new Promise<void>((resolve) => {
        this.watchProgress(id, { offer: () => undefined, end: () => resolve() });
      });
    }
    return this.info(id);
  }

  /** Cancels everything and waits for the native threads. */
  async close(): Promise<void> {
    this.#closing = true;
    const open = [...this.#records.values()].filter((record) => !ended(record));
    for (const { id } of open.reverse()) this.cancel(id);
    await Promise.all(open.map(({ id }) => this.ended(id)));
    for (const sink of this.#watchers) sink.end();
  }

  #record(id: string): RunRecord {
    const record = this.#records.get(id);
    if (record === undefined) throw new BraggError('not-found', 'There is no such run.');
    return record;
  }

  #remember(record: RunRecord): void {
    this.#records.set(record.id, record);
    if (this.#records.size <= MOST_RUNS) return;
    const oldest = [...this.#records.values()].find(ended);
    if (oldest !== undefined) void this.forget(oldest.id);
  }

  async #execute(record: RunRecord, active: ActivePart): Promise<void> {
    active.begun_ms = performance.now();
    record.state = 'running';
    record.lastProgress = progressOf(record, null);
    this.#changed();
    try {
      const tell = oncePerTurn(() => this.#tell(record));
      const checkpointing = this.#checkpointing(record, active);
      const result = await active.native.start((progress) => {
        record.lastProgress = progressOf(record, progress);
        checkpointing?.progressed(progress);
        tell();
      }, active.measuring);
      if (result.error !== null) this.#fail(record, result.error);
      if (result.traceReason !== null) this.#options.log('warning', result.traceReason);
      record.wall_s = (performance.now() - active.begun_ms) / 1000;
      // The engine leaves a last frame, with which every live map ends at the final state.
      if (takeLive(record)) record.live.offerAll();
      const keyframes = await keyframesOf(active.native, result);
      const data = this.#dataOf(record, active, result, keyframes);
      record.r80_mm = depthDoseOf(measured(data)).metrics.r80_mm;
      this.#options.cache.put(record.id, data);
      // What took long enough to be worth it is kept until it is saved.
      if (checkpointing?.begun) {
        const { depth_mm } = record.lastProgress;
        void this.#options.checkpoints?.keep({ id: record.id, data, depth_mm, finished: true });
      }
      this.#end(record, result.status);
    } catch (error) {
      this.#fail(record, error);
      record.wall_s = null;
      this.#end(record, 'failed');
    }
  }

  #fail(record: RunRecord, error: unknown): void {
    const failure = fromNative(error);
    record.error = toWireError(failure);
    this.#options.log('error', `${record.name}: ${failure.message}`);
  }

  #tell(record: RunRecord): void {
    const { active } = record;
    if (active === null) return;
    record.progress.offerAll();
    if (record.live.anyoneReady && !isResting(active) && takeLive(record)) record.live.offerAll();
  }

  #checkpointing(record: RunRecord, active: ActivePart): Checkpointing | null {
    const { checkpoints } = this.#options;
    if (checkpoints === null) return null;
    return new Checkpointing(active.native, ({ state, keyframes, depth_mm }) => {
      const data = this.#dataOf(record, active, state, keyframes);
      return checkpoints.keep({ id: record.id, data, depth_mm, finished: false });
    });
  }

  #dataOf(record: RunRecord, active: ActivePart, result: RunOutcome, keyframes: readonly Marginals[]): RunData {
    const { name, created, scenario, device } = record;
    const { program, machine, gpu } = this.#options;
    const finished = new Date().toISOString();
    const wall_s = record.wall_s ?? (performance.now() - (active.begun_ms ?? performance.now())) / 1000;
    const context = { program, name, created, finished, scenario, wall_s };
    const computedBy = { ...machine, device: device === 'cpu' ? null : (gpu ?? device) };
    const { completeScenario, table, problem, native } = active;
    return runData(
      { ...context, machine: computedBy, completeScenario, table },
      problem,
      native.plan,
      result,
      keyframes,
    );
  }

  #end(record: RunRecord, state: 'done' | 'cancelled' | 'failed'): void {
    record.state = state;
    record.finished = new Date().toISOString();
    record.lastProgress = progressOf(record, null);
    record.active = null;
    record.live.finish();
    record.progress.offerAll();
    record.progress.finish();
    this.#changed();
  }

  #changed(): void {
    for (const sink of this.#watchers) sink.offer(() => ({ runs: this.list() }));
  }
}
