/**
 * Compares the variants of a small measured workload: each held to its FP64
 * reference, then prepared anew every few rounds, which are interleaved in
 * shuffled order; beside the first variant its control, which is prepared apart.
 */
import type { BenchReport } from '../../../contract/bench/bench.ts';
import { gpuOf, type Mode } from '../../../contract/bench/bench-session.ts';
import type { TaskEntry, TaskReport } from '../../../contract/bench/task-bench.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { KeptRecording } from '../../../contract/recording.ts';
import type { KernelResources } from '../../../contract/resources.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { findGpu, usedGpu } from '../../io/addon/gpu.ts';
import type { TaskProblem } from '../../io/addon/task.ts';
import { KeepingTimes } from '../../io/flow/keeping-times.ts';
import type { Claim } from '../../model/bench/claims.ts';
import { floorAsRatio, instancesOf, noiseOf, type Series } from '../../model/bench/comparison.ts';
import { beforeRounds } from '../../model/bench/contestant.ts';
import { environmentOf, type Surroundings, unknownSurroundings } from '../../model/bench/environment.ts';
import { machineFacts, noGpus, type SessionGpus } from '../../model/bench/machine.ts';
import { type Turn, takeRounds } from '../../model/bench/rounds.ts';
import { type BenchProgress, SessionClock } from '../../model/bench/session-clock.ts';
import type { BenchLimits } from '../../model/bench/stopping.ts';
import { keptRecording } from '../../model/recording/kept.ts';
import type { Instances } from '../../model/verdicts/levels.ts';
import { type TaskCandidate, taskCandidates, variantsFor } from './candidates.ts';
import { taskClaims } from './claims.ts';
import { type RawTaskSample, rawTaskSample, type TaskContestant, TaskWorker } from './contestant.ts';
import { headOf, measuredTask, ranked } from './entry.ts';

export interface TaskBenchOptions {
  /** How the report names the scenario. */
  readonly scenario: string;
  /** Ids, or id:gpu. The first that can run is what the others are compared with. */
  readonly variants: readonly string[];
  /** Beside `warm`, which is always measured. */
  readonly modes?: readonly Mode[];
  readonly seed: number;
  readonly limits: BenchLimits;
  /** A sample repeats the task for at least this long. */
  readonly sample_s?: number;
  readonly gpus?: SessionGpus;
  readonly claims?: readonly Claim[];
  readonly onProgress?: (progress: BenchProgress) => void;
  /** Told now and then what the report would be if the session ended there, without recordings. */
  readonly soFar?: (report: TaskReport) => void;
  readonly recorded?: {
    readonly document?: Readonly<Record<string, unknown>>;
    readonly commit?: string;
    readonly resources?: KernelResources;
    readonly surroundings?: Surroundings;
  };
  /** After the rounds, record one sample of each variant whole; told why the device's work is not in it. */
  readonly trace?: (reason: string) => void;
  /** Ends the session after the work at hand; what was measured is reported. */
  readonly signal?: AbortSignal;
}

/** Long against a clock's steps and a launch, short against a change of the GPU's clock. */
const usualSample_s = 0.01;

/** Repetitions of a traced sample: few, because a trace is looked at. */
const traced_s = 1e-3;

/** With equal inputs, before the rounds: whether the result is the same every time. */
const checkedRuns = 3;

/** Prepared variants keep their memory; beyond this share of the GPU's each is prepared anew for every sample. */
const shareKept = 0.5;

/** A median that one odd sample does not move; more would not tell what varies between instances. */
const ROUNDS_PER_INSTANCE = 3;

const levels = (samples: readonly RawTaskSample[]): Instances => instancesOf(samples, ({ time_s }) => time_s);

class Session {
  private readonly refused = new Map<TaskCandidate, string>();
  private readonly contestants: TaskContestant[] = [];
  /** The reference once more, prepared and timed as a rival is. */
  private control: { readonly worker: TaskWorker; readonly samples: RawTaskSample[] } | null = null;
  private readonly clock: SessionClock;
  private readonly times = new KeepingTimes();
  private keep = true;
  private readonly addon: NativeAddon;
  private readonly problem: TaskProblem;
  private readonly options: TaskBenchOptions;

  constructor(addon: NativeAddon, problem: TaskProblem, options: TaskBenchOptions) {
    this.addon = addon;
    this.problem = problem;
    this.options = options;
    this.clock = new SessionClock(options.limits);
  }

  async run(): Promise<TaskReport> {
    const variants = this.addon.taskVariants(this.problem.workload);
    const all = taskCandidates(this.problem, this.options.variants, variants);
    const title = variantsFor(this.problem, variants)[0]?.benchTitle ?? this.problem.workload;
    try {
      this.keep = this.fits(all);
      for (const candidate of all) await this.firstRun(candidate);
      const stopped = await this.takeRounds(all, title);
      await this.takeTraces();
      return { ...this.report(all, title, stopped), recordings: [...this.recordings()] };
    } finally {
      for (const { worker } of this.contestants) await worker.close();
      await this.control?.worker.close();
    }
  }

  private get cancelled(): boolean {
    return this.options.signal?.aborted === true;
  }

  private tell(phase: string, what: string): void {
    this.options.onProgress?.(this.clock.progress(phase, what));
  }

  /** Whether all may stay prepared at once. */
  private fits(all: readonly TaskCandidate[]): boolean {
    const memory = usedGpu(this.addon.devices())?.memory_bytes ?? null;
    const needs = (device: 'cpu' | 'cuda'): number =>
      // The first twice: the control is prepared beside it.
      [...all.slice(0, 1), ...all]
        .filter(({ variant }) => variant.device === device && variant.available)
        .reduce((sum, candidate) => sum + this.estimate(candidate), 0);
    return (
      (memory === null || needs('cuda') <= shareKept * memory) &&
      needs('cpu') <= shareKept * this.problem.memory_limit_bytes
    );
  }

  private estimate(candidate: TaskCandidate): number {
    try {
      return this.addon.createTask(candidate.problem).plan.estimate_bytes;
    } catch {
      // Its refusal is told in its row.
      return 0;
    }
  }

  private async firstRun(candidate: TaskCandidate): Promise<void> {
    if (this.cancelled) return;
    this.tell('first runs', candidate.label);
    try {
      const worker = new TaskWorker(this.addon, candidate, this.options.signal);
      try {
        const found = await this.gather(candidate, worker);
        if (found !== null) this.contestants.push(found);
      } finally {
        if (!this.keep || this.contestants.at(-1)?.worker !== worker) await worker.close();
      }
    } catch (error) {
      if (!(error instanceof BraggError) || error.code === 'internal') throw error;
      // The row says already which variant it is.
      this.refused.set(candidate, error.message.replace(/^solver\.variant = [^:]+: /, ''));
    }
  }

  private async gather(candidate: TaskCandidate, worker: TaskWorker): Promise<TaskContestant | null> {
    const preparation = await worker.prepare();
    const first = await worker.sample('warm', this.sample_s);
    const others: Series<RawTaskSample>[] = [];
    for (const mode of (this.options.modes ?? []).filter((one) => one !== 'warm')) {
      // Tried once: not every task's launches can be captured.
      const reason = await worker.sample(mode, this.sample_s).then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      others.push({ mode, samples: [], reason });
    }
    // After the samples: quantities may be of what was timed.
    const verdict = await worker.check(checkedRuns);
    if (preparation === null || first === null || verdict === null) return null;
    return {
      candidate,
      worker,
      estimate_bytes: worker.plan.estimate_bytes,
      preparation,
      verdict,
      first: rawTaskSample(first, beforeRounds),
      warm: { mode: 'warm', samples: [], reason: null },
      others,
    };
  }

  private get sample_s(): number {
    return this.options.sample_s ?? usualSample_s;
  }

  private async takeRounds(all: readonly TaskCandidate[], title: string): Promise<BenchReport['stopped']> {
    const [reference] = this.contestants;
    if (reference === undefined) return this.cancelled ? 'cancelled' : 'refused';
    const turns = this.contestants.flatMap((contestant) =>
      [contestant.warm, ...contestant.others]
        .filter(({ reason }) => reason === null)
        .map(({ mode, samples }) => this.turn(contestant, mode, samples)),
    );
    const control = { worker: new TaskWorker(this.addon, reference.candidate, this.options.signal), samples: [] };
    this.control = control;
    turns.push(this.turn({ candidate: reference.candidate, worker: control.worker }, 'warm', control.samples));
    const { seed, limits } = this.options;
    this.clock.roundsBegin();
    const { stopped } = await takeRounds(turns, {
      seed,
      limits,
      roundsPerInstance: this.roundsPerInstance,
      cancelled: () => this.cancelled,
      elapsed_s: () => this.clock.elapsed_s,
      tell: (what) => this.tell('rounds', what),
      onRound: (rounds) => {
        this.clock.afterRound(
          rounds,
          this.contestants.map(({ candidate, warm }) => ({
            label: candidate.label,
            times: levels(warm.samples),
          })),
        );
        this.tellSoFar(all, title);
      },
    });
    return stopped;
  }

  private tellSoFar(all: readonly TaskCandidate[], title: string): void {
    const { soFar } = this.options;
    if (soFar === undefined || !this.times.isDue()) return;
    this.times.begins();
    soFar(this.report(all, title, 'cancelled'));
    this.times.kept();
  }

  /** What cannot stay prepared is prepared for each sample. */
  private get roundsPerInstance(): number {
    return this.keep ? ROUNDS_PER_INSTANCE : 1;
  }

  private turn(
    { candidate, worker }: Pick<TaskContestant, 'candidate' | 'worker'>,
    mode: Mode,
    samples: RawTaskSample[],
  ): Turn {
    return {
      // Its other modes are timed on the state that its warm samples are of.
      ...(this.keep && mode === 'warm' ? { prepare: () => worker.prepareAnew() } : {}),
      what: mode === 'warm' ? candidate.label : `${candidate.label}, ${mode}`,
      times: () => levels(samples),
      take: async (where) => {
        const sample = await worker.sample(mode, this.sample_s);
        if (!this.keep) await worker.close();
        return sample === null ? null : () => samples.push(rawTaskSample(sample, where));
      },
    };
  }

  /** Last: tracing slows launches, also after it has stopped. */
  private async takeTraces(): Promise<void> {
    const { trace } = this.options;
    if (trace === undefined) return;
    const reasons = new Set<string>();
    for (const { candidate, worker } of this.contestants) {
      this.tell('traces', candidate.label);
      const sample = await worker.traced(traced_s);
      if (!this.keep) await worker.close();
      const reason = sample?.traceReason ?? null;
      if (reason !== null && candidate.variant.device === 'cuda') reasons.add(reason);
    }
    for (const reason of reasons) trace(reason);
  }

  /** What each variant's engine recorded, on one clock. */
  private recordings(): readonly KeptRecording[] {
    const report = this.addon.devices();
    const nameOf = ({ gpu, variant }: TaskCandidate): string | null => {
      if (variant.device === 'cpu') return null;
      const used = gpu === null ? usedGpu(report) : findGpu(report.cuda.devices, String(gpu));
      return used?.name ?? 'GPU';
    };
    const all = this.contestants.flatMap(({ candidate, worker }) => {
      const { recording } = worker;
      return recording === null ? [] : [{ candidate, recording }];
    });
    const begun_ns = Math.min(...all.map(({ recording }) => recording.origin_ns));
    return all.map(({ candidate, recording }) =>
      keptRecording({ label: candidate.label, device: nameOf(candidate) }, recording, recording.origin_ns - begun_ns),
    );
  }

  private report(all: readonly TaskCandidate[], title: string, stopped: BenchReport['stopped']): TaskReport {
    const { seed, gpus = noGpus, scenario, recorded = {}, claims = [], limits } = this.options;
    const { precision, margin } = limits;
    const { machine, program } = machineFacts(this.addon, gpus, all);
    const everyone = this.contestants.map(ranked);
    const [reference] = everyone;
    const noise =
      reference === undefined || this.control === null || this.clock.rounds === 0
        ? null
        : noiseOf(levels(this.control.samples), levels(reference.warm.samples));
    const floor = noise?.floor ?? null;
    const basis = { reference, all: everyone, floor, margin, timeOf: ({ time_s }: RawTaskSample) => time_s };
    const entries = all.flatMap((candidate): TaskEntry[] => {
      const reason = this.refused.get(candidate);
      if (reason !== undefined) return [{ ...headOf(candidate), status: 'refused', reason }];
      const contestant = this.contestants.find((one) => one.candidate === candidate);
      return contestant === undefined
        ? []
        : [measuredTask(contestant, basis, gpuOf(machine, candidate.gpu)?.ceilings ?? null)];
    });
    const { document, commit, resources, surroundings = unknownSurroundings } = recorded;
    const samples = this.contestants.flatMap(({ warm, others }) =>
      [warm, ...others].flatMap((series) => series.samples),
    );
    const clocked = [...(this.control?.samples ?? []), ...samples];
    return {
      workload: this.problem.workload,
      bench: this.problem.bench,
      title,
      scenario,
      machine,
      program: { ...program, ...(commit === undefined ? {} : { commit }) },
      ...(document === undefined ? {} : { document: { ...document } }),
      ...(resources === undefined ? {} : { resources }),
      reference: reference?.label ?? null,
      seed,
      rounds: this.clock.rounds,
      stopped,
      judged: {
        precision,
        margin,
        instances: Math.ceil(this.clock.rounds / this.roundsPerInstance),
        rounds_per_instance: this.roundsPerInstance,
      },
      environment: environmentOf(surroundings, this.clock.otherLoad_cores, clocked),
      noise: { ratio: noise?.ratio ?? null, floor: floorAsRatio(floor) },
      entries,
      claims: taskClaims(claims, { entries, seed, machine }),
      elapsed_s: this.clock.elapsed_s,
    };
  }
}

/** Throws a BraggError for variants that are not known. */
export function benchTask(addon: NativeAddon, problem: TaskProblem, options: TaskBenchOptions): Promise<TaskReport> {
  return new Session(addon, problem, options).run();
}
