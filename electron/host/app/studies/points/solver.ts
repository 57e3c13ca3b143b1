/**
 * Solves the points of a study and builds the stored result of each.
 *
 * It runs in a separate process. The messages to and from that process are declared here.
 */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { BraggError, type ErrorCode, toWireError } from '../../../../contract/errors.ts';
import { valueAt } from '../../../../contract/scenario/index.ts';
import {
  type Measure,
  type PlanHead,
  type PlanLine,
  POINT_FORMAT,
  type PointResult,
  type SolverMachine,
  STUDY_FOLDER_VERSION,
  type Study,
} from '../../../../contract/study/index.ts';
import { errorFromNative } from '../../../io/addon/addon.ts';
import { defaultGpu } from '../../../io/addon/gpu.ts';
import { lazyValue } from '../../../io/flow/once.ts';
import {
  type CounterOrReason,
  counterText,
  ENERGY_MEASUREMENT_S,
  measureEnergy_J,
  measureEnergyDuring,
  openGpuCounter,
  openProcessorCounter,
} from '../../../model/bench/conditions/energy.ts';
import { median, medianInterval } from '../../../model/bench/statistics.ts';
import { pointId } from '../../../model/studies/points.ts';
import { hostWorkloads } from '../../../workloads/index.ts';
import type { AnyRunData } from '../../../workloads/run-data.ts';
import { invalidScenarioError } from '../../../workloads/scenarios/scenarios.ts';
import { type BeamSolver, requireBeam } from '../../../workloads/transport/batch.ts';
import { documentOfFamily } from '../../../workloads/transport/one-grid.ts';
import type { RunData } from '../../../workloads/transport/run-data.ts';
import { energyMeasures, type MeasuredTimes } from '../../../workloads/workload.ts';
import type { SolvingHost } from '../plan.ts';
import { documentOf, namedFileDigests, variesGrid, withThreadLimit } from '../results.ts';

export interface WorkerStart {
  readonly kind: 'start';
  readonly folder: string;
  readonly assetsFolder: string;
  /**
   * Mode of the process: beams, each on a separate thread; complete runs, one after another; or beams that share a
   * grid.
   */
  readonly mode: 'beams' | 'runs' | 'family';
  /** Number of points that this process solves at the same time. */
  readonly slots: number;
  /** Number of threads for a run whose scenario requests every core. Null for all cores. */
  readonly threads: number | null;
  /** Number of points that all processes solve at the same time. */
  readonly at_once: number;
  readonly memory_bytes: number;
  readonly job: string | null;
}

export type MessageToWorker =
  | WorkerStart
  /** One point, or the unsolved beams of a family that shares a grid. */
  | { readonly kind: 'points'; readonly lines: readonly PlanLine[] }
  /** Cancels the points that are being solved. They get no results. */
  | { readonly kind: 'cancel' };

export type MessageFromWorker =
  | { readonly kind: 'ready' }
  /** Sent if the host cannot be opened or results cannot be written, because then every point would fail. */
  | { readonly kind: 'unable'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'begun'; readonly id: string }
  /** Sent after the result of a point has been written to its file. */
  | { readonly kind: 'ended'; readonly id: string; readonly status: 'done' | 'failed' };

interface MachineParts {
  readonly host: Pick<SolvingHost, 'capabilities' | 'commit'>;
  readonly at_once: number;
  readonly job: string | null;
}

export function solverMachine({ host, at_once, job }: MachineParts, onGpu: boolean): SolverMachine {
  const { version, build, cpu, devices } = host.capabilities();
  const gpu = onGpu ? defaultGpu(devices) : null;
  return {
    version,
    build,
    commit: host.commit,
    machine: hostname(),
    cpu: cpu.name,
    cores: cpu.logicalCores,
    os: cpu.os,
    gpu: gpu?.name ?? null,
    gpu_uuid: gpu?.uuid ?? null,
    driver: gpu === null ? null : devices.cuda.driver,
    at_once,
    job,
  };
}

/** Energy counters of processor and GPU. A string contains the reason why there is none. */
export interface Counters {
  readonly cpu: CounterOrReason;
  readonly cuda: CounterOrReason;
}

/**
 * Opens the energy counters of this machine. `job`: id of the cluster job. Other jobs may use the same processors, so
 * these are then not counted.
 */
export function openCounters(host: Pick<SolvingHost, 'addon' | 'capabilities'>, job: string | null): Counters {
  const gpu = defaultGpu(host.capabilities().devices);
  return {
    cpu: job === null ? openProcessorCounter() : 'other tasks of the cluster may use the processors of this node',
    cuda: gpu === null ? 'there is no GPU' : openGpuCounter(host.addon, gpu.uuid),
  };
}

/**
 * Measures the energy of consecutive runs. If they are too short for a counter, further runs are measured for some
 * seconds.
 */
export class PointEnergy {
  readonly #counters: Counters;
  readonly #least_s: number;
  readonly #all: { readonly seconds: number; readonly joules: readonly (number | null)[] }[] = [];

  constructor(counters: Counters, least_s = ENERGY_MEASUREMENT_S) {
    this.#counters = counters;
    this.#least_s = least_s;
  }

  async measure<T>(run: () => Promise<T>): Promise<T> {
    const known = [this.#counters.cpu, this.#counters.cuda].filter((one) => typeof one !== 'string');
    const { did, seconds, joules } = await measureEnergyDuring(known, run);
    const places = [this.#counters.cpu, this.#counters.cuda].map((one) =>
      typeof one === 'string' ? null : (joules[known.indexOf(one)] ?? null),
    );
    this.#all.push({ seconds, joules: places });
    return did;
  }

  /**
   * Returns the energy measures: one list per measured run, or a single list for all runs. `repeatRun` repeats the run
   * and throws if it was cancelled.
   */
  async measures(onGpu: boolean, repeatRun: () => Promise<unknown>): Promise<readonly (readonly Measure[])[]> {
    const counter = onGpu ? this.#counters.cuda : this.#counters.cpu;
    if (typeof counter === 'string') return [energyMeasures(null, `not known: ${counter}`)];
    const each = this.#all.map(({ joules }) => joules[onGpu ? 1 : 0] ?? null);
    if (this.#all.every(({ seconds }) => seconds >= this.#least_s) && each.every((one) => one !== null))
      return each.map((one) => energyMeasures(one, counterText(counter)));
    const repeat = (): Promise<number> => repeatRun().then(() => 1);
    const joules = await measureEnergy_J(counter, repeat, this.#least_s);
    return [energyMeasures(joules, joules === null ? 'not known: the counter did not advance' : counterText(counter))];
  }
}

/** Seed of the bootstrap intervals. It is constant, so that equal samples give equal intervals. */
const SEED = 1;

/**
 * Medians and intervals of the times. Other measures come from the first run, with a measure that states whether all
 * runs agree.
 */
function summarizeRepeats(all: readonly MeasuredTimes[]): readonly Measure[] {
  const [first] = all;
  if (first === undefined || all.length === 1) return first?.measures ?? [];
  const readouts = all.map(({ measures }) => JSON.stringify(measures.filter(({ group }) => group === 'readouts')));
  const recordedMeasures = first.measures.map((measure): Measure => {
    if ((measure.group !== 'times' && measure.group !== 'energy') || typeof measure.value !== 'number') return measure;
    const values = all.flatMap(({ measures }) => {
      const value = measures.find(({ group, name }) => group === measure.group && name === measure.name)?.value;
      return typeof value === 'number' ? [value] : [];
    });
    const interval = values.length < 5 ? null : medianInterval(values, SEED);
    return { ...measure, value: median(values), ...(interval ?? {}) };
  });
  const agree = readouts.every((one) => one === readouts[0]) ? 'yes' : 'no';
  return [...recordedMeasures, { group: 'readouts', name: 'repeats_agree', unit: '', value: agree }];
}

interface PointSolverOptions extends Pick<WorkerStart, 'mode' | 'slots' | 'threads' | 'at_once' | 'job'> {
  readonly host: SolvingHost;
  readonly head: PlanHead;
  readonly study: Study;
  readonly signal: AbortSignal;
  /** Energy counters, by default those of this machine, and the minimum duration in seconds for which they count. */
  readonly counters?: Counters;
  readonly counted_s?: number;
}

interface SolveFacts {
  readonly started: string;
  readonly workload: string;
  readonly onGpu: boolean;
  readonly first: MeasuredTimes;
  readonly measures: readonly Measure[];
}

/** Thrown if a run was cancelled, so that the point has neither a result nor an error. */
export class PointCancelledError extends Error {}

export class PointSolver {
  readonly #options: PointSolverOptions;
  readonly #study: Study;
  readonly #beams: BeamSolver;
  readonly #beside = new Map<number, Promise<readonly string[]>>();
  readonly #machines = new Map<boolean, SolverMachine>();
  readonly #counters: () => Counters;

  constructor(options: PointSolverOptions) {
    this.#options = options;
    this.#study = options.study;
    const { counters, host, job } = options;
    this.#counters = lazyValue(() => counters ?? openCounters(host, job));
    this.#beams = options.host.batches.solver(options.signal, options.slots);
  }

  /** Solves one point. Throws PointCancelledError; any other error becomes the point's result. */
  async solve(line: PlanLine): Promise<PointResult> {
    const started = new Date().toISOString();
    const { repeats } = this.#study;
    const energy = this.#study.measures.includes('energy')
      ? new PointEnergy(this.#counters(), this.#options.counted_s)
      : null;
    const solveOnce = async (): Promise<AnyRunData> => {
      const run = await this.#run(line);
      this.#throwIfCancelled();
      return run;
    };
    try {
      const all: MeasuredTimes[] = [];
      let onGpu = false;
      let workload = '';
      for (let i = 0; i < repeats; i += 1) {
        const run = await (energy === null ? solveOnce() : energy.measure(solveOnce));
        onGpu = run.machine.device !== null;
        workload = run.workload;
        all.push(await hostWorkloads[run.workload].measures(run));
      }
      const [first] = all;
      if (first === undefined) throw new Error('a point was not solved');
      // If the run is a session, its measures already contain the energy.
      const told = energy === null || first.measures.some(({ group }) => group === 'energy');
      const joules = told ? [] : await energy.measures(onGpu, solveOnce);
      const each = all.map((one, i) => ({ ...one, measures: [...one.measures, ...(joules[i] ?? [])] }));
      return this.#resultOf(line, { started, workload, onGpu, first, measures: summarizeRepeats(each) });
    } catch (thrown) {
      if (thrown instanceof PointCancelledError) throw thrown;
      this.#throwIfCancelled();
      const { code, message } = toWireError(errorFromNative(thrown));
      return { ...this.failed(line, code, message), started };
    }
  }

  #resultOf({ id }: PlanLine, { started, workload, onGpu, first, measures }: SolveFacts): PointResult {
    const { repeats, measures: groups } = this.#study;
    return {
      format: POINT_FORMAT,
      version: STUDY_FOLDER_VERSION,
      id,
      started,
      status: 'done',
      error: null,
      workload,
      variant: first.variant,
      precision: first.precision,
      threads: first.threads,
      repeats,
      measures: measures.filter(({ group }) => groups.includes(group)),
      curves: groups.includes('curves') ? first.curves : [],
      where: this.#machine(onGpu),
      finished: new Date().toISOString(),
    };
  }

  /**
   * Solves beams on one grid that fits all beams of `family`. Reports those in `wanted` as they end. Throws
   * PointCancelledError.
   */
  async solveFamily(
    family: readonly PlanLine[],
    wanted: readonly PlanLine[],
    ended: (result: PointResult) => void,
  ): Promise<void> {
    const { host, head, threads, signal } = this.#options;
    const started = new Date().toISOString();
    const left = new Map(wanted.map((line) => [line.id, line] as const));
    const telling: Promise<void>[] = [];
    const reportBeam = async (line: PlanLine, run: RunData | BraggError): Promise<void> => {
      if (run instanceof BraggError) {
        ended({ ...this.failed(line, run.code, run.message), started });
        return;
      }
      const first = await hostWorkloads[run.workload].measures(run);
      const beams = { group: 'readouts', name: 'beams_on_grid', unit: '', value: family.length } as const;
      const onGpu = run.machine.device !== null;
      ended(
        this.#resultOf(line, { started, workload: run.workload, onGpu, first, measures: [...first.measures, beams] }),
      );
    };
    try {
      const [first] = family;
      const base = head.bases[first?.base ?? -1];
      if (first === undefined || base === undefined)
        throw new BraggError('foreign-file', 'The plan has no such family of points.');
      await this.#throwIfChanged(first, documentOf(base.document, first.settings));
      const documents = family.map(({ settings }) => documentOf(base.document, settings));
      const place = { name: base.name, folder: base.folder };
      const reading = requireBeam(
        base.name,
        await host.scenarios.check(documentOfFamily(documents, threads ?? 1), place),
      );
      if (reading.issues.some(({ severity }) => severity === 'error')) throw invalidScenarioError(reading.issues);
      await host.batches.runsOnOneGrid(base.name, reading, {
        signal,
        onEnded: (index, run) => {
          const line = left.get(family[index]?.id ?? '');
          if (line === undefined || signal.aborted) return;
          left.delete(line.id);
          telling.push(reportBeam(line, run));
        },
      });
      await Promise.all(telling);
      this.#throwIfCancelled();
    } catch (thrown) {
      this.#throwIfCancelled();
      const { code, message } = toWireError(errorFromNative(thrown));
      for (const line of left.values()) ended({ ...this.failed(line, code, message), started });
    }
  }

  failed({ id, base, settings }: PlanLine, code: BraggError['code'], message: string): PointResult {
    const now = new Date().toISOString();
    const document = documentOf(this.#options.head.bases[base]?.document, settings);
    const text = (value: unknown): string => (typeof value === 'string' ? value : '');
    return {
      format: POINT_FORMAT,
      version: STUDY_FOLDER_VERSION,
      id,
      status: 'failed',
      error: { code, message },
      workload: text(valueAt(document, ['kind'])),
      variant: text(valueAt(document, ['solver', 'variant'])),
      precision: text(valueAt(document, ['solver', 'precision'])),
      threads: null,
      repeats: this.#study.repeats,
      measures: [],
      curves: [],
      where: this.#machine(false),
      started: now,
      finished: now,
    };
  }

  #throwIfCancelled(): void {
    if (this.#options.signal.aborted) throw new PointCancelledError();
  }

  /** Throws if a data file has changed since planning, because the result would belong to another problem. */
  async #throwIfChanged(line: PlanLine, document: unknown): Promise<void> {
    const base = this.#options.head.bases[line.base];
    const beside = this.#beside.get(line.base) ?? namedFileDigests(base?.document, base?.folder ?? null);
    this.#beside.set(line.base, beside);
    if (pointId(document, await beside) === line.id) return;
    const changedFiles = (await beside).filter((one) => !base?.beside.includes(one)).map((one) => one.split(' ')[0]);
    throw new BraggError(
      'invalid',
      `${changedFiles.length === 0 ? 'The plan' : changedFiles.join(', ')} has changed since the study was planned. Plan it again into another folder.`,
    );
  }

  async #run(line: PlanLine): Promise<AnyRunData> {
    const { host, head, mode, threads } = this.#options;
    const base = head.bases[line.base];
    if (base === undefined) throw new BraggError('foreign-file', `The plan has no base scenario ${line.base}.`);
    const document = documentOf(base.document, line.settings);
    await this.#throwIfChanged(line, document);
    const place = { name: base.name, folder: base.folder };
    if (mode === 'beams') {
      return this.#beams.solve({
        ...{ name: base.name, read: () => host.scenarios.check(document, place), onGrid: variesGrid(line.settings) },
      });
    }
    const reading = await host.scenarios.check(withThreadLimit(document, threads), place);
    if (reading.issues.some(({ severity }) => severity === 'error')) throw invalidScenarioError(reading.issues);
    const { id } = await host.runs.start({
      ...{ reading, name: base.name, pictures: false, onGrid: variesGrid(line.settings) },
      energy: this.#study.measures.includes('energy'),
    });
    const cancel = (): void => void host.runs.cancel(id);
    this.#options.signal.addEventListener('abort', cancel, { once: true });
    if (this.#options.signal.aborted) cancel();
    try {
      await host.runs.waitForEnd(id);
      this.#throwIfCancelled();
      return await host.runs.data(id);
    } finally {
      this.#options.signal.removeEventListener('abort', cancel);
      await host.runs.forget(id).catch(() => sleep(0));
    }
  }

  /** Describes this machine. Cached, because all points share it and querying it needs as long as a small point. */
  #machine(onGpu: boolean): SolverMachine {
    const where = this.#machines.get(onGpu) ?? solverMachine(this.#options, onGpu);
    this.#machines.set(onGpu, where);
    return where;
  }
}
