/** Interface of a workload to the reading of its scenarios. */
import type { Issue } from '../../../contract/errors.ts';
import type { Fault, Path, ScenarioWithConstants } from '../../../contract/scenario/index.ts';
import type { WorkloadName } from '../../../contract/workload.ts';
import type { Offers, TransportProblem } from '../../io/addon/addon.ts';
import type { ShippedHuTable } from '../../model/matter/hu-table.ts';
import type { Materials } from '../../model/scenarios/materials.ts';
import type { NuclearTable } from '../../model/scenarios/nuclear-tables.ts';
import type { RangeTable } from '../../model/scenarios/stopping-table.ts';
import type { Read } from './read.ts';
import type { AnyReading } from './reading.ts';

export interface ScenarioOrigin {
  /** The file as shown in messages. */
  readonly name: string;
  /** Base folder of relative paths in the scenario; null if it is not saved. */
  readonly folder: string | null;
}

/** Data of the engine and the program that scenario checks need. */
export interface Known {
  /** The variants that `solver.variant` of a workload's scenario can name. */
  readonly variants: (workload: WorkloadName) => readonly { readonly id: string; readonly bench: string }[];
  /** The addon's `rangeTable`. */
  readonly rangeTable: RangeTable;
  /** Range spread (sigma, mm of water) that the energy grid adds; null: the engine refuses the problem. */
  readonly extraStraggling: (problem: TransportProblem) => Promise<number | null>;
  /** Settings that a transport variant offers; null if no variant has the name. */
  readonly offers: (variant: string) => Offers | null;
  /** Most bytes of state that one run may take. */
  readonly memoryLimit_bytes: number;
  readonly materials: Materials;
  readonly nuclearTables: readonly NuclearTable[];
  /** The shipped table of Hounsfield units. */
  readonly huTable: ShippedHuTable;
}

/** Findings about a scenario, and the function that composes its reading. */
export interface Found {
  readonly faults: readonly Fault[];
  /** Errors in files that the scenario names. */
  readonly issues: readonly Issue[];
  /** Warnings for a scenario without errors, before it is run. */
  readonly warnings: () => Promise<readonly Fault[]>;
  readonly reading: (read: Read & { readonly document: unknown; readonly valid: boolean }) => AnyReading;
}

export interface ScenarioSide {
  /** Files that it names, from its own folder. */
  readonly files: (filled: ScenarioWithConstants) => readonly string[];
  /** Completes and checks what the schema has let through; `leftOut` are the values that it refused. */
  readonly find: (
    filled: ScenarioWithConstants,
    document: unknown,
    leftOut: readonly Path[],
    place: ScenarioOrigin,
    known: Known,
  ) => Promise<Found>;
}

/** The scenario as one of `kinds`, to whose workload it came. */
export function ofKind<K extends ScenarioWithConstants['kind']>(
  kinds: readonly K[],
  filled: ScenarioWithConstants,
): Extract<ScenarioWithConstants, { kind: K }> {
  if (!(kinds as readonly string[]).includes(filled.kind))
    throw new Error(`a scenario of ${filled.kind} came to ${kinds.join()}`);
  return filled as Extract<ScenarioWithConstants, { kind: K }>;
}
