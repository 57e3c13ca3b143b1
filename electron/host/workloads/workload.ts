/**
 * Interfaces of a workload to the host, to comparisons of runs, to user kernels, and to studies, which save measures of
 * runs. Each workload has a folder; index.ts lists them.
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
import type { Resolved } from '../../contract/scenarios.ts';
import type { MeasureGroup, SavedCurve, Measure as StudyMeasure } from '../../contract/study/index.ts';
import type { UserKernelVerdict } from '../../contract/user-kernels/checks.ts';
import type { Headline } from '../../contract/workload.ts';
import type { NativeAddon } from '../io/addon/addon.ts';
import type { Values } from '../model/bench/claims.ts';
import { ENERGY_FACT, ENERGY_QUANTITY } from '../model/bench/conditions/energy.ts';
import type { BenchProgress } from '../model/bench/stopping.ts';
import type { ComparedField } from '../model/fields/field.ts';
import type { ReproducedProblem } from '../model/reproducer/reproducer.ts';
import type { RunTimeline } from '../model/timeline/import/run.ts';
import type { UserKernel } from '../model/user-kernels/file.ts';
import type { KnownUserKernels } from '../model/user-kernels/loaded.ts';
import type { ReplaceRules, UserKernelBase } from '../model/user-kernels/problem-folder.ts';
import type { Benchable, BenchOutcome, BenchTask } from './benchable.ts';
import type { RunContext } from './run-context.ts';
import type { AnyRunData } from './run-data.ts';
import type { Packer, RunFile } from './run-files/run-file.ts';
import type { ScenarioReading, ScenarioSide } from './scenarios/scenarios.ts';

export interface MeasuredTimes {
  /** Variant that ran, even if `auto` was requested. */
  readonly variant: string;
  readonly precision: string;
  /** Null if several variants were measured together. */
  readonly threads: number | null;
  /** Measures except those in `curves`. */
  readonly measures: readonly StudyMeasure[];
  readonly curves: readonly SavedCurve[];
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Measures of a group from a record of names and values; undefined values are omitted. */
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

/** Units by name suffix. */
const suffixes = ['mm', 'MeV', 'mrad', 's', 'bytes', 'ns', 'A'] as const;

/** Unit from a name: `r80_mm` is in mm, `plateau_MeV_per_mm` in MeV/mm; other names are plain numbers. */
export function unitBySuffix(name: string): string {
  const [, above, below] = /_([A-Za-z]+)_per_([A-Za-z]+)$/.exec(name) ?? [];
  const known = (one: string | undefined): boolean => suffixes.some((suffix) => suffix === one);
  if (known(above) && known(below)) return `${above}/${below}`;
  const suffix = name.slice(name.lastIndexOf('_') + 1);
  return suffixes.find((one) => one === suffix && name.includes('_')) ?? '';
}

/** `of`: what the counter covers, or the reason for a missing value. */
export const energyMeasures = (joules: number | null, of: string): readonly StudyMeasure[] => [
  { group: 'energy', name: 'energy_J', unit: 'J', value: joules },
  { group: 'energy', name: 'energy_of', unit: '', value: of },
];

/** Quantities of a session's entry, except energy, which is a separate group. */
export const quantityReadouts = (quantities: readonly Quantity[]): readonly StudyMeasure[] =>
  quantities
    .filter(({ id }) => id !== ENERGY_QUANTITY)
    .map(({ id, unit, value }) => ({ group: 'readouts', name: id, unit, value }));

/** Energy of an entry as a session reports it; empty if energy was not requested. */
export function sessionEnergy(quantities: readonly Quantity[], facts: SessionReport['facts']): readonly StudyMeasure[] {
  const told = facts.filter(([name]) => name === ENERGY_FACT).map(([, value]) => value);
  if (told.length === 0) return [];
  const joules = quantities.find(({ id }) => id === ENERGY_QUANTITY)?.value ?? null;
  return energyMeasures(joules, `${joules === null ? 'not known: ' : ''}${told.join('; ')}`);
}

/** An ended run in a comparison. */
interface ComparedRun {
  readonly threads: number;
  readonly isa: string;
  /** The run's only measured time; the set-up time is separate. */
  readonly time_s: number;
  readonly setup_s: number;
  readonly setup_parts: MeasuredSessionEntry['setup_parts'];
  readonly size: number | null;
  readonly quantities: MeasuredSessionEntry['quantities'];
  /** Accuracy that the run itself reports, such as the ledger error. */
  readonly accuracy: readonly Accuracy[];
  readonly field: ComparedField;
  /** Other conditions in which two runs may differ: the stopping-power table. */
  readonly environment: Readonly<Record<string, string>>;
}

interface Answer {
  readonly field: ComparedField;
  readonly precision: string;
  readonly variant: string;
}

export type ComparedRuns =
  | {
      /** For workloads whose runs compute one answer. */
      readonly kind: 'answers';
      readonly words: SessionTerms;
      readonly of: (run: AnyRunData) => Promise<ComparedRun>;
      /** Error of an answer relative to a reference on the same grid. `judged`: both solve the same problem. */
      readonly against: (here: Answer, reference: Answer, judged: boolean) => Promise<readonly Accuracy[]>;
    }
  /** For workloads whose runs measure several variants. */
  | { readonly kind: 'sessions'; readonly session: (run: AnyRunData) => Session };

/** Declared bytes that a variant moves per cell and step; 0 if unknown. */
export type DeclaredBytes = (variant: string) => number;

export interface UserKernelWorkload extends ReplaceRules {
  /** Input for a reproducer of `kernel`, from a scenario. Throws a BraggError if the scenario cannot be used. */
  readonly reproduced: (addon: NativeAddon, reading: ScenarioReading, kernel: UserKernel) => ReproducedProblem;
  /** Shipped variants, as the engine lists them. */
  readonly bases: (addon: NativeAddon) => readonly UserKernelBase[];
  /** Returns the engine's functions extended by user kernels. Calls for other variants go to `engine` unchanged. */
  readonly among: (engine: NativeAddon, known: KnownUserKernels) => Partial<NativeAddon>;
  /**
   * Checks an ended run of a user kernel like a run of a shipped variant: repeats it, and runs the reference. Null if
   * cancelled. Throws a BraggError.
   */
  readonly check: (
    addon: NativeAddon,
    reading: ScenarioReading,
    run: AnyRunData,
    signal?: AbortSignal,
  ) => Promise<UserKernelVerdict | null>;
}

/** File names of kernels: device code is compiled for the GPU, C++ for the CPU of this machine. */
const kernelFileNames = { cuda: /\.(cu|cuh)$/, cpu: /\.cpp$/ } as const;

interface FileRules {
  /** Files that the engine uses to set up or check variants, so a variant's replacement would never be used. */
  readonly engine: readonly string[];
  /** Headers that only device code includes. */
  readonly deviceHeaders?: readonly string[];
}

export function replaceableBy({ engine, deviceHeaders = [] }: FileRules): UserKernelWorkload['replaceable'] {
  return (name, device) =>
    !engine.includes(name) &&
    (kernelFileNames[device].test(name) || (device === 'cuda' && deviceHeaders.includes(name)));
}

/** Rejects replacement of host code; only kernels can be replaced. */
export function withoutKernels({ id, device, source, buildsOn }: UserKernelBase): string | null {
  if (device === 'cpu' || source.endsWith('.cu') || source.endsWith('.cuh')) return null;
  const differs = buildsOn === null ? 'is host code' : `differs from ${buildsOn} in host code`;
  return `${id} ${differs}; a CUDA user kernel replaces kernels, but ${id} has none of its own.`;
}

/** Callbacks of a run while it computes. */
export interface RunCallbacks {
  progressed(detail: ProgressDetail, eta_s: number | null): void;
  /** Returns the current metadata of the run, in addition to its result. */
  context(): RunContext;
  /** Saves a state of the run for recovery, with its progress as text; null if the run is not saved. */
  readonly keep: ((state: AnyRunData, upTo: string) => Promise<void>) | null;
  warn(text: string): void;
}

/** Run from the queue to its end. */
export interface WorkloadRun {
  readonly variant: string;
  readonly precision: string;
  readonly device: string;
  /** Lane that the run occupies exclusively: its device, or EVERY_LANE. */
  readonly lane: string;
  /** Size of the computation: `1024 × 1024 pixels`. */
  readonly size: string;
  /** Progress before the start. */
  readonly before: ProgressDetail;
  /** Starts the run; call once. Resolves with the computed part, even after `cancel`. Throws the addon's errors. */
  start(around: RunCallbacks): Promise<AnyRunData>;
  cancel(): void;
  /** Sends the newest state to subscribers that are ready. */
  showLive(): void;
  /** Ends live views after the run; pending frames are still sent. */
  endLive(): void;
}

/** Summary of an ended run in lists. */
interface EndedRun {
  readonly size: string;
  readonly headline: Headline | null;
  readonly detail: ProgressDetail;
  /** Progress at the end: `40 steps, 12.3 mm deep`. */
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
 * Measures on a worker thread, including named user kernels. `soFar` is called from time to time with the session as it
 * would be if stopped at that moment.
 */
export type Measure = (
  task: Omit<BenchTask, 'userKernels' | 'userKernelLimit_s'>,
  onProgress: (progress: BenchProgress, report: number) => void,
  signal: AbortSignal,
  soFar?: (session: Session) => void,
) => Promise<BenchOutcome>;

interface PrepareOptions {
  readonly trace: boolean;
  /** False if only numbers are needed, and no keyframes. */
  readonly pictures: boolean;
  readonly measure: Measure;
  /** Whether to measure the energy of runs, if the run is a session of many. */
  readonly energy: boolean;
  /** Name to use if the scenario has none. */
  readonly name: string;
  readonly assetsFolder: string;
}

/** Resources that solving a scenario needs, known before it is solved. */
export interface ResourceNeeds {
  readonly variant: string;
  readonly precision: string;
  /** Upper bound on the memory of the state. */
  readonly state_bytes: number;
  /** Approximate peak memory, including tables and results; absent if it equals the state. */
  readonly memory_bytes?: number;
  /** Additional memory for the run's keyframes after it has ended; absent if there are none. */
  readonly pictures_bytes?: number;
  /** Size of the computation as text: `1024 × 1024 pixels, …`. */
  readonly size: string;
  /** Sizes for scripts: the `grid`, `image` or `problem` of the workload under that key. */
  readonly sizes: Readonly<Record<string, unknown>>;
  /** Lower bound on the time on any machine, seconds; null for runs that end by the clock, such as measurements. */
  readonly least_s: number | null;
  /** Expected time, if known. */
  readonly expected?: { readonly seconds: number; readonly elsewhere: string | null };
}

/** Concurrency. `beams`: one thread each, many in one process. `runs`: a process each. `alone`: nothing concurrent. */
export type Concurrency = 'beams' | 'runs' | 'alone';

/** Workload of the host. Its functions receive readings and runs of its own kind, and narrow their types. */
export interface HostWorkload {
  readonly scenario: ScenarioSide;
  readonly runFile: RunFile;
  readonly variants: (addon: NativeAddon) => readonly Variant[];
  readonly userKernels: UserKernelWorkload;
  /**
   * Whether to compile its GPU kernels when a window opens if nvcc has not compiled them, because a first run of `auto`
   * uses them.
   */
  readonly compiledAtStart: boolean;
  /** Resolved scenario; null if it has errors. Throws if the engine rejects it. */
  readonly resolve: (parts: ResolveParts, reading: ScenarioReading) => Promise<Resolved | null>;
  /** Resources that a scenario needs. Throws as `prepare` does. */
  readonly needs: (addon: NativeAddon, reading: ScenarioReading) => Promise<ResourceNeeds>;
  /**
   * Chooses the variant for `auto` if only readouts are needed; absent if the choice does not depend on that. Returns
   * the reading unchanged if it keeps the variant of saved runs.
   */
  readonly forReadouts?: (addon: NativeAddon, reading: ScenarioReading) => Promise<ScenarioReading>;
  /** Prepares a run. Throws BraggError `invalid` with every issue, or the engine's error. */
  readonly prepare: (addon: NativeAddon, reading: ScenarioReading, options: PrepareOptions) => Promise<WorkloadRun>;
  readonly ended: (run: AnyRunData) => Promise<EndedRun>;
  /** Exports a run; `what` is one of the workload's formats in contract/workload.ts. */
  readonly exported: (run: AnyRunData, what: string, packer: Packer) => Promise<ExportedFile>;
  /** Timeline data of a run. */
  readonly timeline: (run: AnyRunData, declared: DeclaredBytes) => RunTimeline;
  readonly benchable: Benchable;
  readonly compared: ComparedRuns;
  /** Concurrency of study points that solve this document. */
  readonly together: (document: unknown) => Concurrency;
  /** Measures of a run that a study saves. */
  readonly measures: (run: AnyRunData) => MeasuredTimes | Promise<MeasuredTimes>;
  /** Label that distinguishes scenarios in a list: `70 MeV`; empty if there is none. */
  readonly about: (document: unknown) => string;
  /** Scenario values that claims may be limited to; null if claims are never limited for this workload. */
  readonly claimed: (filled: ScenarioWithStaticDefaults) => Values | null;
}
