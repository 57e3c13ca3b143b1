/** All runs of a host: starts, cancels and reports them, and stores their results. */
import { randomBytes } from 'node:crypto';
import { BraggError, toWireError } from '../../../contract/errors.ts';
import type { NamedFile } from '../../../contract/files.ts';
import type { RunInfo, RunProgress } from '../../../contract/run.ts';
import type { ScenarioDraft } from '../../../contract/scenario/workload.ts';
import { errorFromNative, type NativeAddon } from '../../io/addon/addon.ts';
import type { LaneQueue } from '../../io/flow/lanes.ts';
import { oncePerTick } from '../../io/flow/once.ts';
import type { FrameSink } from '../../io/flow/subscribers.ts';
import { withSharedArrays } from '../../io/threads/shared.ts';
import { appendValuesToName } from '../../model/scenarios/overrides.ts';
import { appendHostPart, type HostPart, prependHostParts } from '../../model/timeline/import/host-parts.ts';
import { hostWorkloads, type WorkloadRun } from '../../workloads/index.ts';
import type { RunContext } from '../../workloads/run-context.ts';
import type { AnyRunData } from '../../workloads/run-data.ts';
import { invalidScenarioError, type ScenarioReading } from '../../workloads/scenarios/scenarios.ts';
import type { MeasureVariants } from '../../workloads/workload.ts';
import { scenarioDifferencesInSlices } from '../compare/compare.ts';
import type { Checkpoints } from '../recovery/checkpoints.ts';
import type { RunCache } from './cache.ts';
import { type ActiveRunData, elapsed_s, newRecord, progressOf, type RunRecord, runInfo } from './record.ts';

interface RunsOptions {
  readonly addon: NativeAddon;
  readonly assetsFolder: string;
  readonly cache: RunCache;
  readonly measure: MeasureVariants;
  /** Shared with benchmarks, which must run alone. */
  readonly lanes: LaneQueue;
  readonly program: RunContext['program'];
  readonly machine: Omit<RunContext['machine'], 'device'>;
  /** Returns the name of the GPU for CUDA variants. Null if there is none. */
  readonly gpu: () => string | null;
  readonly log: (level: 'info' | 'warning' | 'error', text: string) => void;
  /** Saves checkpoints of runs until they are saved or removed. Null if no checkpoints are needed. */
  readonly checkpoints: Pick<Checkpoints<AnyRunData>, 'save' | 'drop'> | null;
  /** Startup stages of the program. They are reported with the first run. */
  readonly opened?: readonly HostPart[];
}

/**
 * Lists the values that the user changed, for the name of a run. Empty if the user changed the scenario's name too.
 */
export async function changesOf(
  saved: ScenarioDraft,
  draft: ScenarioDraft,
): Promise<Parameters<typeof appendValuesToName>[1]> {
  if (saved['name'] !== draft['name']) return [];
  const differences = await scenarioDifferencesInSlices(saved, draft);
  return differences.map(({ what, here }) => ({ at: what, value: here.replace(/^"(.*)"$/, '$1') }));
}

interface StartRequest {
  readonly reading: ScenarioReading;
  /** Name of the run if the scenario has none. */
  readonly name: string;
  /** Values that the user changed in the named scenario. */
  readonly changes?: Parameters<typeof appendValuesToName>[1];
  /** Whether to record the GPU's work and the driver's calls, which slows down all later launches. */
  readonly trace?: boolean;
  /** Whether to store keyframes. True by default; false if only numbers are needed. */
  readonly pictures?: boolean;
  /**
   * Whether to solve on the phase-space grid even without keyframes, because a study varies the grid or a GPU was
   * requested.
   */
  readonly onGrid?: boolean;
  /** Whether to measure energy too, if the run is a session with many repetitions. */
  readonly energy?: boolean;
  /** Whether the run is neither listed nor saved for recovery. The caller must remove it. */
  readonly unlisted?: boolean;
}

/**
 * A run whose result is replaced by each answer of a Live session. It is not stored in a file, and is removed with the
 * session.
 */
export interface LiveRun {
  readonly id: string;
  /** Replaces the result. `run`: the run that has just computed `data`. */
  setResult(run: WorkloadRun, data: AnyRunData): void;
  end(): void;
}

/** Maximum number of runs. Beyond it, the oldest ended runs are removed. */
const MAX_RUNS = 1000;

function hasEnded(record: RunRecord): boolean {
  return record.active === null;
}

export class Runs {
  readonly #options: RunsOptions;
  readonly #records = new Map<string, RunRecord>();
  readonly #lanes: LaneQueue;
  readonly #watchers = new Set<FrameSink<{ runs: RunInfo[] }>>();
  /** Startup stages that no run has reported yet. */
  #opened: readonly HostPart[];
  #closing = false;

  constructor(options: RunsOptions) {
    this.#options = options;
    this.#opened = options.opened ?? [];
    this.#lanes = options.lanes;
    this.#lanes.listen(() => this.#notifyWatchers());
  }

  /** Queues a run. Throws BraggError if the scenario has errors or the engine rejects it. */
  async start({ reading: requested, name, changes = [], ...options }: StartRequest): Promise<RunInfo> {
    const { trace = false, pictures = true, onGrid = pictures || trace, energy = false, unlisted = false } = options;
    this.#throwIfClosing();
    const { kind, issues } = requested;
    if (kind === null) throw invalidScenarioError(issues);
    const { addon, assetsFolder, measure } = this.#options;
    let reading: ScenarioReading = requested;
    let run: WorkloadRun;
    try {
      if (!onGrid) reading = (await hostWorkloads[kind].forReadouts?.(addon, requested)) ?? requested;
      run = await hostWorkloads[kind].prepare(addon, reading, {
        ...{ trace, keyframes: pictures, name, assetsFolder, measure, energy },
      });
    } catch (error) {
      throw errorFromNative(error);
    }
    // The host may have started to close in the meantime.
    this.#throwIfClosing();
    const { document, scenario } = reading;
    const { read_s } = reading;
    const reads = read_s === undefined ? [] : [{ name: 'scenario read', seconds: read_s }];
    const active: ActiveRunData = {
      ...{ run, completeScenario: { ...scenario }, begun_ms: null },
      before: [...this.#opened, ...reads],
    };
    this.#opened = [];
    const { variant, precision, device, size, before } = run;
    const record = newRecord(
      {
        id: randomBytes(9).toString('base64url'),
        workload: kind,
        name: appendValuesToName(scenario?.name || name || 'untitled', changes),
        variant,
        precision,
        device,
        created: new Date().toISOString(),
        size,
        scenario: { ...document },
        state: 'queued',
        finished: null,
        file: null,
        headline: null,
        wall_s: null,
        error: null,
        active,
      },
      before,
      { unlisted },
    );
    this.#addRecord(record);
    this.#lanes.add({ id: record.id, lane: run.lane, run: () => this.#execute(record, active) });
    this.#notifyWatchers();
    return this.info(record.id);
  }

  /** Returns at once. A run that is computing ends within one step and retains its partial result. */
  cancel(id: string): RunInfo {
    const record = this.#record(id);
    if (this.#lanes.remove(id)) this.#finish(record, 'cancelled');
    else record.active?.run.cancel();
    return this.info(id);
  }

  info(id: string): RunInfo {
    return runInfo(this.#record(id), this.#lanes.position(id));
  }

  /** Listed runs, newest first. */
  list(): RunInfo[] {
    const listed = [...this.#records.values()].filter(({ unlisted }) => !unlisted);
    return listed.reverse().map(({ id }) => this.info(id));
  }

  scenario(id: string): Readonly<Record<string, unknown>> {
    return this.#record(id).scenario;
  }

  async forget(id: string): Promise<void> {
    const record = this.#record(id);
    if (!hasEnded(record)) throw new BraggError('unsupported', 'This run has not ended. Cancel it first.');
    if (record.live) throw new BraggError('unsupported', 'This result belongs to Live: switch Live off to remove it.');
    this.#records.delete(id);
    this.#notifyWatchers();
    await Promise.all([this.#options.cache.drop(id), this.#options.checkpoints?.drop(id)]);
  }

  /** Returns the result of a run that has ended. */
  async data(id: string): Promise<AnyRunData> {
    const record = this.#record(id);
    if (!hasEnded(record)) throw new BraggError('unsupported', 'This run is still in progress.');
    if (record.error !== null && record.wall_s === null) throw BraggError.fromWire(record.error);
    if (record.state === 'cancelled' && record.wall_s === null) {
      throw new BraggError('not-found', 'This run was cancelled before it started: there is no result.');
    }
    return this.#options.cache.get(id);
  }

  /** Adds a run from a file. */
  async addFromFile(data: AnyRunData, file: NamedFile | null): Promise<RunInfo> {
    const { size, headline, detail } = await hostWorkloads[data.workload].ended(data);
    const record = newRecord(
      {
        id: randomBytes(9).toString('base64url'),
        workload: data.workload,
        name: data.name,
        variant: data.variant,
        precision: data.precision,
        device: data.machine.device ?? 'cpu',
        created: data.created,
        size,
        scenario: data.scenario,
        state: data.status,
        finished: data.finished,
        file,
        headline,
        wall_s: data.wall_s,
        error: data.error === null ? null : { ...data.error, issues: [] },
        active: null,
      },
      detail,
    );
    this.#options.cache.put(record.id, data);
    this.#addRecord(record);
    this.#notifyWatchers();
    return this.info(record.id);
  }

  /** Adds a run for a Live session. Its result is available after the first `setResult`. */
  live(): LiveRun {
    const id = randomBytes(9).toString('base64url');
    return {
      id,
      setResult: (run, data) => this.#setLiveResult(id, run, data),
      end: () => {
        this.#records.delete(id);
        void this.#options.cache.drop(id);
        this.#notifyWatchers();
      },
    };
  }

  #setLiveResult(id: string, run: WorkloadRun, data: AnyRunData): void {
    const { variant, precision, device, size, before } = run;
    const { workload, name, created, finished, scenario, wall_s } = data;
    const known = { id, workload, name, variant, precision, device, size, created, finished, scenario, wall_s };
    const record = newRecord(
      { ...known, state: 'done', file: null, headline: null, error: null, active: null },
      before,
      { live: true },
    );
    const last = this.#records.get(id);
    this.#options.cache.put(id, data);
    this.#records.set(id, record);
    // Lists are sent completely, so send them only if a listed value changes, not for each of thirty answers per
    // second.
    const same = last?.variant === variant && last.size === size && last.name === name;
    if (!same) this.#notifyWatchers();
  }

  /** Records that the run was saved to a file. `seconds`: time needed to write the file. */
  async markSaved(id: string, file: NamedFile, seconds: number): Promise<void> {
    const { cache, checkpoints } = this.#options;
    const record = this.#record(id);
    record.file = file;
    void checkpoints?.drop(id);
    this.#notifyWatchers();
    if (record.live) return;
    const data = await cache.get(id);
    if (!('spans' in data)) return;
    const whole = await withSharedArrays(appendHostPart(data, { name: 'file written', seconds }));
    // The run may have been removed in the meantime.
    if (this.#records.get(id) === record) cache.put(id, whole);
  }

  /** Number of ended runs that were not saved to a user file. */
  get unsaved(): number {
    return [...this.#records.values()].filter(
      (record) =>
        hasEnded(record) && record.wall_s !== null && record.file === null && !record.live && !record.unlisted,
    ).length;
  }

  watch(sink: FrameSink<{ runs: RunInfo[] }>): () => void {
    this.#watchers.add(sink);
    sink.offer(() => ({ runs: this.list() }));
    return () => this.#watchers.delete(sink);
  }

  watchProgress(id: string, sink: FrameSink<RunProgress>): () => void {
    const record = this.#record(id);
    const stop = record.progress.add(sink, () => record.lastProgress);
    record.progress.offer(sink);
    if (!hasEnded(record)) return stop;
    stop();
    sink.end();
    return () => undefined;
  }

  /** Returns the native run while it is queued or computing. Null once it has ended. */
  activeRun(id: string): WorkloadRun | null {
    return this.#record(id).active?.run ?? null;
  }

  /** Resolves when a run has ended, with or without success. */
  async waitForEnd(id: string): Promise<RunInfo> {
    if (!hasEnded(this.#record(id))) {
      await new Promise<void>((resolve) => {
        this.watchProgress(id, { offer: () => undefined, end: () => resolve() });
      });
    }
    return this.info(id);
  }

  /** Cancels all runs and waits for their native threads. */
  async close(): Promise<void> {
    this.#closing = true;
    const open = [...this.#records.values()].filter((record) => !hasEnded(record));
    for (const { id } of open.reverse()) this.cancel(id);
    await Promise.all(open.map(({ id }) => this.waitForEnd(id)));
    for (const sink of this.#watchers) sink.end();
  }

  #throwIfClosing(): void {
    if (this.#closing) throw new BraggError('unsupported', 'The program is closing.');
  }

  #record(id: string): RunRecord {
    const record = this.#records.get(id);
    if (record === undefined) throw new BraggError('not-found', 'This run does not exist.');
    return record;
  }

  #addRecord(record: RunRecord): void {
    this.#records.set(record.id, record);
    if (this.#records.size <= MAX_RUNS) return;
    const oldest = [...this.#records.values()].find((one) => hasEnded(one) && !one.live);
    if (oldest !== undefined) void this.forget(oldest.id);
  }

  async #execute(record: RunRecord, active: ActiveRunData): Promise<void> {
    active.begun_ms = performance.now();
    record.state = 'running';
    record.lastProgress = progressOf(record, null);
    this.#notifyWatchers();
    const { checkpoints, cache, log } = this.#options;
    let kept = false;
    try {
      const tell = oncePerTick(() => {
        if (record.active === null) return;
        record.progress.offerAll();
        active.run.showLive();
      });
      const computed = await active.run.start({
        reportProgress: (detail, eta_s) => {
          record.lastProgress = progressOf(record, { detail, eta_s });
          tell();
        },
        context: () => this.#runContextOf(record, active),
        saveCheckpoint:
          checkpoints === null || record.unlisted
            ? null
            : (state, upTo) => {
                kept = true;
                return checkpoints.save({ id: record.id, data: state, upTo, finished: false });
              },
        warn: (text) => log('warning', text),
      });
      // Use shared arrays: views of a large run are computed on worker threads, and would otherwise copy the run each
      // time.
      const whole = 'spans' in computed ? prependHostParts(computed, active.before) : computed;
      const data = await withSharedArrays(whole);
      const { headline, detail, upTo } = await hostWorkloads[data.workload].ended(data);
      if (data.error !== null) this.#fail(record, new BraggError(data.error.code, data.error.message));
      record.wall_s = data.wall_s;
      record.headline = headline;
      record.lastProgress = { ...record.lastProgress, detail };
      cache.put(record.id, data);
      // A run that took longer than a minimum duration is checkpointed until it is saved.
      if (kept) void checkpoints?.save({ id: record.id, data, upTo, finished: true });
      this.#finish(record, data.status);
    } catch (error) {
      this.#fail(record, error);
      record.wall_s = null;
      this.#finish(record, 'failed');
    }
  }

  #fail(record: RunRecord, error: unknown): void {
    const failure = errorFromNative(error);
    record.error = toWireError(failure);
    this.#options.log('error', `${record.name}: ${failure.message}`);
  }

  #runContextOf(record: RunRecord, { completeScenario }: ActiveRunData): RunContext {
    const { name, created, scenario, device } = record;
    const { program, machine, gpu } = this.#options;
    return {
      program,
      machine: { ...machine, device: device === 'cpu' ? null : (gpu() ?? device) },
      name,
      created,
      finished: new Date().toISOString(),
      scenario,
      completeScenario,
      wall_s: elapsed_s(record),
    };
  }

  #finish(record: RunRecord, state: 'done' | 'cancelled' | 'failed'): void {
    record.state = state;
    record.finished = new Date().toISOString();
    record.lastProgress = progressOf(record, null);
    record.active?.run.endLive();
    record.active = null;
    record.progress.offerAll();
    record.progress.finish();
    this.#notifyWatchers();
  }

  #notifyWatchers(): void {
    for (const sink of this.#watchers) sink.offer(() => ({ runs: this.list() }));
  }
}
