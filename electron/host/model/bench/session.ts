/**
 * Measures variants of any workload against each other: first one run of each, then the reference answer, then
 * interleaved rounds in shuffled order. Each round measures the reference variant twice. The second time it uses a
 * separately prepared state, the control, which shows the noise of the session.
 */
import type { Mode } from '../../../contract/bench/bench-session.ts';
import { correctnessOf, isIncorrect, type SessionEntry, type SessionReport } from '../../../contract/bench/session.ts';
import { BraggError, messageOf } from '../../../contract/errors.ts';
import type { KernelResources } from '../../../contract/launches.ts';
import { groupedDigits } from '../../../domain/numbers.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { CheckpointSchedule } from '../../io/flow/checkpoint-times.ts';
import type { StartChild } from '../../io/processes/link.ts';
import {
  type AnswerValues,
  type BenchCandidate,
  type BenchEntry,
  type BenchSetup,
  DeterminismCheck,
  endToEndTime_s,
  type RawSample,
  sampleTime_s,
  toRawSample,
} from './bench-candidate.ts';
import { ColdProcesses, MAX_TIMER_MS } from './cold/processes.ts';
import {
  type BenchEnvironment,
  type ComparisonBasis,
  flagSeries,
  floorToRatio,
  groupByInstance,
  highestClock_MHz,
  type SampleSet,
  sessionNoise,
  summarizeEnvironment,
  UNKNOWN_ENVIRONMENT,
} from './comparison.ts';
import {
  type CounterOrReason,
  counterText,
  ENERGY_FACT,
  measureEnergy_J,
  openGpuCounter,
  openProcessorCounter,
} from './conditions/energy.ts';
import { SteadyGpu, type SteadySettings } from './conditions/steady.ts';
import { buildMeasuredEntry, type CandidateData, toComparisonCandidate, toStoredSample } from './entry.ts';
import { describeMachine, NO_GPUS, readProcessorLimits, type SessionGpus } from './machine.ts';
import { measureRounds, type SampleSeries } from './rounds.ts';
import { type BenchLimits, type BenchProgress, SessionClock } from './stopping.ts';

export interface SessionOptions {
  /** Name of the scenario, shown in the report. */
  readonly scenario: string;
  /** Modes to measure in addition to `warm`. */
  readonly modes?: readonly Mode[];
  readonly seed: number;
  readonly limits: BenchLimits;
  /** GPUs of the machine with their measured ceilings; none by default. */
  readonly gpus?: SessionGpus;
  /** Called before every timed run, with the current step and the progress of the session. */
  readonly onProgress?: ((progress: BenchProgress) => void) | undefined;
  /** Called repeatedly with the report of the samples so far, without recordings. */
  readonly soFar?: ((report: SessionReport) => void) | undefined;
  /** Further content for the report: the scenario's document, the commit, the resources of the kernels. */
  readonly recorded?: {
    readonly document?: Readonly<Record<string, unknown>>;
    readonly commit?: string;
    readonly resources?: KernelResources;
    readonly surroundings?: BenchEnvironment;
  };
  /**
   * If set, one sample of each candidate that supports it is traced after the rounds. Called with the reason if a trace
   * lacks the device's work.
   */
  readonly trace?: ((reason: string) => void) | undefined;
  /** Called with the answer of each candidate's first run, before the rounds. */
  readonly onAnswer?: ((label: string, values: AnswerValues) => void) | undefined;
  /** Number of separate processes to time for each candidate after the rounds; none by default. */
  readonly processes?: { readonly count: number; readonly startChild: StartChild } | undefined;
  /** Settings that keep the GPU's clock steady; the clock is not controlled by default. */
  readonly steadied?: SteadySettings | undefined;
  /** Whether to measure the energy of each candidate after the rounds, over seconds of runs; false by default. */
  readonly energy?: boolean | undefined;
  /** Ends the session after the current run. The report then contains the samples so far. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Seconds, in addition to the session's limit, for completing checks of answers: a share of the limit, clamped to these
 * bounds.
 */
const CHECK_TIME = { share: 0.5, least_s: 1, most_s: 20 } as const;
/** Approximate time in seconds to start Node.js and load the addon. */
const PROCESS_START_S = 0.3;
/** Maximum share of a session's time that is reserved for cold processes. */
const MAX_PROCESS_SHARE = 0.4;
/**
 * Share of a session's time after which starting and compiling programs are stopped. The remaining time is for rounds.
 */
const MAX_START_SHARE = 0.6;

/** Aborts the start of a candidate when it has used too much of a session's time. */
class StartLimit {
  readonly #running = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly signal: AbortSignal;

  constructor(seconds: number, signal: AbortSignal | undefined) {
    this.#timer = setTimeout(() => this.#running.abort(), Math.min(1000 * seconds, MAX_TIMER_MS));
    const own = this.#running.signal;
    this.signal = signal === undefined ? own : AbortSignal.any([signal, own]);
  }

  isReached(): boolean {
    return this.#running.signal.aborted;
  }

  /** Cancels the limit, because the start has ended. */
  clear(): void {
    clearTimeout(this.#timer);
  }
}

/** Returns an error that excludes the candidate; throws internal errors again. */
function exclusionError(error: unknown): BraggError {
  if (error instanceof BraggError && error.code !== 'internal') return error;
  throw error;
}

const warmUpFact = (count: number): [string, string] => [
  'Warm-up',
  `${count} untimed sample${count === 1 ? '' : 's'} of each variant in each mode before its first timed one, and again after each new preparation`,
];

class BenchmarkSession {
  private readonly refused = new Map<BenchEntry, string>();
  private readonly all: CandidateData[] = [];
  private readonly entryOf = new Map<CandidateData, BenchEntry>();
  /** Seconds from the start of another program to its first answer. */
  private readonly startOf_s = new Map<BenchEntry, number>();
  private readonly control: RawSample[] = [];
  /** All candidates created so far, whose memory has to be freed at the end. */
  private readonly created: BenchCandidate[] = [];
  private readonly oracles = new Set<string>();
  private readonly clock: SessionClock;
  private readonly times = new CheckpointSchedule();
  private readonly addon: NativeAddon;
  private readonly setup: BenchSetup;
  private readonly options: SessionOptions;
  private processes: ColdProcesses | null = null;
  private readonly energyFrom = new Set<string>();
  private readonly steady: SteadyGpu;

  constructor(addon: NativeAddon, setup: BenchSetup, options: SessionOptions) {
    this.addon = addon;
    this.setup = setup;
    this.options = options;
    this.clock = new SessionClock(options.limits);
    const { steadied = { lock_MHz: null, cool_C: null }, gpus = NO_GPUS } = options;
    this.steady = new SteadyGpu(addon, gpus.defaultGpu?.uuid ?? null, steadied);
  }

  async run(): Promise<SessionReport> {
    try {
      for (const benchEntry of this.setup.benchEntries) await this.firstRun(benchEntry);
      await this.checkAgainstReferences();
      const stopped = await this.takeRounds();
      if (stopped !== 'cancelled' && stopped !== 'refused') {
        await this.completeChecks();
        await this.measureEnergy();
        await this.timeColdProcesses();
      }
      await this.recordTraces();
      const report = this.report(stopped);
      const recordings = this.recordings();
      return { ...report, ...(recordings === null ? {} : { recordings }) };
    } finally {
      this.steady.close();
      for (const candidate of this.created) await candidate.close();
    }
  }

  private get cancelled(): boolean {
    return this.options.signal?.aborted === true;
  }

  private reportProgress(phase: string, what: string): void {
    this.options.onProgress?.(this.clock.progress(phase, what));
  }

  private createCandidate(benchEntry: BenchEntry, end?: AbortSignal): BenchCandidate {
    const candidate = benchEntry.createCandidate(end);
    this.created.push(candidate);
    return candidate;
  }

  private async firstRun(benchEntry: BenchEntry): Promise<void> {
    if (this.cancelled) return;
    const { head } = benchEntry;
    this.reportProgress('first runs', head.label);
    const began_s = this.clock.elapsed_s;
    const limit = benchEntry.startsSlowly === true ? this.startLimit() : null;
    try {
      if (limit?.isReached() === true) throw this.startTimeoutError(began_s);
      const candidate = this.createCandidate(benchEntry, limit?.signal);
      const first = await candidate.first();
      const started_s = this.clock.elapsed_s - began_s;
      const others = first === null ? [] : await this.tryOtherModes(candidate);
      // The answer is read after the samples of the other modes, because the candidate's quantities may refer to timed
      // runs.
      const answer = first === null ? null : await candidate.answer();
      if (limit?.isReached() === true && !this.cancelled) throw this.startTimeoutError(began_s);
      if (first === null || answer === null) return;
      if (limit !== null) this.startOf_s.set(benchEntry, started_s);
      const determinism = new DeterminismCheck();
      if (answer.values !== null) determinism.add(answer.values);
      const warm: SampleSet<RawSample> = { mode: 'warm', samples: [], reason: null };
      const gathered = { head, candidate, first, determinism, accuracy: () => [], warm, others, energy_J: null };
      this.all.push(gathered);
      this.entryOf.set(gathered, benchEntry);
      this.clock.afterFirst(this.all.map((one) => ({ label: one.head.label, time_s: one.first.time_s })));
      if (answer.values !== null) this.options.onAnswer?.(head.label, answer.values);
    } catch (error) {
      this.refuse(benchEntry, exclusionError(error));
    } finally {
      limit?.clear();
    }
  }

  private get maxStartTime_s(): number {
    return MAX_START_SHARE * this.options.limits.mostSeconds;
  }

  private startLimit(): StartLimit {
    return new StartLimit(Math.max(0, this.maxStartTime_s - this.clock.elapsed_s), this.options.signal);
  }

  private startTimeoutError(began_s: number): BraggError {
    const { mostSeconds } = this.options.limits;
    const spent = Math.round(this.clock.elapsed_s - began_s);
    const state = spent === 0 ? 'not started' : `it was still starting or compiling after ${spent} s`;
    const room = `first runs may use ${Number(this.maxStartTime_s.toPrecision(3))} s of the session's ${mostSeconds} s`;
    return new BraggError('unsupported', `${state}: ${room}. Allow more time.`);
  }

  /**
   * Tries each additional mode once. Some variants' launches cannot be captured as a graph, and some devices' caches
   * cannot be flushed.
   */
  private async tryOtherModes(candidate: BenchCandidate): Promise<readonly SampleSet<RawSample>[]> {
    const wanted = (this.options.modes ?? []).filter((mode) => mode !== 'warm');
    const out: SampleSet<RawSample>[] = [];
    for (const mode of wanted) {
      const reason = await candidate.takeSample(mode).then(() => null, messageOf);
      out.push({ mode, samples: [], reason });
    }
    return out;
  }

  private async checkAgainstReferences(): Promise<void> {
    for (const gathered of this.all) {
      if (this.cancelled) return;
      this.reportProgress('fp64 reference', 'fp64');
      const oracle = await this.setup.oracle(gathered.head);
      if (oracle !== null) this.oracles.add(oracle.description);
      gathered.accuracy = () => gathered.candidate.accuracy(oracle?.values ?? null);
    }
  }

  private refuse(benchEntry: BenchEntry, error: BraggError): void {
    // The row of a refused entry shows its variant, so the reason need not repeat it.
    const { variant } = benchEntry.head;
    const reason = error.message.replace(/^solver\.variant = [^:]+: /, '').replace(`${variant}: `, '');
    this.refused.set(benchEntry, reason);
  }

  private async takeRounds(): Promise<SessionReport['stopped']> {
    const [reference] = this.all;
    if (reference === undefined) return this.cancelled ? 'cancelled' : 'refused';
    const allSeries = this.all.flatMap((gathered) =>
      [gathered.warm, ...gathered.others]
        .filter(({ reason }) => reason === null)
        .map((series) => this.sampleSeries(gathered, gathered.candidate, series)),
    );
    const control = this.createCandidate(this.entryFor(reference));
    allSeries.push(this.sampleSeries(reference, control, { mode: 'warm', samples: this.control, reason: null }));
    const { seed, limits } = this.options;
    this.clock.startRounds();
    const { stopped } = await measureRounds(allSeries, {
      seed,
      limits: { ...limits, mostSeconds: limits.mostSeconds - this.reserved_s },
      roundsPerInstance: this.setup.roundsPerInstance,
      cancelled: () => this.cancelled,
      elapsed_s: () => this.clock.elapsed_s,
      onSample: (what) => this.reportProgress('rounds', what),
      beforeRound: () => this.steady.waitUntilCool(() => this.cancelled),
      onRound: (rounds) => this.afterRound(rounds),
    });
    return stopped;
  }

  /** Seconds that are reserved for cold processes, which run after the rounds. */
  private get reserved_s(): number {
    const { processes, limits } = this.options;
    if (processes === undefined || this.coldCandidates === null) return 0;
    return Math.min(processes.count * this.coldRound_s, MAX_PROCESS_SHARE * limits.mostSeconds);
  }

  /** Candidates to run in separate processes; null if a candidate does not support them. */
  private get coldCandidates() {
    const candidates = this.all.flatMap((gathered) => {
      const { cold } = this.entryFor(gathered);
      return cold === undefined ? [] : [{ label: gathered.head.label, run: cold }];
    });
    return candidates.length < this.all.length ? null : candidates;
  }

  /**
   * Estimated seconds of one round of cold processes, from the first runs. The reference is counted twice, because its
   * control is started too.
   */
  private get coldRound_s(): number {
    const each = this.all.map((one) => {
      const { first } = one;
      // A process of an external program has to start and compile again, which needs as long as its first start in this
      // session.
      return this.startOf_s.get(this.entryFor(one)) ?? PROCESS_START_S + (first.wall_s ?? first.time_s);
    });
    return each.reduce((sum, one) => sum + one, each[0] ?? 0);
  }

  private entryFor(gathered: CandidateData): BenchEntry {
    const benchEntry = this.entryOf.get(gathered);
    if (benchEntry === undefined) throw new Error(`${gathered.head.label} never started`);
    return benchEntry;
  }

  private sampleSeries(
    gathered: CandidateData,
    candidate: BenchCandidate,
    { mode, samples }: SampleSet<RawSample>,
  ): SampleSeries {
    const { label } = gathered.head;
    const { prepare } = candidate;
    return {
      owner: gathered,
      // If the reference fails, the session fails, because all others are compared with the reference.
      ...(gathered !== this.all[0] && { onFailure: (error: BraggError) => this.excludeCandidate(gathered, error) }),
      // Other modes use the state that was prepared for the warm samples.
      ...(prepare !== undefined && mode === 'warm'
        ? { prepare: (instance: number) => prepare.call(candidate, instance) }
        : {}),
      ...(this.options.limits.warmUp > 0 && {
        warmUp: (instance: number) => this.takeWarmUpSamples(candidate, mode, instance),
      }),
      what: mode === 'warm' ? label : `${label}, ${mode}`,
      judged: mode === 'warm' && !isIncorrect(correctnessOf(gathered.accuracy())),
      times: () => groupByInstance(samples, sampleTime_s),
      ...(mode === 'warm' &&
        gathered.first.wall_s !== null && { wholes: () => groupByInstance(samples, endToEndTime_s) }),
      take: async (where) => {
        const taken = await candidate.takeSample(mode, where.instance);
        if (taken === null) return null;
        return () => {
          samples.push(toRawSample(taken, where));
          if (taken.values !== null) gathered.determinism.add(taken.values);
        };
      },
    };
  }

  /**
   * Takes the warm-up samples. A candidate without `prepare` makes a new state for each sample, so it is warmed up only
   * before the first round.
   */
  private async takeWarmUpSamples(candidate: BenchCandidate, mode: Mode, instance: number): Promise<boolean> {
    if (candidate.prepare === undefined && instance > 0) return true;
    for (let i = 0; i < this.options.limits.warmUp; ++i) {
      if (this.cancelled || (await candidate.takeSample(mode, instance)) === null) return false;
    }
    return true;
  }

  private excludeCandidate(gathered: CandidateData, error: BraggError): void {
    this.refuse(this.entryFor(gathered), error);
    this.all.splice(this.all.indexOf(gathered), 1);
  }

  private afterRound(rounds: number): void {
    this.clock.afterRound(rounds, () =>
      this.all.map(({ head, warm }) => ({ label: head.label, times: groupByInstance(warm.samples, sampleTime_s) })),
    );
    const { soFar } = this.options;
    if (soFar === undefined || !this.times.isDue()) return;
    this.times.begin();
    soFar(this.report('cancelled'));
    this.times.end();
  }

  /**
   * Completes checks of answers. In a first pass each candidate gets an equal share of the time, so that none uses up
   * all.
   */
  private async completeChecks(): Promise<void> {
    const { mostSeconds } = this.options.limits;
    const more_s = Math.min(Math.max(CHECK_TIME.share * mostSeconds, CHECK_TIME.least_s), CHECK_TIME.most_s);
    const until_s = Math.max(mostSeconds, this.clock.elapsed_s) + more_s;
    for (const parts of [this.all.length, 1])
      await this.completeChecksWithin((until_s - this.clock.elapsed_s) / parts, until_s);
  }

  private async completeChecksWithin(each_s: number, until_s: number): Promise<void> {
    const [reference] = this.all;
    for (const gathered of [...this.all]) {
      const { head, candidate } = gathered;
      const left_s = Math.min(each_s, until_s - this.clock.elapsed_s);
      if (this.cancelled || candidate.completeChecks === undefined || left_s <= 0) continue;
      this.reportProgress('audits', head.label);
      try {
        await candidate.completeChecks(left_s);
      } catch (error) {
        // If the reference fails, the session fails, because all others are compared with the reference.
        if (gathered === reference) throw error;
        this.excludeCandidate(gathered, exclusionError(error));
      }
    }
  }

  private counterFor({ head }: CandidateData): CounterOrReason {
    if (head.device === 'cpu') return openProcessorCounter();
    const { defaultGpu: usual, all } = this.options.gpus ?? NO_GPUS;
    const gpu = all.find(({ index }) => index === head.gpu) ?? usual;
    return gpu === null ? 'there is no GPU' : openGpuCounter(this.addon, gpu.uuid);
  }

  private async measureEnergy(): Promise<void> {
    if (this.options.energy !== true) return;
    for (const gathered of this.all) {
      const counter = this.counterFor(gathered);
      if (typeof counter === 'string') {
        this.energyFrom.add(counter);
        continue;
      }
      if (this.cancelled) return;
      this.reportProgress('energy', gathered.head.label);
      this.energyFrom.add(counterText(counter));
      const take = async (): Promise<number | null> =>
        (await gathered.candidate.takeSample('warm'))?.repetitions ?? null;
      gathered.energy_J = await measureEnergy_J(counter, take);
    }
  }

  /**
   * Times the cold processes. They come last, because a GPU that idles while processes start clocks down, unlike during
   * the rounds.
   */
  private async timeColdProcesses(): Promise<void> {
    const { processes, seed, limits, signal } = this.options;
    const candidates = this.coldCandidates;
    if (processes === undefined || processes.count === 0 || candidates === null) return;
    const onStart = (what: string): void => this.reportProgress('cold processes', what);
    const mostSeconds = limits.mostSeconds - this.clock.elapsed_s;
    this.processes = new ColdProcesses(candidates, {
      ...processes,
      seed,
      limits: { ...limits, mostSeconds },
      signal,
      onStart,
    });
    if (this.coldRound_s <= mostSeconds) await this.processes.run();
  }

  /** Takes the traces. They come last, because launches stay slower after a trace. */
  private async recordTraces(): Promise<void> {
    const { trace } = this.options;
    if (trace === undefined) return;
    const reasons = new Set<string>();
    for (const { head, candidate } of this.all) {
      if (candidate.trace === undefined) continue;
      this.reportProgress('traces', head.label);
      const reason = await candidate.trace();
      if (reason !== null && head.device === 'cuda') reasons.add(reason);
    }
    for (const reason of reasons) trace(reason);
  }

  /** Engine recordings of all candidates, shifted to one clock; null if the workload has no recordings. */
  private recordings(): SessionReport['recordings'] | null {
    const able = this.setup.benchEntries.length === 0 || this.created.some(({ recording }) => recording !== undefined);
    if (!able && this.all.length > 0) return null;
    const all = this.all.flatMap(({ candidate }) => candidate.recording?.() ?? []);
    const begun_ns = Math.min(...all.map(({ origin_ns }) => origin_ns));
    return all.map(({ toSaved, origin_ns }) => toSaved(origin_ns - begun_ns));
  }

  private noise(secondsFor: (sample: RawSample) => number) {
    const [reference] = this.all;
    if (reference === undefined || this.clock.rounds === 0) return null;
    return sessionNoise(groupByInstance(this.control, secondsFor), groupByInstance(reference.warm.samples, secondsFor));
  }

  private report(stopped: SessionReport['stopped']): SessionReport {
    const { seed, gpus = NO_GPUS, scenario, limits, recorded = {} } = this.options;
    const { precision, margin, warmUp } = limits;
    const { bench, title, benchEntries, roundsPerInstance, facts, claims } = this.setup;
    const audits = this.setup.audits?.();
    const [reference] = this.all;
    const { machine, program } = describeMachine(
      this.addon,
      gpus,
      benchEntries.map(({ head }) => head),
    );
    const noise = this.noise(sampleTime_s);
    const hasEndToEndTimes = this.all.length > 0 && this.all.every(({ first }) => first.wall_s !== null);
    const wholeNoise = hasEndToEndTimes ? this.noise(endToEndTime_s) : null;
    const everyone = this.all.map(toComparisonCandidate);
    const basis: ComparisonBasis<RawSample> = {
      ...{ reference: everyone[0], all: everyone, floor: noise?.floor ?? null, margin },
      timeOf: sampleTime_s,
    };
    const whole = hasEndToEndTimes ? { ...basis, floor: wholeNoise?.floor ?? null, timeOf: endToEndTime_s } : null;
    const entries = benchEntries.flatMap((benchEntry): SessionEntry[] => {
      const reason = this.refused.get(benchEntry);
      if (reason !== undefined) return [{ ...benchEntry.head, status: 'refused', reason }];
      const gathered = this.all.find((one) => this.entryOf.get(one) === benchEntry);
      if (gathered === undefined) return [];
      const process = this.processes?.timesOf(gathered.head.label);
      return [
        {
          ...buildMeasuredEntry(gathered, { basis, whole, machine, processor: readProcessorLimits(this.addon) }),
          ...(process === undefined ? {} : { process }),
        },
      ];
    });
    const { document, commit, resources, surroundings = UNKNOWN_ENVIRONMENT } = recorded;
    const samples = [
      ...this.control,
      ...this.all.flatMap(({ warm, others }) => [warm, ...others].flatMap((series) => series.samples)),
    ];
    const measured = {
      bench,
      title,
      scenario,
      machine,
      program: { ...program, commit: commit ?? null },
      ...(document === undefined ? {} : { document: { ...document } }),
      ...(resources === undefined ? {} : { resources }),
      reference: reference?.head.label ?? null,
      seed,
      rounds: this.clock.rounds,
      stopped,
      judged: {
        precision,
        margin,
        instances: Math.ceil(this.clock.rounds / roundsPerInstance),
        rounds_per_instance: roundsPerInstance,
        ...(warmUp > 0 && { warm_up: warmUp }),
      },
      environment: summarizeEnvironment(surroundings, this.clock.otherLoad_cores, samples),
      noise: {
        ratio: noise?.ratio ?? null,
        floor: floorToRatio(noise?.floor ?? null),
        ...(hasEndToEndTimes && { whole_floor: floorToRatio(wholeNoise?.floor ?? null) }),
        ...(this.processes !== null && { process_floor: floorToRatio(this.processes.floor) }),
      },
      ...(audits != null && { audits }),
      facts: [
        ...facts().map(([name, value]): [string, string] => [name, value]),
        ...(warmUp > 0 ? [warmUpFact(warmUp)] : []),
        ...this.steady.facts.map(([name, value]): [string, string] => [name, value]),
        ...[...this.energyFrom].map((text): [string, string] => [ENERGY_FACT, text]),
        ...[...this.oracles].map((text): [string, string] => ['Results checked against', text]),
        ...this.all.flatMap(({ candidate }) =>
          (candidate.facts?.() ?? []).map(([name, value]): [string, string] => [name, value]),
        ),
        ...this.referenceDescriptions().map((text): [string, string] => ['Compared', `${groupedDigits(text)}.`]),
      ],
      entries,
      control: flagSeries(this.control, { highest_MHz: highestClock_MHz(samples), timeOf: sampleTime_s }).map(
        toStoredSample,
      ),
      ...(this.processes !== null && { process_control: this.processes.control }),
      external: [],
      elapsed_s: this.clock.elapsed_s,
    };
    return { ...measured, claims: claims(measured) };
  }

  /** Descriptions of the references that engines used to check answers, without duplicates. */
  private referenceDescriptions(): readonly string[] {
    return [...new Set(this.all.flatMap(({ candidate }) => candidate.properties().compared ?? []))];
  }
}

/** Measures a session and returns its report. */
export function runSession(addon: NativeAddon, setup: BenchSetup, options: SessionOptions): Promise<SessionReport> {
  return new BenchmarkSession(addon, setup, options).run();
}
