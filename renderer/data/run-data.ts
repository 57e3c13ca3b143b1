/** Data of the shown run: arrays by key, references by `{ streamId, revision }`. */
import type { Curve, FieldMap } from '../../electron/contract/fields.ts';
import type { DepthDose, LedgerTable, Moments, RunId, RunSummary } from '../../electron/contract/run.ts';
import type { ScenarioDraft } from '../../electron/contract/scenario/draft.ts';
import type { Resolved } from '../../electron/contract/scenarios.ts';
import type { Result } from '../../electron/contract/wire/methods.ts';
import { ArrayCache } from './array-cache.ts';

export interface ShownMap {
  readonly run: RunId;
  readonly field: FieldMap;
  readonly step: number;
  readonly depth_mm: number;
}

export interface ShownDepthDose {
  readonly run: RunId;
  readonly curve: Curve;
  /** By mass, along the same axis; null of runs that do not know their densities. */
  readonly perMass: Curve | null;
  /** Null if the run has not finished: readouts of a partial dose are meaningless. */
  readonly final: DepthDose | null;
}

/** The scenario that a run was made from, and what it resolves to with the tables in use. */
interface RunReference {
  readonly run: RunId;
  readonly scenario: ScenarioDraft;
  readonly resolved: Resolved | null;
}

/** Moments with stored phase space, and how the run ended. */
export interface RunKeyframes {
  readonly run: RunId;
  readonly frames: Result<'run.keyframes'>['frames'];
  readonly stopped: boolean;
  /** Pairs of axes with stored sums. */
  readonly pairs: Result<'run.keyframes'>['pairs'];
  /** With an answer of Live: the moment that is shown stays. One of a drag is soon gone. */
  readonly live?: 'drag' | 'rest';
}

/** Progress of recomputing a step for a map. */
interface Computing {
  readonly step: number;
  /** 0 while it waits for the run before it. */
  readonly steps: number;
}

export interface RunData {
  /** One entry per map that a panel shows, by the panel's key. */
  readonly maps: ArrayCache<ShownMap>;
  /** By the panel's key: why its map cannot be shown. */
  readonly troubles: ArrayCache<string>;
  /** By the panel's key: maps that a step is computed again for. */
  readonly computing: ArrayCache<Computing>;
  readonly depthDose: ArrayCache<ShownDepthDose>;
  readonly summary: ArrayCache<RunSummary>;
  readonly moments: ArrayCache<Moments>;
  readonly reference: ArrayCache<RunReference>;
  /** Once the run is over. */
  readonly keyframes: ArrayCache<RunKeyframes>;
  /** Once the run is over. */
  readonly ledger: ArrayCache<LedgerTable>;
}

/** Key of the entries that exist once. */
export const SHOWN = 'shown';

export function createRunData(): RunData {
  return {
    maps: new ArrayCache(),
    troubles: new ArrayCache(),
    computing: new ArrayCache(),
    depthDose: new ArrayCache(),
    summary: new ArrayCache(),
    moments: new ArrayCache(),
    reference: new ArrayCache(),
    keyframes: new ArrayCache(),
    ledger: new ArrayCache(),
  };
}
