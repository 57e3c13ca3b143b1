/**
 * Interface between workloads and benchmarks: tasks, measured sessions, and results that can be displayed. Also rejects
 * runs that would need too long, before building anything.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Mode } from '../../contract/bench/bench-session.ts';
import type { BenchOptions } from '../../contract/bench/options.ts';
import type { Session, SessionTerms } from '../../contract/bench/session.ts';
import { BraggError } from '../../contract/errors.ts';
import type { TaskKind } from '../../contract/scenario/kinds.ts';
import type { WorkloadName } from '../../contract/workload.ts';
import type { NativeAddon, TransportProblem } from '../io/addon/addon.ts';
import type { DiffractionProblem, TaskProblem } from '../io/addon/task.ts';
import type { StartChild } from '../io/processes/link.ts';
import type { BenchSetup } from '../model/bench/bench-candidate.ts';
import type { Claim } from '../model/bench/claims.ts';
import type { SteadySettings } from '../model/bench/conditions/steady.ts';
import { type BenchLimits, type BenchProgress, createLimits, maxRounds } from '../model/bench/stopping.ts';
import type { ExternalRequest } from '../model/external/program-candidate.ts';
import type { ComparedField } from '../model/fields/field.ts';
import type { UserKernel } from '../model/user-kernels/file.ts';
import type { ScenarioReading } from './scenarios/scenarios.ts';

/** Time limit in minutes: one day. A longer run is usually a mistake in a scenario. */
const DEFAULT_MINUTES = 24 * 60;
const VARIABLE = 'BRAGGBENCH_MOST_MINUTES';

/** Rates per second that no current machine exceeds. They give a lower bound for the time of a run. */
export const fastestRates = {
  /** Cells and steps per second, for one thread with 512-bit vectors and for a GPU. */
  cellSteps: { thread: 5e9, device: 2e12 },
  latticeTerms: { thread: 2e9, device: 2e13 },
  flops: { thread: 4e11, device: 2e15 },
} as const;

export interface Work {
  readonly variant: string;
  /** Amount of work, in the unit of the rate. */
  readonly amount: number;
  /** Unit of `amount`, for example `steps of a cell`. */
  readonly of: string;
  readonly rate: { readonly thread: number; readonly device: number };
  /** Number of threads. Null if the work is done on a GPU. */
  readonly threads: number | null;
}

function maxMinutes(environment: NodeJS.ProcessEnv): number {
  const limitFromEnvironment = Number(environment[VARIABLE]);
  return limitFromEnvironment > 0 ? limitFromEnvironment : DEFAULT_MINUTES;
}

/** Lower bound in seconds that holds for every current machine. */
export function minSeconds({ amount, rate, threads }: Pick<Work, 'amount' | 'rate' | 'threads'>): number {
  return amount / (threads === null ? rate.device : rate.thread * threads);
}

function tooLongError(what: string, seconds: number, why: string, environment: NodeJS.ProcessEnv): BraggError | null {
  const minutes = seconds / 60;
  const most = maxMinutes(environment);
  if (minutes <= most) return null;
  return new BraggError(
    'invalid',
    `${what} at least ${Number(minutes.toPrecision(2))} minutes (${why}); allowed: ${most}, or the limit set in ${VARIABLE}`,
  );
}

/**
 * Throws BraggError `invalid` if the work would exceed the time limit. The message contains the lower bound, the limit
 * and the setting that raises it, in the same format as error messages of the engine.
 */
export function throwIfTooLong(work: Work, environment: NodeJS.ProcessEnv = process.env): void {
  const { variant, amount, of, threads } = work;
  const where = threads === null ? 'on the fastest GPU' : `on ${threads} threads at full speed`;
  const why = `${amount.toExponential(1)} ${of} ${where}`;
  const refused = tooLongError(`solver.variant = ${variant}: takes`, minSeconds(work), why, environment);
  if (refused !== null) throw refused;
}

/**
 * Maximum number of runs for which `throwIfSumTooLong` computes a lower bound. Each computation needs milliseconds.
 */
const MAX_EXAMINED = 16;

/** Selects at most MAX_EXAMINED evenly spaced parts, including the first and the last. */
function pickEvenly<T>(all: readonly T[]): readonly T[] {
  if (all.length <= MAX_EXAMINED) return all;
  const step = (all.length - 1) / (MAX_EXAMINED - 1);
  return Array.from({ length: MAX_EXAMINED }, (_, i) => all[Math.round(i * step)] as T);
}

/**
 * Like `throwIfTooLong`, for many runs together. Call it before any of them begins. `least_s` returns the lower bound
 * in seconds for one run, 0 if unknown. If there are many runs, the sum is estimated from evenly spaced ones.
 * `sideBySide`: number of concurrent runs.
 */
export async function throwIfSumTooLong<T>(
  what: string,
  parts: readonly T[],
  least_s: (part: T) => Promise<number>,
  { sideBySide = 1, environment = process.env }: { sideBySide?: number; environment?: NodeJS.ProcessEnv } = {},
): Promise<void> {
  const some = pickEvenly(parts);
  let sum_s = 0;
  for (const part of some) sum_s += await least_s(part);
  const all_s = (sum_s * parts.length) / Math.max(1, some.length) / sideBySide;
  const refused = tooLongError(`${what} takes`, all_s, `${parts.length} in total on the fastest machine`, environment);
  if (refused !== null) throw refused;
}

interface Problems extends Readonly<Record<TaskKind, TaskProblem>> {
  readonly transport: TransportProblem;
  readonly diffraction: DiffractionProblem;
}

/** A problem with the name of its workload. It contains only plain values, because it is sent to another thread. */
export type BenchProblem = {
  [K in keyof Problems]: { readonly kind: K; readonly problem: Problems[K] };
}[keyof Problems];

export interface BenchTask {
  readonly workload: WorkloadName;
  /** Name of the scenario in reports. */
  readonly scenario: string;
  /** One problem, or one per value of a sweep. */
  readonly problems: readonly BenchProblem[];
  /** Scenario document of each problem, as stored in its report. In a sweep it contains the swept value. */
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  /** Complete scenario of each problem, with all defaults, for external programs. */
  readonly scenarios: readonly unknown[];
  readonly sweep: { readonly path: string; readonly values: readonly number[] } | null;
  /** Ids of external programs in the registry. */
  readonly external: readonly string[];
  readonly variants: readonly string[];
  /** Modes that are measured in addition to warm runs. */
  readonly modes: readonly Mode[];
  readonly seed: number;
  readonly limits: BenchLimits;
  /**
   * Number of cold processes per variant, started after the rounds. If absent or null, the workload's default applies;
   * a sweep then starts none.
   */
  readonly processes?: number | null;
  readonly assetsFolder: string;
  /** Time of creation in ISO 8601. */
  readonly created: string;
  /** Command line that repeats the session. */
  readonly command: string;
  /** Trusted user kernels among the variants. */
  readonly userKernels: readonly UserKernel[];
  readonly userKernelLimit_s: number;
  /** Holds the GPU's clock constant. If absent, the clock is not changed. */
  readonly steadied?: SteadySettings;
  /** Whether to measure the energy of each variant after the rounds. */
  readonly energy?: boolean;
  /** Whether to record a timeline of one sample of each variant after the rounds, if the workload supports it. */
  readonly trace: boolean;
  /** Minimum duration of a sample in seconds, reached by repetition. By default the workload decides. */
  readonly sample_s?: number;
  /** True if no claims are to be judged, for example for a run, which has only one variant. */
  readonly withoutClaims?: boolean;
}

/** Converts options of a benchmark to fields of a task. */
export function taskOptions(options: BenchOptions) {
  const { rounds, time_s, instances, precision, margin, warm_up, processes, seed, energy, lock_MHz, cool_C } = options;
  const limits = createLimits(rounds ?? maxRounds, time_s, {
    ...{ precision, margin, warmUp: warm_up },
    ...(instances !== null && { mostInstances: instances }),
  });
  return { limits, processes, seed, energy, steadied: { lock_MHz, cool_C } };
}

/** Defaults of a task that only measures variants of one scenario. */
const plainTask = {
  sweep: null,
  external: [],
  modes: [],
  seed: 1,
  trace: false,
  userKernels: [],
  userKernelLimit_s: 0,
} as const satisfies Partial<BenchTask>;

type TaskProblems = Pick<BenchTask, 'workload' | 'problems' | 'documents' | 'scenarios'>;
type TaskSettings = Pick<BenchTask, 'scenario' | 'variants' | 'limits' | 'assetsFolder' | 'command'> &
  Partial<Omit<BenchTask, keyof TaskProblems | 'created'>>;

/** Builds the task of a session. Fields that `stated` omits have their defaults. */
export function benchTaskOf(measured: TaskProblems, stated: TaskSettings): BenchTask {
  return { ...plainTask, created: new Date().toISOString(), ...measured, ...stated };
}

export type ValidReading = Extract<ScenarioReading, { readonly kind: string }>;

/**
 * Builds a task from one scenario, or from the scenarios of a sweep, one per value. Yields to the event loop after each
 * problem.
 */
export async function benchTaskOfReadings(
  benchable: BenchmarkSupport,
  readings: readonly ValidReading[],
  stated: TaskSettings & Partial<Pick<TaskProblems, 'documents'>>,
): Promise<BenchTask> {
  const [first] = readings;
  if (first === undefined) throw new Error('no scenario to measure was given');
  const problems: BenchProblem[] = [];
  for (const reading of readings) {
    problems.push(benchable.problem(reading));
    await nextTurn();
  }
  const documents = readings.map(({ document }) => document ?? {});
  return benchTaskOf(
    { workload: first.kind, problems, documents, scenarios: readings.map(({ scenario }) => scenario) },
    stated,
  );
}

/** Result arrays by the label of their report entry. Contains only results that can be displayed. */
export type ResultArrays = ReadonlyMap<string, Float32Array | Float64Array>;

export interface BenchOutcome {
  readonly session: Session;
  /** Result arrays for display, one map per report of the session. */
  readonly answers: readonly ResultArrays[];
}

export interface BenchCallbacks {
  /** Reports progress. `report`: index of the value in a sweep. */
  readonly onProgress: (progress: BenchProgress, report: number) => void;
  readonly signal: AbortSignal;
  /** Called with the reason if performance ceilings are missing or a trace lacks the device. */
  readonly warn?: ((reason: string) => void) | undefined;
  /** Starts child processes. If absent, nothing is measured in separate processes. */
  readonly startChild?: StartChild | undefined;
  /** Called periodically with the session so far, as it would be returned if the measurement stopped now. */
  readonly onIntermediateSession?: ((session: Session) => void) | undefined;
}

/** Settings of the session that a workload prepares. */
export interface BenchSetupOptions {
  readonly variants: readonly string[];
  readonly claims?: readonly Claim[];
  /** External programs from the registry in `assetsFolder`. They receive the scenario with all defaults. */
  readonly external?: ExternalRequest | null;
  readonly sample_s?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Amount of work in one run. */
export interface WorkAmount {
  readonly amount: number;
  /** Unit of `amount`. Amounts can be compared only if their units are equal. */
  readonly of: string;
  /** Number of threads. Null if the work is done on a GPU. */
  readonly threads: number | null;
  /** Amount per second and thread on a current server. Null if it was not measured. */
  readonly usualRate: number | null;
  /** Stores the time in seconds that a run needed on this machine, to improve the forecasts in the scenario form. */
  readonly learn?: (seconds: number) => void;
  /** False if the variant is known to fail its accuracy tests. */
  readonly isCorrect: boolean;
}

export interface BenchmarkSupport {
  /** Builds the problem of a scenario. Throws BraggError `invalid` with all issues. */
  readonly problem: (reading: ScenarioReading) => BenchProblem;
  /** Throws a BraggError if a variant is unknown for this problem. */
  readonly check: (addon: NativeAddon, problem: BenchProblem, variants: readonly string[]) => void;
  /**
   * Lower bound in seconds for one run of each variant. `variants`: null for all that can run on this machine.
   * `reading`: the scenario of the problem.
   */
  readonly least_s: (
    addon: NativeAddon,
    problem: BenchProblem,
    variants: readonly string[] | null,
    reading: ScenarioReading,
  ) => Promise<number>;
  /**
   * Amount of work in one run of a variant. Null or a reason if the variant cannot run the problem or is only a
   * reference.
   */
  readonly amount: (
    addon: NativeAddon,
    problem: BenchProblem,
    variant: string,
    reading: ScenarioReading,
  ) => Promise<WorkAmount | string | null>;
  /** Default number of cold processes per variant. It does not apply to sweeps. */
  readonly usualProcesses: number;
  /** Terms of the workload for tables. `swept`: path of the scenario value that a sweep changes. */
  readonly terms: (swept: string | undefined) => SessionTerms;
  /** Folder of the workload's kernels, by which their resources are found. */
  readonly kernels: string;
  /** Reads the published claims about this problem. */
  readonly readClaims: (assetsFolder: string, problem: BenchProblem) => Promise<readonly Claim[]>;
  /** Prepares the measurement. Throws a BraggError if a variant is unknown for this problem. */
  readonly setup: (addon: NativeAddon, problem: BenchProblem, options: BenchSetupOptions) => Promise<BenchSetup>;
  /** Converts a result to a field for display. Null if that is not possible. */
  readonly field: (problem: BenchProblem, answer: Float32Array | Float64Array) => ComparedField | null;
}

/** Returns the problem if its kind is `kind`. Throws otherwise, which is a programming error. */
export function problemFor<K extends keyof Problems>(kind: K, any: BenchProblem): Problems[K] {
  if (any.kind !== kind) throw new Error(`a problem of kind ${any.kind} was passed to ${kind}`);
  return any.problem as Problems[K];
}

/** Minimum number of runs of each variant: a first run and one round. */
const MIN_RUNS = 2;

/**
 * Throws BraggError `invalid` if a benchmark would exceed the time limit, before preparing any of it. Values for which
 * `readingAt` resolves to null are skipped: their scenario is invalid, which is reported later.
 */
export function throwIfBenchTooLong<T>(
  addon: NativeAddon,
  { problem, least_s }: Pick<BenchmarkSupport, 'problem' | 'least_s'>,
  values: readonly T[],
  readingAt: (value: T) => Promise<ScenarioReading | null>,
  variants: readonly string[] | null,
): Promise<void> {
  return throwIfSumTooLong('the benchmark', values, async (value) => {
    const reading = await readingAt(value);
    return reading === null ? 0 : MIN_RUNS * (await least_s(addon, problem(reading), variants, reading));
  });
}
