/** Interface of a workload to the host. One folder each; index.ts lists them. */

import type { Session } from '../../contract/bench/session.ts';
import type { Variant } from '../../contract/capabilities.ts';
import type { ProgressDetail } from '../../contract/progress.ts';
import type { ScenarioWithConstants } from '../../contract/scenario/index.ts';
import type { Resolved } from '../../contract/scenarios.ts';
import type { Headline } from '../../contract/workload.ts';
import type { NativeAddon } from '../io/addon/addon.ts';
import type { Values } from '../model/bench/claims.ts';
import type { BenchProgress } from '../model/bench/session-clock.ts';
import type { RunTimeline } from '../model/timeline/import/run.ts';
import type { Benchable, BenchOutcome, BenchTask } from './benchable.ts';
import type { ComparedRuns } from './compared.ts';
import type { DeclaredBytes } from './declared-bytes.ts';
import type { Measured } from './measures.ts';
import type { RunContext } from './run-context.ts';
import type { AnyRunData } from './run-data.ts';
import type { Packer, RunFile } from './run-files/run-file.ts';
import type { AnyReading } from './scenarios/index.ts';
import type { ScenarioSide } from './scenarios/side.ts';
import type { UserKernelWorkload } from './user-kernels.ts';

/** Callbacks of a run while it computes. */
export interface RunSurroundings {
  progressed(detail: ProgressDetail, eta_s: number | null): void;
  /** Current metadata of the run, in addition to its result. */
  context(): RunContext;
  /** Keeps a state of it against a crash, and says in words how far it is; null: a crash loses it. */
  readonly keep: ((state: AnyRunData, upTo: string) => Promise<void>) | null;
  warn(text: string): void;
}

/** One run, from the queue to its end. */
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
  /** Once. Resolves with what was computed, also after `cancel`. Throws what the addon throws. */
  start(around: RunSurroundings): Promise<AnyRunData>;
  cancel(): void;
  /** Offers the newest state to those who watch, if they are ready and there is one. */
  showLive(): void;
  /** The run is over; what was offered is still sent. */
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
 * would be if it ended then.
 */
export type Measure = (
  task: Omit<BenchTask, 'userKernels' | 'userKernelLimit_s'>,
  onProgress: (progress: BenchProgress, report: number) => void,
  signal: AbortSignal,
  soFar?: (session: Session) => void,
) => Promise<BenchOutcome>;

interface PrepareOptions {
  readonly trace: boolean;
  /** False: only numbers are wanted of it, no pictures of its way. */
  readonly pictures: boolean;
  readonly measure: Measure;
  /** Measure the energy of runs, if the run is a session of many. */
  readonly energy: boolean;
  /** Used if the scenario has no name. */
  readonly name: string;
  readonly assetsFolder: string;
}

/** Resources that solving a scenario needs, known before it is solved. */
export interface Need {
  readonly variant: string;
  readonly precision: string;
  /** Upper bound on the memory of the state. */
  readonly state_bytes: number;
  /** About the most that solving takes, tables and results too; absent where that is the state. */
  readonly memory_bytes?: number;
  /** Additional memory for the run's pictures after it has ended; absent if there are none. */
  readonly pictures_bytes?: number;
  /** Size of the computation in words: `1024 × 1024 pixels, …`. */
  readonly size: string;
  /** The same for scripts, by its workload's names. */
  readonly sizes: Readonly<Record<string, unknown>>;
  /** No machine is faster, seconds; null where the clock ends it, as in measurements. */
  readonly least_s: number | null;
  /** About how long it takes, where that is known. */
  readonly expected?: { readonly seconds: number; readonly elsewhere: string | null };
}

/** `beams`: one thread each, many in one process. `runs`: a process each. `alone`: nothing at the same time. */
export type Together = 'beams' | 'runs' | 'alone';

/** Readings and runs are of the workload's own kind: each narrows them itself. */
export interface HostWorkload {
  readonly scenario: ScenarioSide;
  readonly runFile: RunFile;
  readonly variants: (addon: NativeAddon) => readonly Variant[];
  readonly userKernels: UserKernelWorkload;
  /** Whether its GPU kernels are compiled when a window opens, where nvcc did not: a first run of `auto` uses them. */
  readonly compiledAtStart: boolean;
  /** The resolved scenario; null if it has errors. Throws if the engine refuses it. */
  readonly resolve: (parts: ResolveParts, reading: AnyReading) => Promise<Resolved | null>;
  /** Resources that a scenario needs. Throws as `prepare` does. */
  readonly needs: (addon: NativeAddon, reading: AnyReading) => Promise<Need>;
  /** Throws BraggError `invalid` with every issue, or what the engine refuses. */
  readonly prepare: (addon: NativeAddon, reading: AnyReading, options: PrepareOptions) => Promise<WorkloadRun>;
  readonly ended: (run: AnyRunData) => Promise<EndedRun>;
  /** `what` is one of the workload's in contract/exports.ts. */
  readonly exported: (run: AnyRunData, what: string, packer: Packer) => Promise<ExportedFile>;
  /** Timeline data of a run. */
  readonly timeline: (run: AnyRunData, declared: DeclaredBytes) => RunTimeline;
  readonly benchable: Benchable;
  readonly compared: ComparedRuns;
  /** Concurrency of study points that solve this document. */
  readonly together: (document: unknown) => Together;
  /** Measures of a run that a study saves. */
  readonly measures: (run: AnyRunData) => Measured | Promise<Measured>;
  /** Label that distinguishes scenarios in a list: `70 MeV`; empty if there is none. */
  readonly about: (document: unknown) => string;
  /** Scenario values that claims may be limited to; null if claims are never limited for this workload. */
  readonly claimed: (filled: ScenarioWithConstants) => Values | null;
}
