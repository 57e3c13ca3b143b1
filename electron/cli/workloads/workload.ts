/** What a workload is on the command line. One folder each; index.ts lists them. */
import type { NamedFile } from '../../contract/files.ts';
import type { Host } from '../../host/index.ts';
import type { NativeAddon } from '../../host/io/addon/addon.ts';
import type { AnyRunData } from '../../host/workloads/run-data.ts';
import type { AnyReading } from '../../host/workloads/scenarios/index.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Column } from '../table.ts';
import type { VerbContext } from '../verb.ts';

/** What a scenario without errors takes. */
export interface Plan {
  /** For scripts. */
  readonly document: Readonly<Record<string, unknown>>;
  /** For people: `1024 × 1024 pixels, …`. */
  readonly takes: string;
}

export interface VariantList {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  readonly all: readonly { readonly id: string; readonly available: boolean; readonly reason: string | null }[];
}

export interface ReadRun {
  readonly file: string;
  readonly run: AnyRunData;
}

export interface Workload {
  /** `braggbench run`: reads the scenario, says what it changes, runs it, saves it at `place`, prints what came out. */
  readonly run: (context: VerbContext, host: Host, place: NamedFile | null) => Promise<ExitCode>;
  /** `braggbench bench`: as above, for measuring. */
  readonly bench: (context: VerbContext, host: Host) => Promise<ExitCode>;
  /** `braggbench validate`: null for a reading with errors. Throws what the engine refuses. */
  readonly plan: (host: Host, reading: AnyReading) => Plan | null;
  readonly variants: (addon: NativeAddon) => VariantList;
  /** `braggbench compare` of run files alone, where its runs have more to say than rows of every workload do; null: they do not. */
  readonly compare: ((context: VerbContext, runs: readonly ReadRun[]) => void) | null;
}
