/**
 * Interfaces of a workload to the host, to comparisons of runs, to user kernels, and to studies, which store measures
 * of runs. Each workload has a folder, and index.ts lists all workloads.
 */
import type { Quantity } from '../../contract/bench/bench-session.ts';
import type {
  Accuracy,
  MeasuredSessionEntry,
  Session,
  SessionReport,
  SessionTerms,
} from '../../contract/bench/session.ts';
import type { Variant } from '../../contract/capabilities.ts';
import type { Curve } from '../../contract/fields.ts';
import type { ProgressDetail } from '../../contract/run.ts';
import type { ScenarioWithStaticDefaults } from '../../contract/scenario/index.ts';
import type { ResolvedScenario } from '../../contract/scenarios.ts';
import type { MeasureGroup, SavedCurve, Measure as StudyMeasure } from '../../contract/study/index.ts';
import type { UserKernelVerdict } from '../../contract/user-kernels/checks.ts';
import type { Headline } from '../../contract/workload.ts';
import type { NativeAddon } from '../io/addon/addon.ts';
import type { ProblemValues } from '../model/bench/claims.ts';
import { ENERGY_FACT, ENERGY_QUANTITY } from '../model/bench/conditions/energy.ts';
import type { BenchProgress } from '../model/bench/stopping.ts';
import type { ComparedField } from '../model/fields/field.ts';
import type { ReproducedProblem } from '../model/reproducer/reproducer.ts';
import type { RunTimeline } from '../model/timeline/import/run.ts';
import type { UserKernel } from '../model/user-kernels/file.ts';
import type { KnownUserKernels } from '../model/user-kernels/loaded.ts';
import type { ReplaceRules, UserKernelBase } from '../model/user-kernels/problem-folder.ts';
import type { BenchmarkSupport, BenchOutcome, BenchTask } from './benchable.ts';
import type { RunContext } from './run-context.ts';
import type { AnyRunData } from './run-data.ts';
import type { Packer, RunFile } from './run-files/run-file.ts';
import type { ScenarioFunctions, ScenarioReading } from './scenarios/scenarios.ts';

export interface MeasuredTimes {
  /** Variant that ran, also if `auto` was requested. */
  readonly variant: string;
  readonly precision: string;
  /** Number of threads. Null if several variants were measured together. */
  readonly threads: number | null;
  /** All measures except those in `curves`. */
  readonly measures: readonly StudyMeasure[];
  readonly curves: readonly SavedCurve[];
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Converts names and values to measures of a group. Undefined values are omitted. */
export function measuresOf(
  group: Exclude<MeasureGroup, 'curves'>,
  unit: (name: string) => string,
  values: Readonly<Record<string, number | string | null | undefined>>,
): readonly StudyMeasure[] {
  return Object.entries(values).flatMap(([name, value]): readonly StudyMeasure[] => {
    if (value === undefined) return [];
    if (typeof value === 'string') return [{ group, name, unit: '', value }];
    return [{ group, name, unit: unit(name), value: value === null ? null : finite(value) }];
  });
}

export function savedCurve(name: string, { unit, axis, axisUnit, positions, values }: Curve): SavedCurve {
  return {
    name,
    unit,
    axis,
    axis_unit: axisUnit,
    positions: Array.from(positions, finite),
    values: Array.from(values, finite),
  };
}

/** Suffixes of names that are units. */
const suffixes = ['mm', 'MeV', 'mrad', 's', 'bytes', 'ns', 'A'] as const;

/** Unit of a value by its name: `r80_mm` is in mm, `plateau_MeV_per_mm` in MeV/mm. Empty for other names. */
export function unitBySuffix(name: string): string {
  const [, above, below] = /_([A-Za-z]+)_per_([A-Za-z]+)$/.exec(name) ?? [];
  const known = (one: string | undefined): boolean => suffixes.some((suffix) => suffix === one);
  if (known(above) && known(below)) return `${above}/${below}`;
  const suffix = name.slice(name.lastIndexOf('_') + 1);
  return suffixes.find((one) => one === suffix && name.includes('_')) ?? '';
}

/** Measures of energy. `of`: description of the counter, or the reason why there is no value. */
export const energyMeasures = (joules: number | null, of: string): readonly StudyMeasure[] => [
  { group: 'energy', name: 'energy_J', unit: 'J', value: joules },
  { group: 'energy', name: 'energy_of', unit: '', value: of },
];

/** Quantities of a session's entry, except energy, which has its own group. */
export const quantityReadouts = (quantities: readonly Quantity[]): readonly StudyMeasure[] =>
  quantities
    .filter(({ id }) => id !== ENERGY_QUANTITY)
    .map(({ id, unit, value }) => ({ group: 'readouts', name: id, unit, value }));

/** Energy of an entry as recorded in a session. Empty if energy was not requested. */
export function sessionEnergyMeasures(
  quantities: readonly Quantity[],
  facts: SessionReport['facts'],
): readonly StudyMeasure[] {
  const energies = facts.filter(([name]) => name === ENERGY_FACT).map(([, value]) => value);
  if (energies.length === 0) return [];
  const joules = quantities.find(({ id }) => id === ENERGY_QUANTITY)?.value ?? null;
  return energyMeasures(joules, `${joules === null ? 'not known: ' : ''}${energies.join('; ')}`);
}

/** An ended run in a comparison. */
interface ComparedRun {
  readonly threads: number;
  readonly isa: string;
  /** Single measured time of the run in seconds, without set-up. */
  readonly time_s: number;
  readonly setup_s: number;
  readonly setup_parts: MeasuredSessionEntry['setup_parts'];
  readonly size: number | null;
  readonly quantities: MeasuredSessionEntry['quantities'];
  /** Accuracy that the run itself reports, for example the error of the ledger. */
  readonly accuracy: readonly Accuracy[];
  readonly field: ComparedField;
  /** Further conditions in which two runs may differ, for example the stopping-power table. */
  readonly environment: Readonly<Record<string, string>>;
}

interface Answer {
  readonly field: ComparedField;
  readonly precision: string;
  readonly variant: string;
}

export type ComparedRuns =
  | {
      /** For workloads whose runs compute one result. */
      readonly kind: 'answers';
      readonly words: SessionTerms;
      readonly of: (run: AnyRunData) => Promise<ComparedRun>;
      /**
       * Computes the error of a result relative to a reference on the same grid. `judged`: whether both solve the same
       * problem.
       */
      readonly compare: (here: Answer, reference: Answer, judged: boolean) => Promise<readonly Accuracy[]>;
    }
  /** For workloads whose runs measure several variants. */
  | { readonly kind: 'sessions'; readonly session: (run: AnyRunData) => Session };

/** Returns the declared number of bytes that a variant moves per cell and step. 0 if unknown. */
export type DeclaredBytes = (variant: string) => number;

export interface UserKernelWorkload extends ReplaceRules {
  /**
   * Returns the input for a reproducer of `kernel` on a scenario. Throws a BraggError if the scenario cannot be used.
   */
  readonly reproducedProblem: (addon: NativeAddon, reading: ScenarioReading, kernel: UserKernel) => ReproducedProblem;
  /** Returns the shipped variants as listed by the engine. */
  readonly bases: (addon: NativeAddon) => readonly UserKernelBase[];
  /**
   * Returns the functions of the engine, extended by user kernels. Calls for other variants go to `engine` unchanged.
   */
  readonly extendEngine: (engine: NativeAddon, known: KnownUserKernels) => Partial<NativeAddon>;
  /**
   * Checks an ended run of a user kernel like a shipped variant: repeats the run, and runs the reference. Null if
   * cancelled. Throws a BraggError.
   */
  readonly check: (
    addon: NativeAddon,
    reading: ScenarioReading,
    run: AnyRunData,
    signal?: AbortSignal,
  ) => Promise<UserKernelVerdict | null>;
}

/** File names of kernels. Device code is compiled for the GPU, and C++ for the CPU of this machine. */
const kernelFileNames = { cuda: /\.(cu|cuh)$/, cpu: /\.cpp$/ } as const;

interface FileRules {
  /** Files that a user kernel cannot replace, because the engine itself uses them to set up or check variants. */
  readonly engine: readonly string[];
  /** Headers that are included only by device code. */
  readonly deviceHeaders?: readonly string[];
}

export function replaceableRule({ engine, deviceHeaders = [] }: FileRules): UserKernelWorkload['replaceable'] {
  return (name, device) =>
    !engine.includes(name) &&
    (kernelFileNames[device].test(name) || (device === 'cuda' && deviceHeaders.includes(name)));
}

/** Explains why a variant of host code cannot be replaced. Null for variants whose kernels can. */
export function kernelReplacementError({ id, device, source, buildsOn }: UserKernelBase): string | null {
  if (device === 'cpu' || source.endsWith('.cu') || source.endsWith('.cuh')) return null;
  const differs = buildsOn === null ? 'is host code' : `differs from ${buildsOn} in host code`;
  return `${id} ${differs}; a CUDA user kernel replaces kernels, but ${id} has none of its own.`;
}

/** Callbacks of a run while it computes. */
export interface RunCallbacks {
  reportProgress(detail: ProgressDetail, eta_s: number | null): void;
  /** Returns the current metadata of the run. */
  context(): RunContext;
  /** Saves a checkpoint for recovery, with the progress as text. Null if checkpoints of the run are not saved. */
  readonly saveCheckpoint: ((state: AnyRunData, upTo: string) => Promise<void>) | null;
  warn(text: string): void;
}

/** A run of a workload, while it is queued and while it computes. */
export interface WorkloadRun {
  readonly variant: string;
  readonly precision: string;
  readonly device: string;
  /** Lane that the run occupies exclusively: that of its device, or ALL_LANES. */
  readonly lane: string;
  /** Size of the computation as text, for example `1024 × 1024 pixels`. */
  readonly size: string;
  /** Progress to report before the start. */
  readonly before: ProgressDetail;
  /**
   * Starts the run. Call it only once. Resolves with the computed part, also after `cancel`. Throws the addon's errors.
   */
  start(around: RunCallbacks): Promise<AnyRunData>;
  cancel(): void;
  /** Sends the newest state to subscribers that are ready. */
  showLive(): void;
  /** Ends live views after the run; pending frames are still sent. */
  endLive(): void;
}

/** Summary of an ended run for lists. */
interface EndedRun {
  readonly size: string;
  readonly headline: Headline | null;
  readonly detail: ProgressDetail;
  /** Progress at the end as text, for example `40 steps, 12.3 mm deep`. */
  readonly upTo: string;
}

export interface ExportedFile {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
}

export interface ResolveParts {
  readonly addon: NativeAddon;
  readonly memoryLimit_bytes: number;
}

/**
 * Measures variants, including user kernels, on a worker thread. `soFar`: called periodically with the session so far,
 * as it would be returned if the measurement stopped now.
 */
export type MeasureVariants = (
  task: Omit<BenchTask, 'userKernels' | 'userKernelLimit_s'>,
  onProgress: (progress: BenchProgress, report: number) => void,
  signal: AbortSignal,
  soFar?: (session: Session) => void,
) => Promise<BenchOutcome>;

interface PrepareOptions {
  readonly trace: boolean;
  /** Whether to store keyframes. False if only numbers are needed. */
  readonly keyframes: boolean;
  readonly measure: MeasureVariants;
  /** Whether to measure the energy of runs, if the run is a session with many repetitions. */
  readonly energy: boolean;
  /** Name of the run if the scenario has none. */
  readonly name: string;
  readonly assetsFolder: string;
}

/** Resources that are needed to solve a scenario, known in advance. */
export interface ResourceNeeds {
  readonly variant: string;
  readonly precision: string;
  /** Upper bound for the memory of the state. */
  readonly state_bytes: number;
  /** Approximate peak memory including tables and results. Absent if it equals the memory of the state. */
  readonly memory_bytes?: number;
  /** Additional memory for keyframes after the end of the run. Absent if there are none. */
  readonly pictures_bytes?: number;
  /** Size of the computation as text, for example `1024 × 1024 pixels, …`. */
  readonly size: string;
  /** Sizes as JSON for scripts, under the key `grid`, `image` or `problem` of the workload. */
  readonly sizes: Readonly<Record<string, unknown>>;
  /**
   * Lower bound in seconds for the time on any machine. Null for runs that end after a given time, such as
   * measurements.
   */
  readonly least_s: number | null;
  /** Expected time in seconds, if it is known. */
  readonly expected?: { readonly seconds: number; readonly elsewhere: string | null };
}

/**
 * Concurrency of study points. `beams`: many in one process, on one thread each. `runs`: one process each. `alone`:
 * nothing else runs.
 */
export type Concurrency = 'beams' | 'runs' | 'alone';

/** A workload in the host. Its functions receive readings and runs of its own kind, and narrow their types. */
export interface HostWorkload {
  readonly scenario: ScenarioFunctions;
  readonly runFile: RunFile;
  readonly variants: (addon: NativeAddon) => readonly Variant[];
  readonly userKernels: UserKernelWorkload;
  /**
   * Whether to compile its GPU kernels when a window opens, unless nvcc has compiled them. A first run of `auto` then
   * uses them.
   */
  readonly compiledAtStart: boolean;
  /** Returns the resolved scenario. Null if it has errors. Throws if the engine rejects it. */
  readonly resolve: (parts: ResolveParts, reading: ScenarioReading) => Promise<ResolvedScenario | null>;
  /** Returns the resources that a scenario needs. Throws like `prepare`. */
  readonly needs: (addon: NativeAddon, reading: ScenarioReading) => Promise<ResourceNeeds>;
  /**
   * Selects the variant for `auto` if only readouts are needed. Absent if the variant does not depend on this. Returns
   * the reading unchanged if the variant is the same as for stored runs.
   */
  readonly forReadouts?: (addon: NativeAddon, reading: ScenarioReading) => Promise<ScenarioReading>;
  /** Prepares a run. Throws BraggError `invalid` with all issues, or the error of the engine. */
  readonly prepare: (addon: NativeAddon, reading: ScenarioReading, options: PrepareOptions) => Promise<WorkloadRun>;
  readonly ended: (run: AnyRunData) => Promise<EndedRun>;
  /** Exports a run. `what`: one of the workload's formats in contract/workload.ts. */
  readonly exportFile: (run: AnyRunData, what: string, packer: Packer) => Promise<ExportedFile>;
  /** Returns the data of a run's timeline. */
  readonly timeline: (run: AnyRunData, declared: DeclaredBytes) => RunTimeline;
  readonly benchable: BenchmarkSupport;
  readonly compared: ComparedRuns;
  /** Returns the concurrency of study points that solve this document. */
  readonly concurrency: (document: unknown) => Concurrency;
  /** Returns the measures of a run that studies store. */
  readonly measures: (run: AnyRunData) => MeasuredTimes | Promise<MeasuredTimes>;
  /** Returns a label that distinguishes scenarios in a list, for example `70 MeV`. Empty if there is none. */
  readonly label: (document: unknown) => string;
  /**
   * Returns the scenario values by which claims may be limited. Null if claims are never limited for this workload.
   */
  readonly claimValues: (filled: ScenarioWithStaticDefaults) => ProblemValues | null;
}
