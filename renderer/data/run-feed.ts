/**
 * Fills RunData for the selected transport run: one live stream while it computes, the final arrays when it is over.
 * Panels declare the maps they show and their sizes; the feed requests exactly those from the host.
 */

import { createStore, type StoreApi } from 'zustand/vanilla';
import { messageOf } from '../../electron/contract/errors.ts';
import type { FieldMap } from '../../electron/contract/fields.ts';
import type { LiveFrame, MapRequest, RunId, RunMaps } from '../../electron/contract/run.ts';
import type { WhatIfAnswer } from '../../electron/contract/scenario/transport/what-if.ts';
import type { ScenarioDraft } from '../../electron/contract/scenario/workload.ts';
import type { FrameScheduler } from '../drawing/scheduler.ts';
import type { Client, StreamHandle } from './client/client.ts';
import { RecomputedMaps } from './recomputed-maps.ts';
import {
  type FeedStatus,
  type FeedTarget,
  type RunData,
  type RunFollower,
  type RunKeyframes,
  SHOWN_KEY,
} from './run-data.ts';

/** Whether the run's final arrays can be read. */
function isReadable(target: FeedTarget | null): target is FeedTarget {
  if (target === null) return false;
  const { state, hasResults } = target;
  return state === 'done' || state === 'cancelled' || (state === 'failed' && hasResults === true);
}

const failure = (error: unknown): FeedStatus => ({
  kind: 'failed',
  reason: messageOf(error),
});

/** Delay in ms: resizing a window changes the size many times a second, so wait until it settles. */
const SETTLE_MS = 90;

/** Maximum number of ledger rows: about one per pixel of a wide plot, and only a few hundred kilobytes. */
const LEDGER_ROWS = 2000;

/** Dose maps that panels show, by panel key. */
export type RequestedMaps = readonly (readonly [string, MapRequest])[];

export class RunFeed implements RunFollower {
  readonly status: StoreApi<{ readonly status: FeedStatus }> = createStore<{ readonly status: FeedStatus }>(() => ({
    status: { kind: 'nothing' },
  }));
  readonly #client: Client;
  readonly #scheduler: FrameScheduler;
  readonly #data: RunData;
  readonly #wanted = new Map<string, MapRequest>();
  #target: FeedTarget | null = null;
  #live: StreamHandle | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Responses for an earlier target are dropped. */
  #generation = 0;
  /** Sequence numbers of map requests: responses and errors of superseded requests are dropped. */
  readonly #requested = { dose: 0, protons: 0 };
  /** Keyframe that the proton maps show; null until the run's keyframes are known. */
  #keyframe: number | null = null;
  /** Keyframe load in progress, and the next one to load. */
  #loadingKeyframe: Promise<void> | null = null;
  #nextKeyframe: number | null = null;
  readonly #recomputed: RecomputedMaps;

  constructor(client: Client, scheduler: FrameScheduler, data: RunData) {
    this.#client = client;
    this.#scheduler = scheduler;
    this.#data = data;
    this.#recomputed = new RecomputedMaps(client, data, {
      add: (key, map) => {
        if (!this.#wanted.has(key)) return;
        this.#data.mapErrors.drop(key);
        this.#data.maps.set(key, map);
      },
      rejectMap: (key, reason) => this.#rejectMap(key, reason),
    });
  }

  /** Cancels the recomputation of the step. */
  stopComputing(): void {
    this.#recomputed.stop();
  }

  /** Repeats a recomputation that was cancelled or that failed. */
  computeAgain(): void {
    this.#refreshMaps();
  }

  /** Sets the map that a panel shows under its key; null if the panel is closed. */
  request(key: string, request: MapRequest | null): void {
    const before = this.#wanted.get(key);
    if (JSON.stringify(before ?? null) === JSON.stringify(request)) return;
    if (request === null) this.#wanted.delete(key);
    else this.#wanted.set(key, request);
    if (this.#timer !== null) clearTimeout(this.#timer);
    // The first request of a panel is sent without delay.
    this.#timer = setTimeout(() => this.#refreshMaps(), before === undefined ? 0 : SETTLE_MS);
  }

  /** Follows another run, or the same run in a new state. */
  follow(target: FeedTarget | null): void {
    const before = this.#target;
    if (before?.run === target?.run && before?.state === target?.state) return;
    this.#target = target;
    this.#generation += 1;
    this.#recomputed.cancel();
    if (before?.run !== target?.run) this.#clearData();
    this.#live?.close();
    this.#live = null;
    if (target === null) this.#setStatus({ kind: 'nothing' });
    else if (target.live === true) this.#setStatus({ kind: 'waiting' });
    else if (target.state === 'queued') this.#setStatus({ kind: 'waiting' });
    else if (target.state === 'running') this.#openLive(target.run);
    else if (isReadable(target)) void this.#load(target.run, target.state !== 'done');
    else this.#setStatus({ kind: 'failed', reason: 'The run failed.' });
  }

  requestedMaps(): RequestedMaps {
    return this.#requestsOf('dose');
  }

  /** Shows an answer of Live mode if it belongs to the followed run. `requested` is the request that it answers. */
  showAnswer(answer: WhatIfAnswer, requested: { readonly maps: RequestedMaps; readonly draft: ScenarioDraft }): void {
    const { run, full, depthDose, summary, moments, ledger, keyframes, pairs, resolved } = answer;
    if (this.#target?.run !== run) return;
    const data = this.#data;
    data.reference.set(SHOWN_KEY, { run, scenario: requested.draft, resolved });
    for (const [index, [key]] of requested.maps.entries()) {
      const map = answer.maps[index];
      if (map === undefined || !this.#wanted.has(key)) continue;
      if ('reason' in map) {
        this.#rejectMap(key, map.reason);
        continue;
      }
      data.mapErrors.drop(key);
      data.maps.set(key, { run, field: map.field, step: summary.steps, depth_mm: 0 });
    }
    data.depthDose.set(SHOWN_KEY, { run, curve: depthDose.curve, perMass: depthDose.perMass, final: depthDose });
    data.summary.set(SHOWN_KEY, summary);
    data.moments.set(SHOWN_KEY, moments);
    data.ledger.set(SHOWN_KEY, ledger);
    this.#setStatus({ kind: 'loaded' });
    // Recomputed maps belong to the previous answer.
    this.#recomputed.cancel();
    data.keyframes.set(SHOWN_KEY, { run, frames: keyframes, stopped: false, pairs, live: full ? 'rest' : 'drag' });
    // If the map has moved or a panel has opened since the request, request the maps again.
    const asFor = new Map(requested.maps);
    if (this.requestedMaps().some(([key, request]) => asFor.get(key) !== request)) {
      this.#loadDose(run).catch((error: unknown) => this.#setStatus(failure(error)));
    }
  }

  /**
   * Shows the protons at another stored moment. Of several requests during a load, only the last is loaded. Resolves
   * when the pending loads have arrived.
   */
  showKeyframe(index: number): Promise<void> {
    if (!isReadable(this.#target)) return Promise.resolve();
    this.#nextKeyframe = index;
    this.#loadingKeyframe ??= this.#loadKeyframes().finally(() => {
      this.#loadingKeyframe = null;
    });
    return this.#loadingKeyframe;
  }

  async #loadKeyframes(): Promise<void> {
    while (this.#nextKeyframe !== null) {
      this.#keyframe = this.#nextKeyframe;
      this.#nextKeyframe = null;
      const target = this.#target;
      if (target === null) return;
      try {
        await this.#loadProtons(target.run);
      } catch (error) {
        this.#setStatus(failure(error));
      }
    }
  }

  #setStatus(status: FeedStatus): void {
    this.status.setState({ status });
  }

  #clearData(): void {
    this.#keyframe = null;
    this.#nextKeyframe = null;
    this.#data.keyframes.drop(SHOWN_KEY);
    this.#live?.close();
    this.#live = null;
    // Include maps of closed panels, which would otherwise reappear with another run's fields.
    this.#data.maps.clear();
    this.#data.mapErrors.clear();
    this.#data.depthDose.drop(SHOWN_KEY);
    this.#data.summary.drop(SHOWN_KEY);
    this.#data.moments.drop(SHOWN_KEY);
    this.#data.ledger.drop(SHOWN_KEY);
  }

  #openLive(run: RunId): void {
    this.#live?.close();
    const wanted = [...this.#wanted];
    if (this.#data.depthDose.get(SHOWN_KEY) === null) this.#setStatus({ kind: 'waiting' });
    this.#live = this.#client.stream(
      'run.live',
      { run, maps: wanted.map(([, request]) => request), depthDose: true },
      {
        frame: (frame) => {
          this.#handleLiveFrame(run, frame, wanted);
          return this.#scheduler.painted();
        },
      },
    );
  }

  #handleLiveFrame(run: RunId, frame: LiveFrame, wanted: readonly (readonly [string, MapRequest])[]): void {
    // The stream may send a frame after the run has ended; the final arrays are newer.
    if (this.#target?.run !== run || this.#target.state !== 'running') return;
    this.#storeMaps(run, frame, wanted, frame.maps);
    const { depthDose: curve, depthDosePerMass: perMass } = frame;
    if (curve !== null) this.#data.depthDose.set(SHOWN_KEY, { run, curve, perMass, final: null });
    this.#setStatus({ kind: 'live' });
  }

  #storeMaps(
    run: RunId,
    at: { readonly step: number; readonly depth_mm: number },
    wanted: readonly (readonly [string, MapRequest])[],
    maps: readonly (FieldMap | null)[],
  ): void {
    for (const [index, [key]] of wanted.entries()) {
      const field = maps[index];
      if (field === undefined || field === null || !this.#wanted.has(key)) continue;
      this.#data.mapErrors.drop(key);
      this.#data.maps.set(key, { run, field, step: at.step, depth_mm: at.depth_mm });
    }
  }

  async #load(run: RunId, stopped: boolean): Promise<void> {
    const generation = this.#generation;
    if (this.#data.depthDose.get(SHOWN_KEY) === null) this.#setStatus({ kind: 'waiting' });
    try {
      const [depthDose, summary, moments, { frames, pairs }, ledger] = await Promise.all([
        this.#client.call('run.depthDose', { run }),
        this.#client.call('run.summary', { run }),
        this.#client.call('run.moments', { run }),
        this.#client.call('run.keyframes', { run }),
        this.#client.call('run.ledger', { run, rows: LEDGER_ROWS }),
        this.#loadDose(run),
      ]);
      if (generation !== this.#generation) return;
      this.#data.depthDose.set(SHOWN_KEY, {
        run,
        curve: depthDose.curve,
        perMass: depthDose.perMass,
        final: depthDose,
      });
      this.#data.summary.set(SHOWN_KEY, summary);
      this.#data.moments.set(SHOWN_KEY, moments);
      this.#data.ledger.set(SHOWN_KEY, ledger);
      this.#setStatus({ kind: 'loaded' });
      // Subscribers of the keyframes select the shown moment, and then call showKeyframe.
      this.#data.keyframes.set(SHOWN_KEY, { run, frames, stopped, pairs });
    } catch (error) {
      if (generation !== this.#generation) return;
      this.#setStatus(failure(error));
    }
  }

  /** Drops one map that cannot be shown; the others stay. */
  #rejectMap(key: string, reason: string): void {
    this.#data.maps.drop(key);
    this.#data.mapErrors.set(key, reason);
  }

  #requestsOf(field: 'dose' | 'protons'): readonly (readonly [string, MapRequest])[] {
    return [...this.#wanted].filter(([, { quantity }]) => (quantity === 'protons') === (field === 'protons'));
  }

  /** Requests all maps that exist for every run together, and maps that a run may lack one by one. */
  async #loadMaps(
    run: RunId,
    wanted: readonly (readonly [string, MapRequest])[],
    ask: (maps: MapRequest[]) => Promise<RunMaps>,
    stillWanted: () => boolean,
  ): Promise<void> {
    const plain = wanted.filter(([, request]) => !mayBeMissing(request));
    const others = wanted.filter(([, request]) => mayBeMissing(request));
    const take = async (part: readonly (readonly [string, MapRequest])[]): Promise<void> => {
      if (part.length === 0) return;
      try {
        const answer = await ask(part.map(([, request]) => request));
        if (stillWanted()) this.#storeMaps(run, answer, part, answer.maps);
      } catch (error) {
        if (stillWanted()) throw error;
      }
    };
    const takeOne = (entry: readonly [string, MapRequest]): Promise<void> =>
      take([entry]).catch((error: unknown) => this.#rejectMap(entry[0], messageOf(error)));
    await Promise.all([take(plain), ...others.map(takeOne)]);
  }

  /** Returns a function that reports whether this request is still the latest one for the field. */
  #latestCheck(field: 'dose' | 'protons'): () => boolean {
    this.#requested[field] += 1;
    const [generation, asked] = [this.#generation, this.#requested[field]];
    return () => generation === this.#generation && asked === this.#requested[field];
  }

  async #loadDose(run: RunId): Promise<void> {
    await this.#loadMaps(
      run,
      this.#requestsOf('dose'),
      (maps) => this.#client.call('run.maps', { run, maps }),
      this.#latestCheck('dose'),
    );
  }

  async #loadProtons(run: RunId): Promise<void> {
    const index = this.#keyframe;
    const { frames, pairs, live } = this.#data.keyframes.get(SHOWN_KEY) ?? { frames: [], pairs: [], live: undefined };
    if (index === null) return;
    const all = this.#requestsOf('protons');
    const wanted = all.filter(([, request]) => isStored(request, pairs));
    const others = all.filter(([, request]) => !isStored(request, pairs));
    for (const [key, { against }] of others) {
      if (against !== undefined)
        this.#rejectMap(key, 'A difference is computed from stored sums. Show the sum, or remove the reference.');
    }
    const cuts = others.filter(([, { against }]) => against === undefined);
    if (live === 'drag') for (const [key] of cuts) this.#rejectMap(key, 'Computed when you stop moving.');
    else this.#recomputed.request({ run, index, step: frames[index]?.step ?? 0, maps: cuts });
    await this.#loadMaps(
      run,
      wanted,
      (maps) => this.#client.call('run.keyframe', { run, index, maps }),
      this.#latestCheck('protons'),
    );
  }

  #refreshMaps(): void {
    const target = this.#target;
    if (target?.state === 'running') this.#openLive(target.run);
    if (!isReadable(target)) return;
    const { run } = target;
    Promise.all([this.#loadDose(run), this.#loadProtons(run)]).catch((error: unknown) => {
      this.#setStatus(failure(error));
    });
  }
}

/** Whether a run may lack this map: a difference or an optional quantity. */
function mayBeMissing({ against, quantity }: MapRequest): boolean {
  return against !== undefined || (quantity !== 'dose' && quantity !== 'protons');
}

/** Whether the stored sums of a moment contain the map. The sums are over two axes, and older files lack some pairs. */
function isStored({ horizontal, vertical, cuts }: MapRequest, pairs: RunKeyframes['pairs']): boolean {
  if (cuts !== undefined && cuts.length > 0) return false;
  return pairs.some((pair) => pair.includes(horizontal) && pair.includes(vertical));
}
