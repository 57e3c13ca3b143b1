/**
 * Data of the shown run: typed arrays by key, outside React and outside the stores. Stores and components hold `{
 * streamId, revision }`; painters read the arrays when they paint a frame. Each workload has a feed that loads the
 * arrays of the selected run. A feed is created on first use, and there is one instance per class.
 */
import type { StoreApi } from 'zustand/vanilla';
import type { Curve, FieldMap } from '../../electron/contract/fields.ts';
import type { DepthDose, LedgerTable, Moments, RunId, RunState, RunSummary } from '../../electron/contract/run.ts';
import type { ScenarioDraft } from '../../electron/contract/scenario/workload.ts';
import type { ResolvedScenario } from '../../electron/contract/scenarios.ts';
import type { Result } from '../../electron/contract/wire/methods.ts';
import type { FrameScheduler } from '../drawing/scheduler.ts';
import type { Client } from './client/client.ts';

interface DataRef {
  readonly streamId: string;
  readonly revision: number;
}

export class ArrayCache<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly revision: number }>();
  readonly #listeners = new Map<string, Set<() => void>>();
  #revision = 0;

  /** Replaces the entry. The returned reference identifies this revision. */
  set(streamId: string, value: T): DataRef {
    // All entries share one counter, so an entry that is dropped and set again never repeats a revision.
    this.#revision += 1;
    this.#entries.set(streamId, { value, revision: this.#revision });
    this.#notify(streamId);
    return { streamId, revision: this.#revision };
  }

  get(streamId: string): T | null {
    return this.#entries.get(streamId)?.value ?? null;
  }

  /** 0 if the entry is empty. */
  revision(streamId: string): number {
    return this.#entries.get(streamId)?.revision ?? 0;
  }

  drop(streamId: string): void {
    if (this.#entries.delete(streamId)) this.#notify(streamId);
  }

  /** Drops all entries. */
  clear(): void {
    for (const streamId of [...this.#entries.keys()]) this.drop(streamId);
  }

  /** Calls `listener` after every change of the entry. Returns the function that unsubscribes. */
  subscribe(streamId: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(streamId) ?? new Set();
    this.#listeners.set(streamId, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(streamId);
    };
  }

  #notify(streamId: string): void {
    for (const listener of this.#listeners.get(streamId) ?? []) listener();
  }
}

export interface ShownMap {
  readonly run: RunId;
  readonly field: FieldMap;
  readonly step: number;
  readonly depth_mm: number;
}

export interface ShownDepthDose {
  readonly run: RunId;
  readonly curve: Curve;
  /** Dose by mass on the same axis; null for runs without known densities. */
  readonly perMass: Curve | null;
  /** Null if the run has not finished: readouts of a partial dose are meaningless. */
  readonly final: DepthDose | null;
}

/** Scenario of a run, and the values that it resolves to with the tables in use. */
interface RunReference {
  readonly run: RunId;
  readonly scenario: ScenarioDraft;
  readonly resolved: ResolvedScenario | null;
}

/** Moments with stored phase space, and whether the run was stopped early. */
export interface RunKeyframes {
  readonly run: RunId;
  readonly frames: Result<'run.keyframes'>['frames'];
  readonly stopped: boolean;
  /** Pairs of axes with stored sums. */
  readonly pairs: Result<'run.keyframes'>['pairs'];
  /** Set for data from Live mode: `drag` while the user drags a value, `rest` for the full answer after the drag. */
  readonly live?: 'drag' | 'rest';
}

/** Progress of recomputing a step for a map. */
interface RecomputeProgress {
  readonly step: number;
  /** 0 while the computation waits for an earlier one. */
  readonly steps: number;
}

export interface RunData {
  /** Shown maps by panel key. */
  readonly maps: ArrayCache<ShownMap>;
  /** Reasons why a map cannot be shown, by panel key. */
  readonly mapErrors: ArrayCache<string>;
  /** Progress of recomputed maps, by panel key. */
  readonly computing: ArrayCache<RecomputeProgress>;
  readonly depthDose: ArrayCache<ShownDepthDose>;
  readonly summary: ArrayCache<RunSummary>;
  readonly moments: ArrayCache<Moments>;
  readonly reference: ArrayCache<RunReference>;
  /** Set when the run is over. */
  readonly keyframes: ArrayCache<RunKeyframes>;
  /** Set when the run is over. */
  readonly ledger: ArrayCache<LedgerTable>;
}

/** Key of entries that exist only once. */
export const SHOWN_KEY = 'shown';

export function createRunData(): RunData {
  return {
    maps: new ArrayCache(),
    mapErrors: new ArrayCache(),
    computing: new ArrayCache(),
    depthDose: new ArrayCache(),
    summary: new ArrayCache(),
    moments: new ArrayCache(),
    reference: new ArrayCache(),
    keyframes: new ArrayCache(),
    ledger: new ArrayCache(),
  };
}

export type FeedStatus =
  | Readonly<{ kind: 'nothing' }>
  /** The run was accepted but has no data yet: queued, or before the first frame. */
  | Readonly<{ kind: 'waiting' }>
  | Readonly<{ kind: 'live' }>
  | Readonly<{ kind: 'loaded' }>
  | Readonly<{ kind: 'failed'; reason: string }>;

export interface FeedTarget {
  readonly run: RunId;
  readonly state: RunState;
  /** True for a failed run with completed results. */
  readonly hasResults?: boolean;
  /** True if the arrays come with answers of Live mode instead of a stream. */
  readonly live?: boolean;
}

export interface RunFollower {
  readonly status: StoreApi<{ readonly status: FeedStatus }>;
  /** Follows another run, or the same run in a new state; null if no run of this workload is selected. */
  follow(target: FeedTarget | null): void;
}

type FeedClass<F> = new (client: Client, scheduler: FrameScheduler, data: RunData) => F;

export class Feeds {
  readonly #made = new Map<unknown, unknown>();
  readonly #parts: readonly [Client, FrameScheduler, RunData];

  constructor(...parts: readonly [Client, FrameScheduler, RunData]) {
    this.#parts = parts;
  }

  of<F extends object>(Feed: FeedClass<F>): F {
    const made = this.#made.get(Feed) ?? new Feed(...this.#parts);
    this.#made.set(Feed, made);
    return made as F;
  }
}
