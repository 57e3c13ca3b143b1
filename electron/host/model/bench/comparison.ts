/**
 * Compares one candidate's times with the others': the part of a report shared by all workloads. Samples are flagged
 * by the state of the machine and never removed; intervals are shown with and without them.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Environment, Interval, Mode, Ratio } from '../../../contract/bench/bench-session.ts';
import type { ClockState, DeviceReport } from '../../../contract/capabilities.ts';
import { usedGpu } from '../../io/addon/gpu.ts';
import { judge, missProbability, noiseFloorOf, type SpeedVerdict } from '../verdicts/judge.ts';
import { asInterval, type Instances, type LogInterval, pairedLogRatio } from '../verdicts/levels.ts';
import { quantileInOrder, sortedCopy } from '../verdicts/order.ts';
import { median, ratioInterval, relativeSpread } from './statistics.ts';

/** A clock below this share of the session's highest has dropped. */
const dropShare = 0.97;

interface ClockStates {
  readonly before: ClockState | null;
  readonly after: ClockState | null;
}

/** Throttle reasons of a sample, or a note that its clock dropped below `highest_MHz`; null if neither. */
export function flagOf({ before, after }: ClockStates, highest_MHz: number | null): string | null {
  const throttles = [before, after].flatMap((state) => (state?.throttled === true ? state.reasons : []));
  const named = [...new Set(throttles)].filter((reason) => reason !== 'idle');
  if (named.length > 0) return named.join(', ');
  const clock = after?.sm_MHz ?? null;
  if (clock === null || highest_MHz === null || clock >= dropShare * highest_MHz) return null;
  return `clock at ${clock} MHz, below the highest of ${highest_MHz} MHz`;
}

/** Distance of Tukey's far fences from the quartiles, in interquartile ranges. */
const farFences = 3;
/** Quartiles of fewer samples are not meaningful. */
const minForFences = 10;
/** Smaller relative deviations from the median are never flagged, however small the spread of the others. */
const leastOdd = 0.05;

/** Returns a test whether a time is an outlier: far from the others of its series. */
export function outlierTest(times: readonly number[]): (time: number) => boolean {
  if (times.length < minForFences) return () => false;
  const sorted = sortedCopy(times);
  const [first, middle, third] = [0.25, 0.5, 0.75].map((share) => quantileInOrder(sorted, share)) as [
    number,
    number,
    number,
  ];
  const reach = farFences * (third - first);
  return (time) => {
    const odd = time < first - reach || time > third + reach;
    return odd && Math.abs(time / middle - 1) > leastOdd;
  };
}

/** Flags doubtful samples of one series, by the highest clock of the session and by their times. */
export function flagSeries<S extends { readonly clocks: ClockStates }>(
  samples: readonly S[],
  { highest_MHz, timeOf }: { readonly highest_MHz: number | null; readonly timeOf: (sample: S) => number },
) {
  const odd = outlierTest(samples.map(timeOf));
  return samples.map((raw) => ({
    raw,
    flag:
      flagOf(raw.clocks, highest_MHz) ??
      (odd(timeOf(raw)) ? 'outlier: far from the other samples of this variant' : null),
  }));
}

/** Highest clock after any of the samples; null if the device does not report it. */
export function highestOf(samples: readonly { readonly clocks: ClockStates }[]): number | null {
  return samples.reduce<number | null>((highest, { clocks }) => {
    const clock = clocks.after?.sm_MHz ?? null;
    return clock === null || (highest !== null && highest >= clock) ? highest : clock;
  }, null);
}

/** Properties of the environment that are known before the first run. */
export interface BenchEnvironment extends Pick<Environment, 'governor' | 'dirty' | 'versions'> {
  readonly ecc: boolean | null;
  readonly persistence: boolean | null;
}

export const unknownEnvironment: BenchEnvironment = {
  governor: null,
  dirty: null,
  versions: {},
  ecc: null,
  persistence: null,
};

/** Frequency governors of all cores, without duplicates; null if the system does not report them. */
export function governorOf(folder = '/sys/devices/system/cpu', cores = cpus().length): string | null {
  const found = new Set<string>();
  for (let core = 0; core < cores; core += 1) {
    try {
      found.add(readFileSync(path.join(folder, `cpu${core}/cpufreq/scaling_governor`), 'utf8').trim());
    } catch {
      // Without a governor file, this core or the whole system reports none.
    }
  }
  return found.size === 0 ? null : [...found].join(', ');
}

/** Recordings and pictures, on which no measurement depends; recording a session changes them. */
const RECORDED_FOLDERS = ['assets/runs', 'assets/readme', 'assets/measured'];

/** Whether sources of the checkout at `root` differ from its commit. Null without a checkout or without git. */
export async function isDirty(root: string): Promise<boolean | null> {
  if (!existsSync(path.join(root, '.git'))) return null;
  const requested = ['--no-optional-locks', '-C', root, 'status', '--porcelain', '--untracked-files=no'];
  const sources = ['--', '.', ...RECORDED_FOLDERS.map((folder) => `:(exclude)${folder}`)];
  const answer = await promisify(execFile)('git', [...requested, ...sources], { timeout: 10_000 }).catch(() => null);
  return answer === null ? null : answer.stdout.trim() !== '';
}

function versionsOf({ cuda, nvrtc, cupti, cublas, cublasLt }: DeviceReport): Record<string, string> {
  const libraries = { NVRTC: nvrtc, CUPTI: cupti, cuBLAS: cublas, cuBLASLt: cublasLt };
  const found = Object.entries(libraries).flatMap(([name, { version }]) => (version === null ? [] : [[name, version]]));
  return {
    'Node.js': process.versions.node,
    ...(cuda.version === null ? {} : { CUDA: cuda.version }),
    ...Object.fromEntries(found),
  };
}

export async function benchEnvironmentOf(root: string, devices: DeviceReport): Promise<BenchEnvironment> {
  return {
    governor: governorOf(),
    dirty: await isDirty(root),
    versions: versionsOf(devices),
    ecc: usedGpu(devices)?.ecc ?? null,
    persistence: usedGpu(devices)?.persistenceMode ?? null,
  };
}

/** Core-seconds used since the system and this process started. */
function usedCoreSeconds(): { readonly all_s: number; readonly own_s: number } {
  const busy_ms = cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
  const { user, system } = process.cpuUsage();
  return { all_s: busy_ms / 1e3, own_s: (user + system) / 1e6 };
}

/** The system counts CPU time in hundredths of a second per core: over shorter times the rounding dominates. */
const shortest_s = 0.5;

/** Load by other programs since this object was created. */
export class OtherLoadMeter {
  readonly #began = { ...usedCoreSeconds(), at_ms: performance.now() };

  /** Mean number of cores used by other programs. A user kernel in a separate process counts as another program. */
  cores(): number | null {
    const elapsed_s = (performance.now() - this.#began.at_ms) / 1e3;
    if (elapsed_s < shortest_s) return null;
    const { all_s, own_s } = usedCoreSeconds();
    return Math.max(0, all_s - this.#began.all_s - (own_s - this.#began.own_s)) / elapsed_s;
  }
}

function rangeOf(states: readonly ClockState[], what: (state: ClockState) => number | null) {
  const values = states.flatMap((state) => what(state) ?? []);
  return values.length === 0 ? null : { low: Math.min(...values), high: Math.max(...values) };
}

function gpuOf(states: readonly ClockState[], ecc: boolean | null, persistence: boolean | null): Environment['gpu'] {
  if (states.length === 0) return null;
  return {
    ecc,
    persistence,
    sm_MHz: rangeOf(states, ({ sm_MHz }) => sm_MHz),
    memory_MHz: rangeOf(states, ({ memory_MHz }) => memory_MHz),
    power_W: rangeOf(states, ({ power_W }) => power_W),
    power_limit_W: rangeOf(states, ({ powerLimit_W }) => powerLimit_W),
    temperature_C: rangeOf(states, ({ temperature_C }) => temperature_C),
  };
}

/** Environment stored with a finished session, from all its samples. */
export function environmentOf(
  { ecc, persistence, ...known }: BenchEnvironment,
  other_load_cores: number | null,
  samples: readonly { readonly clocks: ClockStates }[],
): Environment {
  const states = samples.flatMap(({ clocks }) => [clocks.before, clocks.after]).filter((state) => state !== null);
  return { ...known, other_load_cores, gpu: gpuOf(states, ecc, persistence) };
}

/** Fields that samples of all workloads have. */
export interface SampleMarks {
  readonly clocks: ClockStates;
  /** Index of the separately prepared state that produced the sample. */
  readonly instance: number;
}

/** Seconds by instance, in the order of the rounds. */
export function instancesOf<S extends Pick<SampleMarks, 'instance'>>(
  samples: readonly S[],
  timeOf: (sample: S) => number,
): Instances {
  return [...Map.groupBy(samples, ({ instance }) => instance).values()].map((each) => each.map(timeOf));
}

/** Samples of a candidate in one mode. */
export interface Series<S> {
  readonly mode: Mode;
  readonly samples: S[];
  /** Reason why this mode cannot be measured; null if it can. */
  readonly reason: string | null;
}

export interface ComparisonCandidate<S> {
  readonly label: string;
  /** Label of the candidate on which this candidate builds; null if there is none. */
  readonly buildsOn: string | null;
  /** First run, before the rounds. It is the only sample if the session is cancelled during the first round. */
  readonly first: S;
  readonly warm: Series<S>;
  readonly others: readonly Series<S>[];
}

export interface ComparisonBasis<S> {
  /** Candidate with which the others are compared. */
  readonly reference: ComparisonCandidate<S> | undefined;
  readonly all: readonly ComparisonCandidate<S>[];
  /** Noise floor from the control, on the natural logarithm. */
  readonly floor: number | null;
  /** Differences within this, as a ratio minus 1, do not matter. */
  readonly margin: number;
  /** Seconds of a sample that enter the comparison. */
  readonly timeOf: (sample: S) => number;
}

interface ComparedMode<S> {
  readonly mode: Mode;
  readonly reason: string | null;
  readonly time_s: number | null;
  readonly spread: number | null;
  /** Ratio to the same candidate's warm time. */
  readonly ratio: Ratio | null;
  readonly samples: readonly FlaggedSample<S>[];
}

export interface FlaggedSample<S> {
  readonly raw: S;
  readonly flag: string | null;
}

interface Comparison<S> {
  /** Warm samples, or only the first run if there are none. */
  readonly raw: readonly S[];
  readonly time_s: number;
  readonly spread: number;
  readonly ratio: Ratio;
  readonly ratio_unflagged: Ratio | null;
  readonly flagged: number;
  /** Verdict on the speed alone, without accuracy. */
  readonly verdict: SpeedVerdict | 'reference';
  readonly instances_to_decide: number | null;
  readonly rung: Ratio | null;
  readonly cumulative: Ratio | null;
  readonly modes: readonly ComparedMode<S>[];
  readonly samples: readonly FlaggedSample<S>[];
}

const flat = (times: Instances): readonly number[] => times.flat();

/** Converts a log ratio to a ratio; `medians` replaces it if there are too few instances for an interval. */
export function asRatio(log: LogInterval | null, medians: number): Ratio {
  return log === null ? { value: medians, interval: null } : { value: Math.exp(log.middle), interval: asInterval(log) };
}

/** Compares two series taken in the same rounds; intervals hold for all `candidates` at once. */
export function ratioOf(times: Instances, references: Instances, candidates = 1): Ratio {
  const log = pairedLogRatio(times, references, missProbability({ candidates }));
  return asRatio(log, median(flat(times)) / median(flat(references)));
}

/** Ratio for a session without instances: ratio of medians, with a bootstrap interval. */
export function bootstrapRatioOf(times: readonly number[], references: readonly number[], seed: number): Ratio {
  return { value: median(times) / median(references), interval: ratioInterval(times, references, seed) };
}

/** Times whose ratio may differ from 1 by more than this are never called the same, however noisy the session is. */
const WIDEST_SAME = 0.05;

/**
 * Verdict on a bootstrap interval of the ratio of a time to the reference's time. The floor, a ratio minus 1, applies
 * on both sides.
 */
export function bootstrapVerdictOf(ratio: Interval | null, floor: number | null): SpeedVerdict {
  if (ratio === null || floor === null) return 'undecided';
  if (ratio.high < 1 / (1 + floor)) return 'faster';
  if (ratio.low > 1 + floor) return 'slower';
  const same = Math.min(floor, WIDEST_SAME);
  return ratio.low >= 1 - same && ratio.high <= 1 + same ? 'same' : 'undecided';
}

/** Noise of a session from its control: ratio to the reference, and the floor on the natural logarithm. */
export function noiseOf(control: Instances, reference: Instances) {
  return { ratio: ratioOf(control, reference), floor: noiseFloorOf(control, reference) };
}

/** Converts a floor on the natural logarithm to a ratio minus 1, as shown to users. */
export const floorAsRatio = (floor: number | null): number | null => (floor === null ? null : Math.expm1(floor));

const allSamples = <S>(all: readonly ComparisonCandidate<S>[]): readonly S[] =>
  all.flatMap(({ warm, others }) => [warm, ...others].flatMap(({ samples }) => samples));

/** Chain of candidates on which this one builds, beginning with itself. */
function baseChainOf<S>(
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

export function compareTimes<S extends SampleMarks>(
  own: ComparisonCandidate<S>,
  basis: ComparisonBasis<S>,
): Comparison<S> {
  const { reference, all, floor, margin, timeOf } = basis;
  const candidates = Math.max(1, all.length - 1);
  const levels = (of: readonly S[]): Instances => instancesOf(of, timeOf);
  const highest_MHz = highestOf(allSamples(all));
  const flagged = (samples: readonly S[]): readonly FlaggedSample<S>[] => flagSeries(samples, { highest_MHz, timeOf });
  const whole = own.warm.samples.length > 0;
  const raw = whole ? own.warm.samples : [own.first];
  const times = raw.map(timeOf);
  const againstRaw = whole ? (reference?.warm.samples ?? []) : reference ? [reference.first] : [];
  const log = pairedLogRatio(levels(raw), levels(againstRaw), missProbability({ candidates }));
  const ratio = asRatio(log, median(times) / median(againstRaw.map(timeOf)));
  const { standing, instancesToDecide } = judge(log, floor, { margin }, levels(raw).length);
  const [samples, against] = [flagged(own.warm.samples), flagged(reference?.warm.samples ?? [])];
  const links = baseChainOf(own, all);
  const [base, root] = [links[1], links.at(-1)];
  const over = (other: ComparisonCandidate<S> | undefined): Ratio | null =>
    other === undefined || other === own || !whole
      ? null
      : ratioOf(levels(raw), levels(other.warm.samples), candidates);

  const unflagged = (): Ratio | null => {
    const clean = samples.map(({ flag }, i) => flag === null && against[i]?.flag === null);
    if (clean.every(Boolean) || !clean.some(Boolean)) return null;
    const keep = (each: readonly FlaggedSample<S>[]): Instances =>
      levels(each.filter((_, i) => clean[i]).map((one) => one.raw));
    return ratioOf(keep(samples), keep(against), candidates);
  };

  const mode = (series: Series<S>): ComparedMode<S> => {
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
      ratio: ratioOf(levels(series.samples), levels(raw), candidates),
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
