/** Interface of a workload to benchmarks: tasks, measured sessions and displayable answers. */

import type { Mode } from '../../contract/bench/bench-session.ts';
import type { Session, Words } from '../../contract/bench/session.ts';
import type { TaskKind } from '../../contract/scenario/kinds.ts';
import type { WorkloadName } from '../../contract/workload.ts';
import type { NativeAddon, TransportProblem } from '../io/addon/addon.ts';
import type { DiffractionProblem } from '../io/addon/diffraction.ts';
import type { TaskProblem } from '../io/addon/task.ts';
import type { StartChild } from '../io/processes/link.ts';
import type { Arena } from '../model/bench/arena.ts';
import type { Claim } from '../model/bench/claims.ts';
import type { Steadied } from '../model/bench/conditions/steady.ts';
import type { BenchProgress } from '../model/bench/session-clock.ts';
import type { BenchLimits } from '../model/bench/stopping.ts';
import type { ExternalAsked } from '../model/external/entrants.ts';
import type { ComparedField } from '../model/fields/field.ts';
import type { UserKernel } from '../model/user-kernels/file.ts';
import { refuseLongSum } from './least-minutes.ts';
import type { AnyReading } from './scenarios/index.ts';

interface Problems extends Readonly<Record<TaskKind, TaskProblem>> {
  readonly transport: TransportProblem;
  readonly diffraction: DiffractionProblem;
}

/** By the workload's name; plain values, which go to another thread. */
export type BenchProblem = {
  [K in keyof Problems]: { readonly kind: K; readonly problem: Problems[K] };
}[keyof Problems];

export interface BenchTask {
  readonly workload: WorkloadName;
  /** Name of the scenario in reports. */
  readonly scenario: string;
  /** One; of a sweep one per value. */
  readonly problems: readonly BenchProblem[];
  /** As many: the scenario of each as its report keeps it, of a sweep with the value swept. */
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  /** As many: what other programs are given, every default filled in. */
  readonly scenarios: readonly unknown[];
  readonly sweep: { readonly path: string; readonly values: readonly number[] } | null;
  /** Ids of the registry of other programs. */
  readonly external: readonly string[];
  readonly variants: readonly string[];
  /** In addition to warm. */
  readonly modes: readonly Mode[];
  readonly seed: number;
  readonly limits: BenchLimits;
  /**
   * Cold processes per variant, started after the rounds. Absent or null: the workload's usual number, none in a sweep.
   */
  readonly processes?: number | null;
  readonly assetsFolder: string;
  /** ISO 8601. */
  readonly created: string;
  /** That makes the session again on the command line. */
  readonly command: string;
  /** Those of the variants that are the user's own, each trusted; and what a run of theirs may take. */
  readonly userKernels: readonly UserKernel[];
  readonly userKernelLimit_s: number;
  /** Steadies the GPU's clock; absent: the clock is not changed. */
  readonly steadied?: Steadied;
  /** After the rounds, the energy of each variant's runs. */
  readonly energy?: boolean;
  /** After the rounds, record a sample of each variant whole, of workloads that can. */
  readonly trace: boolean;
  /** A sample repeats what is short for at least this long; the workload's usual time by default. */
  readonly sample_s?: number;
  /** None is judged: of a run, which is one variant. */
  readonly withoutClaims?: boolean;
}

/** Computed answers by report label, where they can be displayed. */
export type Answers = ReadonlyMap<string, Float32Array | Float64Array>;

export interface BenchOutcome {
  readonly session: Session;
  /** As many as reports. */
  readonly answers: readonly Answers[];
}

export interface BenchFollower {
  /** `report`: which of the sweep's values. */
  readonly tell: (progress: BenchProgress, report: number) => void;
  readonly signal: AbortSignal;
  /** Called with the reason if ceilings are missing or a trace lacks the device. */
  readonly warn?: ((reason: string) => void) | undefined;
  /** Starts processes; without it no process is started. */
  readonly startChild?: StartChild | undefined;
  /** Called from time to time with the session as it would be if it ended then. */
  readonly soFar?: ((session: Session) => void) | undefined;
}

/** Settings of a workload's session. */
export interface ArenaOptions {
  readonly variants: readonly string[];
  readonly claims?: readonly Claim[];
  /** Other programs of the registry in `assetsFolder`, given the scenario with every default filled in. */
  readonly external?: ExternalAsked | null;
  readonly sample_s?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Amount of work in one run. */
export interface Amount {
  readonly amount: number;
  /** Unit of `amount`; only amounts with the same unit are comparable. */
  readonly of: string;
  /** Null if it runs on a GPU. */
  readonly threads: number | null;
  /** Amount per second and thread on a current server; null if it was not measured. */
  readonly usualRate: number | null;
  /** A run of it took so many seconds here; forecasts of the form learn from it. */
  readonly learn?: (seconds: number) => void;
  /** False: its own tests know it to be wrong. */
  readonly right: boolean;
}

export interface Benchable {
  /** Throws BraggError `invalid` with every issue. */
  readonly problem: (reading: AnyReading) => BenchProblem;
  /** Throws a BraggError for a variant that is not known to this problem. */
  readonly check: (addon: NativeAddon, problem: BenchProblem, variants: readonly string[]) => void;
  /** Seconds that no machine stays below for one run of each variant; null: of all that can run here. `reading`: the problem's. */
  readonly least_s: (
    addon: NativeAddon,
    problem: BenchProblem,
    variants: readonly string[] | null,
    reading: AnyReading,
  ) => Promise<number>;
  /** Work in one run of a variant. Null if the variant cannot run the problem or is only a reference. */
  readonly amount: (
    addon: NativeAddon,
    problem: BenchProblem,
    variant: string,
    reading: AnyReading,
  ) => Promise<Amount | null>;
  /** Cold processes of each variant that a session of one size starts unless it is said otherwise. */
  readonly usualProcesses: number;
  /** `swept`: the value of the scenario that a sweep changes. */
  readonly words: (swept: string | undefined) => Words;
  /** Folder of its kernels, as their resources are called. */
  readonly kernels: string;
  /** Those that speak about this problem. */
  readonly readClaims: (assetsFolder: string, problem: BenchProblem) => Promise<readonly Claim[]>;
  /** Throws a BraggError for a variant that is not known to this problem. */
  readonly arena: (addon: NativeAddon, problem: BenchProblem, options: ArenaOptions) => Promise<Arena>;
  /** Null if the answer cannot be displayed as a field. */
  readonly field: (problem: BenchProblem, answer: Float32Array | Float64Array) => ComparedField | null;
}

/** The problem as one of `kind`, to which it was made. */
export function problemFor<K extends keyof Problems>(kind: K, any: BenchProblem): Problems[K] {
  if (any.kind !== kind) throw new Error(`a problem of ${any.kind} came to ${kind}`);
  return any.problem as Problems[K];
}

/** A first run, and one round. */
const RUNS_AT_LEAST = 2;

/**
 * Refuses a benchmark that exceeds the time limit before building any of it. `readingAt` resolves to null if there is
 * no problem, which is reported later. Throws BraggError `invalid`.
 */
export function refuseLongBench<T>(
  addon: NativeAddon,
  { problem, least_s }: Pick<Benchable, 'problem' | 'least_s'>,
  values: readonly T[],
  readingAt: (value: T) => Promise<AnyReading | null>,
  variants: readonly string[] | null,
): Promise<void> {
  return refuseLongSum('the benchmark', values, async (value) => {
    const reading = await readingAt(value);
    return reading === null ? 0 : RUNS_AT_LEAST * (await least_s(addon, problem(reading), variants, reading));
  });
}
