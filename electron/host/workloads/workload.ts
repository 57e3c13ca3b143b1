/** What a workload is to the host. One folder each; index.ts lists them. */

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

/** What a run has around it while it computes. */
export interface RunSurroundings {
  progressed(detail: ProgressDetail, eta_s: number | null): void;
  /** What is known of the run beside its result, as of now. */
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
  /** What nothing may run beside it: its device, or EVERY_LANE. */
  readonly lane: string;
  /** How much it computes: `1024 × 1024 pixels`. */
  readonly size: string;
  /** How far it is before it begins. */
  readonly before: ProgressDetail;
  /** Once. Resolves with what was computed, also after `cancel`. Throws what the addon throws. */
  start(around: RunSurroundings): Promise<AnyRunData>;
  cancel(): void;
  /** Offers the newest state to those who watch, if they are ready and there is one. */
  showLive(): void;
  /** The run is over; what was offered is still sent. */
  endLive(): void;
}

/** What lists say of a run that has ended. */
interface EndedRun {
  readonly size: string;
  readonly headline: Headline | null;
  readonly detail: ProgressDetail;
  /** How far it came: `40 steps, 12.3 mm deep`. */
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
 * Measures on a thread of its own, with the user kernels among those that are named. `soFar` is told now and then what
 * the session would be if it ended there.
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
  /** What its runs take in energy, where the run is a session of many. */
  readonly energy: boolean;
  /** Where the scenario has none of its own. */
  readonly name: string;
  readonly assetsFolder: string;
}

/** What solving a scenario asks of the machine, before it is solved. */
export interface Need {
  readonly variant: string;
  readonly precision: string;
  /** What it computes on, at most. */
  readonly state_bytes: number;
  /** About the most that solving takes, tables and results too; absent where that is the state. */
  readonly memory_bytes?: number;
  /** What pictures of the way take beside it, once the run has ended; absent where there are none. */
  readonly pictures_bytes?: number;
  /** How much it computes, in words: `1024 × 1024 pixels, …`. */
  readonly size: string;
  /** The same for scripts, by its workload's names. */
  readonly sizes: Readonly<Record<string, unknown>>;
  /** No machine is faster, seconds; null where the clock ends it, as in measurements. */
  readonly least_s: number | null;
  /** About how long it takes, where that is known. */
  readonly expected?: { readonly seconds: number; readonly elsewhere: string | null };
}

/** `beams`: one thread each, many in one process. `runs`: a process each. `alone`: nothing beside it. */
export type Together = 'beams' | 'runs' | 'alone';

/** Readings and runs are of the workload's own kind: each narrows them itself. */
export interface HostWorkload {
  readonly scenario: ScenarioSide;
  readonly runFile: RunFile;
  readonly variants: (addon: NativeAddon) => readonly Variant[];
  readonly userKernels: UserKernelWorkload;
  /** Whether its GPU kernels are compiled when a window opens, where nvcc did not: a first run of `auto` uses them. */
  readonly compiledAtStart: boolean;
  /** What a scenario comes to; null for one with errors. Throws what the engine refuses. */
  readonly resolve: (parts: ResolveParts, reading: AnyReading) => Promise<Resolved | null>;
  /** What a scenario asks of the machine. Throws as `prepare` does. */
  readonly needs: (addon: NativeAddon, reading: AnyReading) => Promise<Need>;
  /** Throws BraggError `invalid` with every issue, or what the engine refuses. */
  readonly prepare: (addon: NativeAddon, reading: AnyReading, options: PrepareOptions) => Promise<WorkloadRun>;
  readonly ended: (run: AnyRunData) => Promise<EndedRun>;
  /** `what` is one of the workload's in contract/exports.ts. */
  readonly exported: (run: AnyRunData, what: string, packer: Packer) => Promise<ExportedFile>;
  /** What a run's timeline is made from. */
  readonly timeline: (run: AnyRunData, declared: DeclaredBytes) => RunTimeline;
  readonly benchable: Benchable;
  readonly compared: ComparedRuns;
  /** How points of a study that solve this document go beside each other. */
  readonly together: (document: unknown) => Together;
  /** What a study keeps of a run. */
  readonly measures: (run: AnyRunData) => Measured | Promise<Measured>;
  /** What tells one scenario from another in a list: `70 MeV`; empty where it does not say. */
  readonly about: (document: unknown) => string;
  /** What claims may be limited to; null where none of this workload is. */
  readonly claimed: (filled: ScenarioWithConstants) => Values | null;
}
