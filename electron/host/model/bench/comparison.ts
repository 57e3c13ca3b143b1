/**
 * Compares the times of a candidate with those of the others; this part of a report is the same for all workloads.
 * Samples taken while the machine was disturbed are flagged but never removed. Ratios are shown both with and without
 * them.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Environment, Interval, Mode, Ratio } from '../../../contract/bench/bench-session.ts';
import type { ClockState, DeviceReport } from '../../../contract/capabilities.ts';
import { defaultGpu } from '../../io/addon/gpu.ts';
import { judgeRatio, missProbability, noiseFloor, type SpeedVerdict } from '../verdicts/judge.ts';
import { type Instances, type LogInterval, pairedLogRatio, toInterval } from '../verdicts/levels.ts';
import { sortedCopy, sortedQuantile } from '../verdicts/order.ts';
import { median, ratioInterval, relativeSpread } from './statistics.ts';

/** A clock frequency below this fraction of the session's highest counts as dropped. */
const DROPPED_CLOCK_FRACTION = 0.97;

interface ClockStates {
  readonly before: ClockState | null;
  readonly after: ClockState | null;
}

/** Reason to flag a sample: throttling of the GPU, or a clock far below `highest_MHz`. Null if neither occurred. */
export function sampleFlag({ before, after }: ClockStates, highest_MHz: number | null): string | null {
  const throttles = [before, after].flatMap((state) => (state?.throttled === true ? state.reasons : []));
  const named = [...new Set(throttles)].filter((reason) => reason !== 'idle');
  if (named.length > 0) return named.join(', ');
  const clock = after?.sm_MHz ?? null;
  if (clock === null || highest_MHz === null || clock >= DROPPED_CLOCK_FRACTION * highest_MHz) return null;
  return `clock at ${clock} MHz, below the highest of ${highest_MHz} MHz`;
}

/** Distance of Tukey's outer fences from the quartiles, in interquartile ranges. */
const OUTER_FENCE_DISTANCE = 3;
/** Minimum number of samples for which quartiles are meaningful. */
const MIN_SAMPLES_FOR_FENCES = 10;
/** Deviations from the median below this ratio are never flagged, however small the spread of the other samples. */
const MIN_OUTLIER_DEVIATION = 0.05;

/** Returns a function that tests whether a time is an outlier: far from the other times of its series. */
export function createOutlierTest(times: readonly number[]): (time: number) => boolean {
  if (times.length < MIN_SAMPLES_FOR_FENCES) return () => false;
  const sorted = sortedCopy(times);
  const [first, middle, third] = [0.25, 0.5, 0.75].map((share) => sortedQuantile(sorted, share)) as [
    number,
    number,
    number,
  ];
  const reach = OUTER_FENCE_DISTANCE * (third - first);
  return (time) => {
    const odd = time < first - reach || time > third + reach;
    return odd && Math.abs(time / middle - 1) > MIN_OUTLIER_DEVIATION;
  };
}

/** Flags the samples of a series that are doubtful, because of the GPU's clock or because their times are outliers. */
export function flagSeries<S extends { readonly clocks: ClockStates }>(
  samples: readonly S[],
  { highest_MHz, timeOf }: { readonly highest_MHz: number | null; readonly timeOf: (sample: S) => number },
) {
  const odd = createOutlierTest(samples.map(timeOf));
  return samples.map((raw) => ({
    raw,
    flag:
      sampleFlag(raw.clocks, highest_MHz) ??
      (odd(timeOf(raw)) ? 'outlier: far from the other samples of this variant' : null),
  }));
}

/** Highest clock frequency after any of the samples, MHz; null if the device reports none. */
export function highestClock_MHz(samples: readonly { readonly clocks: ClockStates }[]): number | null {
  return samples.reduce<number | null>((highest, { clocks }) => {
    const clock = clocks.after?.sm_MHz ?? null;
    return clock === null || (highest !== null && highest >= clock) ? highest : clock;
  }, null);
}

/** Properties of the environment that are recorded before the first run. */
export interface BenchEnvironment extends Pick<Environment, 'governor' | 'dirty' | 'versions'> {
  readonly ecc: boolean | null;
  readonly persistence: boolean | null;
}

export const UNKNOWN_ENVIRONMENT: BenchEnvironment = {
  governor: null,
  dirty: null,
  versions: {},
  ecc: null,
  persistence: null,
};

/** Frequency governors of the cores (Linux), without duplicates; null if the system reports none. */
export function readCpuGovernors(folder = '/sys/devices/system/cpu', cores = cpus().length): string | null {
  const found = new Set<string>();
  for (let core = 0; core < cores; core += 1) {
    try {
      found.add(readFileSync(path.join(folder, `cpu${core}/cpufreq/scaling_governor`), 'utf8').trim());
    } catch {
      // This core, or the whole system, has no governor.
    }
  }
  return found.size === 0 ? null : [...found].join(', ');
}

/** Folders with recordings and pictures. Measurements do not depend on them, and recording a session changes them. */
const RECORDED_FOLDERS = ['assets/runs', 'assets/readme', 'assets/measured'];

/** Whether the sources of the checkout at `root` have uncommitted changes. Null without a checkout or without git. */
export async function hasUncommittedChanges(root: string): Promise<boolean | null> {
  if (!existsSync(path.join(root, '.git'))) return null;
  const requested = ['--no-optional-locks', '-C', root, 'status', '--porcelain', '--untracked-files=no'];
  const sources = ['--', '.', ...RECORDED_FOLDERS.map((folder) => `:(exclude)${folder}`)];
  const answer = await promisify(execFile)('git', [...requested, ...sources], { timeout: 10_000 }).catch(() => null);
  return answer === null ? null : answer.stdout.trim() !== '';
}

function libraryVersions({ cuda, nvrtc, cupti, cublas, cublasLt }: DeviceReport): Record<string, string> {
  const libraries = { NVRTC: nvrtc, CUPTI: cupti, cuBLAS: cublas, cuBLASLt: cublasLt };
  const found = Object.entries(libraries).flatMap(([name, { version }]) => (version === null ? [] : [[name, version]]));
  return {
    'Node.js': process.versions.node,
    ...(cuda.version === null ? {} : { CUDA: cuda.version }),
    ...Object.fromEntries(found),
  };
}

export async function readBenchEnvironment(root: string, devices: DeviceReport): Promise<BenchEnvironment> {
  return {
    governor: readCpuGovernors(),
    dirty: await hasUncommittedChanges(root),
    versions: libraryVersions(devices),
    ecc: defaultGpu(devices)?.ecc ?? null,
    persistence: defaultGpu(devices)?.persistenceMode ?? null,
  };
}

/**
 * Cores that this process may use, by the text of Linux's /proc/self/status; null if it does not list them. Programs on
 * other cores, such as a second benchmark that is pinned to them, do not slow this process.
 */
export function readAllowedCores(status: string): ReadonlySet<number> | null {
  const list = /^Cpus_allowed_list:\s*([\d,-]+)$/m.exec(status)?.[1];
  if (list === undefined) return null;
  const ranges = list.split(',').map((range) => range.split('-').map(Number));
  return new Set(
    ranges.flatMap(([first = 0, last = first]) => Array.from({ length: last - first + 1 }, (_, i) => first + i)),
  );
}

function allowedCores(): ReadonlySet<number> | null {
  try {
    return readAllowedCores(readFileSync('/proc/self/status', 'utf8'));
  } catch {
    // Other systems have no such file.
    return null;
  }
}

/** CPU time of all programs on the cores that this process may use, and of this process, in core-seconds. */
function usedCoreSeconds(): { readonly all_s: number; readonly own_s: number } {
  const allowed = allowedCores();
  const cores = cpus().filter((_, core) => allowed?.has(core) ?? true);
  const busy_ms = cores.reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
  const { user, system } = process.cpuUsage();
  return { all_s: busy_ms / 1e3, own_s: (user + system) / 1e6 };
}

/**
 * Shortest interval for measuring the load. The system counts CPU time in hundredths of a second, which would dominate
 * shorter ones.
 */
const MIN_LOAD_INTERVAL_S = 0.5;

/** Measures the load by other programs since its creation. */
export class OtherLoadMeter {
  readonly #began = { ...usedCoreSeconds(), at_ms: performance.now() };

  /**
   * Mean number of cores that other programs used; null if too little time has passed. A user kernel in its own process
   * counts as another program.
   */
  cores(): number | null {
    const elapsed_s = (performance.now() - this.#began.at_ms) / 1e3;
    if (elapsed_s < MIN_LOAD_INTERVAL_S) return null;
    const { all_s, own_s } = usedCoreSeconds();
    return Math.max(0, all_s - this.#began.all_s - (own_s - this.#began.own_s)) / elapsed_s;
  }
}

function rangeOfStates(states: readonly ClockState[], what: (state: ClockState) => number | null) {
  const values = states.flatMap((state) => what(state) ?? []);
  return values.length === 0 ? null : { low: Math.min(...values), high: Math.max(...values) };
}

function gpuEnvironment(
  states: readonly ClockState[],
  ecc: boolean | null,
  persistence: boolean | null,
): Environment['gpu'] {
  if (states.length === 0) return null;
  return {
    ecc,
    persistence,
    sm_MHz: rangeOfStates(states, ({ sm_MHz }) => sm_MHz),
    memory_MHz: rangeOfStates(states, ({ memory_MHz }) => memory_MHz),
    power_W: rangeOfStates(states, ({ power_W }) => power_W),
    power_limit_W: rangeOfStates(states, ({ powerLimit_W }) => powerLimit_W),
    temperature_C: rangeOfStates(states, ({ temperature_C }) => temperature_C),
  };
}

/** Summarizes the environment of a finished session, for storage in its report. */
export function summarizeEnvironment(
  { ecc, persistence, ...known }: BenchEnvironment,
  other_load_cores: number | null,
  samples: readonly { readonly clocks: ClockStates }[],
): Environment {
  const states = samples.flatMap(({ clocks }) => [clocks.before, clocks.after]).filter((state) => state !== null);
  return { ...known, other_load_cores, gpu: gpuEnvironment(states, ecc, persistence) };
}

/** Fields that the samples of every workload have. */
export interface SampleMetadata {
  readonly clocks: ClockStates;
  /** Index of the prepared state with which the sample was taken. */
  readonly instance: number;
}

/** Times of the samples in seconds, grouped by instance, in the order of the rounds. */
export function groupByInstance<S extends Pick<SampleMetadata, 'instance'>>(
  samples: readonly S[],
  timeOf: (sample: S) => number,
): Instances {
  return [...Map.groupBy(samples, ({ instance }) => instance).values()].map((each) => each.map(timeOf));
}

/** Samples of one candidate in one mode. */
export interface SampleSet<S> {
  readonly mode: Mode;
  readonly samples: S[];
  /** Reason why the candidate cannot be measured in this mode; null if it can. */
  readonly reason: string | null;
}

export interface ComparisonCandidate<S> {
  readonly label: string;
  /** Label of the candidate that this one extends by a single change; null if there is none. */
  readonly buildsOn: string | null;
  /** First run, before the rounds. If the session is cancelled in the first round, there are no other samples. */
  readonly first: S;
  readonly warm: SampleSet<S>;
  readonly others: readonly SampleSet<S>[];
}

export interface ComparisonBasis<S> {
  /** Candidate to whose times the others are compared. */
  readonly reference: ComparisonCandidate<S> | undefined;
  readonly all: readonly ComparisonCandidate<S>[];
  /** Noise floor measured with the control, as the natural logarithm of a ratio. */
  readonly floor: number | null;
  /** Largest difference that does not matter to the user, as a ratio minus 1. */
  readonly margin: number;
  /** Time of a sample that is compared, in seconds. */
  readonly timeOf: (sample: S) => number;
}

interface ComparedMode<S> {
  readonly mode: Mode;
  readonly reason: string | null;
  readonly time_s: number | null;
  readonly spread: number | null;
  /** Time in this mode divided by the candidate's time in mode `warm`. */
  readonly ratio: Ratio | null;
  readonly samples: readonly FlaggedSample<S>[];
}

export interface FlaggedSample<S> {
  readonly raw: S;
  readonly flag: string | null;
}

interface Comparison<S> {
  /** All warm samples; only the first run if there are none. */
  readonly raw: readonly S[];
  readonly time_s: number;
  readonly spread: number;
  readonly ratio: Ratio;
  readonly ratio_unflagged: Ratio | null;
  readonly flagged: number;
  /** Verdict on speed alone; correctness is not considered. */
  readonly verdict: SpeedVerdict | 'reference';
  readonly instances_to_decide: number | null;
  readonly rung: Ratio | null;
  readonly cumulative: Ratio | null;
  readonly modes: readonly ComparedMode<S>[];
  readonly samples: readonly FlaggedSample<S>[];
}

const allTimes = (times: Instances): readonly number[] => times.flat();

/**
 * Converts a logarithmic ratio to a ratio. If it is null, because there are too few instances, the ratio of `medians`
 * is used without an interval.
 */
export function toRatio(log: LogInterval | null, medians: number): Ratio {
  return log === null ? { value: medians, interval: null } : { value: Math.exp(log.middle), interval: toInterval(log) };
}

/**
 * Ratio of two series from the same rounds. Its interval is widened so that the intervals of all `candidates` hold
 * simultaneously.
 */
export function pairedRatio(times: Instances, references: Instances, candidates = 1): Ratio {
  const log = pairedLogRatio(times, references, missProbability({ candidates }));
  return toRatio(log, median(allTimes(times)) / median(allTimes(references)));
}

/** Ratio of medians with a bootstrap interval, for old sessions that have no instances. */
export function bootstrapRatio(times: readonly number[], references: readonly number[], seed: number): Ratio {
  return { value: median(times) / median(references), interval: ratioInterval(times, references, seed) };
}

/** Largest difference from a ratio of 1 that may get the verdict `same`, however noisy the session is. */
const MAX_SAME_DEVIATION = 0.05;

/**
 * Verdict for a ratio (time / reference time) with a bootstrap interval. `floor` is the noise floor as a ratio minus 1;
 * it widens the range of equal times on both sides.
 */
export function bootstrapVerdict(ratio: Interval | null, floor: number | null): SpeedVerdict {
  if (ratio === null || floor === null) return 'undecided';
  if (ratio.high < 1 / (1 + floor)) return 'faster';
  if (ratio.low > 1 + floor) return 'slower';
  const same = Math.min(floor, MAX_SAME_DEVIATION);
  return ratio.low >= 1 - same && ratio.high <= 1 + same ? 'same' : 'undecided';
}

/**
 * Noise of a session: the ratio of the control to the reference, and the noise floor as the natural logarithm of a
 * ratio.
 */
export function sessionNoise(control: Instances, reference: Instances) {
  return { ratio: pairedRatio(control, reference), floor: noiseFloor(control, reference) };
}

/** Converts a noise floor from a logarithm to a ratio minus 1, which users see. */
export const floorToRatio = (floor: number | null): number | null => (floor === null ? null : Math.expm1(floor));

const allSamples = <S>(all: readonly ComparisonCandidate<S>[]): readonly S[] =>
  all.flatMap(({ warm, others }) => [warm, ...others].flatMap(({ samples }) => samples));

/** The candidate, followed by the chain of candidates that it extends directly or indirectly. */
function baseChain<S>(
  own: ComparisonCandidate<S>,
  all: readonly ComparisonCandidate<S>[],
): readonly ComparisonCandidate<S>[] {
  const links = [own];
  for (;;) {
    const top = links.at(-1);
    const base = all.find(({ label }) => label === top?.buildsOn);
    if (base === undefined || links.includes(base)) return links;
    links.push(base);
  }
}

export function compareTimes<S extends SampleMetadata>(
  own: ComparisonCandidate<S>,
  basis: ComparisonBasis<S>,
): Comparison<S> {
  const { reference, all, floor, margin, timeOf } = basis;
  const candidates = Math.max(1, all.length - 1);
  const levels = (of: readonly S[]): Instances => groupByInstance(of, timeOf);
  const highest_MHz = highestClock_MHz(allSamples(all));
  const flagged = (samples: readonly S[]): readonly FlaggedSample<S>[] => flagSeries(samples, { highest_MHz, timeOf });
  const whole = own.warm.samples.length > 0;
  const raw = whole ? own.warm.samples : [own.first];
  const times = raw.map(timeOf);
  const againstRaw = whole ? (reference?.warm.samples ?? []) : reference ? [reference.first] : [];
  const log = pairedLogRatio(levels(raw), levels(againstRaw), missProbability({ candidates }));
  const ratio = toRatio(log, median(times) / median(againstRaw.map(timeOf)));
  const { standing, instancesToDecide } = judgeRatio(log, floor, { margin }, levels(raw).length);
  const [samples, against] = [flagged(own.warm.samples), flagged(reference?.warm.samples ?? [])];
  const links = baseChain(own, all);
  const [base, root] = [links[1], links.at(-1)];
  const over = (other: ComparisonCandidate<S> | undefined): Ratio | null =>
    other === undefined || other === own || !whole
      ? null
      : pairedRatio(levels(raw), levels(other.warm.samples), candidates);

  const unflagged = (): Ratio | null => {
    const clean = samples.map(({ flag }, i) => flag === null && against[i]?.flag === null);
    if (clean.every(Boolean) || !clean.some(Boolean)) return null;
    const keep = (each: readonly FlaggedSample<S>[]): Instances =>
      levels(each.filter((_, i) => clean[i]).map((one) => one.raw));
    return pairedRatio(keep(samples), keep(against), candidates);
  };

  const mode = (series: SampleSet<S>): ComparedMode<S> => {
    const own_s = series.samples.map(timeOf);
    const common = { mode: series.mode, samples: flagged(series.samples) };
    if (own_s.length === 0) {
      const reason = series.reason ?? 'the session ended before a round was complete';
      return { ...common, reason, time_s: null, spread: null, ratio: null };
    }
    return {
      ...common,
      reason: null,
      time_s: median(own_s),
      spread: relativeSpread(own_s),
      ratio: pairedRatio(levels(series.samples), levels(raw), candidates),
    };
  };

  return {
    raw,
    time_s: median(times),
    spread: relativeSpread(times),
    ratio,
    ratio_unflagged: unflagged(),
    flagged: samples.filter(({ flag }) => flag !== null).length,
    verdict: own.label === reference?.label ? 'reference' : standing,
    instances_to_decide: own.label === reference?.label ? null : instancesToDecide,
    rung: over(base),
    cumulative: over(root),
    modes: own.others.map(mode),
    samples,
  };
}
