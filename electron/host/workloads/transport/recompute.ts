/**
 * Recomputes cuts through the phase space of an ended run. A run stores only sums. Its phase space at a stored step is
 * therefore recomputed up to that step while a client waits. The result agrees to rounding: the stored sums of the step
 * are compared with those of the repetition.
 */
import { randomBytes } from 'node:crypto';
import { BraggError } from '../../../contract/errors.ts';
import type { CutsFrame, MapRequest } from '../../../contract/run.ts';
import { isUserKernelId } from '../../../contract/user-kernels.ts';
import {
  errorFromNative,
  type NativeAddon,
  type NativePlane,
  type PlaneRequest,
  type TransportProblem,
  type TransportVariant,
} from '../../io/addon/addon.ts';
import type { LaneQueue } from '../../io/flow/lanes.ts';
import type { FrameSink } from '../../io/flow/subscribers.ts';
import { type AnyRunData, runOf } from '../run-data.ts';
import { problemOf, type Scenarios } from '../scenarios/scenarios.ts';
import { isSamePlane, makeMap, planeOf } from './display/maps.ts';
import type { RunData } from './run-data.ts';
import { narrowToTransport } from './scenario/problem.ts';
import { shareCells } from './user-kernels.ts';

/** Size in bytes of the cache of recent planes. Returning to a step or a cut then needs no computation. */
const CACHE_BYTES = 64 * 2 ** 20;

/**
 * Maximum relative difference of sums. Keyframes are FP32 sums over many cells, and other orders of summation differ by
 * less.
 */
const SAME_STATE = 1e-5;

interface CutsRequest {
  readonly run: string;
  /** Index of the keyframe. */
  readonly index: number;
  readonly maps: readonly MapRequest[];
}

interface Parts {
  readonly addon: NativeAddon;
  /** Data and scenarios of ended runs. */
  readonly runs: {
    readonly data: (run: string) => Promise<AnyRunData>;
    readonly scenario: (run: string) => Readonly<Record<string, unknown>>;
  };
  readonly scenarios: Scenarios;
  readonly lanes: LaneQueue;
}

/** Selects the CPU variant that repeats the run, which may have been computed by another device. */
function repeatingVariant(variants: readonly TransportVariant[], data: RunData, problem: TransportProblem): string {
  const own = variants.find(({ id }) => id === data.variant);
  if (own?.device === 'cpu') return own.id;
  const { stepping, precision } = problem.solver;
  const fits = variants.filter(
    (one) =>
      one.device === 'cpu' &&
      one.available &&
      !isUserKernelId(one.id) &&
      shareCells(one.id, data.variant) &&
      one.steppings.includes(stepping) &&
      one.precisions.includes(precision),
  );
  // Use the last variant, because built-in variants are registered from the simplest to the fastest.
  const last = fits.at(-1);
  if (last === undefined) throw new BraggError('unsupported', `No CPU variant can repeat ${data.variant}.`);
  return last.id;
}

function relativeDifference(here: Float32Array, kept: Float32Array): number {
  if (here.length !== kept.length) return Number.POSITIVE_INFINITY;
  let [apart, norm] = [0, 0];
  for (let i = 0; i < kept.length; i += 1) {
    apart += ((here[i] ?? 0) - (kept[i] ?? 0)) ** 2;
    norm += (kept[i] ?? 0) ** 2;
  }
  return norm === 0 ? Math.sqrt(apart) : Math.sqrt(apart / norm);
}

export class PlaneRecomputer {
  readonly #parts: Parts;
  /** Planes by run, creation time, keyframe and plane. The newest is last. */
  readonly #cached = new Map<string, NativePlane>();
  #bytes = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Sends progress, and finally a frame with the maps. The returned function stops the repetition. */
  watch(request: CutsRequest, sink: FrameSink<CutsFrame>): () => void {
    const givenUp = new AbortController();
    this.#sendMaps(request, sink, givenUp.signal).then(
      () => sink.end(),
      (error: unknown) => sink.end(errorFromNative(error)),
    );
    return () => givenUp.abort();
  }

  async #sendMaps({ run, index, maps }: CutsRequest, sink: FrameSink<CutsFrame>, signal: AbortSignal): Promise<void> {
    const data = runOf('transport', await this.#parts.runs.data(run));
    const keyframe = data.keyframes[index];
    if (keyframe === undefined) {
      throw new BraggError('not-found', `There is no keyframe ${index}; this run has ${data.keyframes.length}.`);
    }
    const wanted = maps.map(planeOf);
    // Include the creation time, because the result of a Live session's run changes.
    const key = ({ slow, fast, cut }: PlaneRequest): string =>
      JSON.stringify([run, data.created, index, slow, fast, cut]);
    const missing = wanted.filter((plane) => !this.#cached.has(key(plane)));
    const made = missing.length === 0 ? [] : await this.#repeatRun(run, data, keyframe, missing, sink, signal);
    if (made === null) return;
    const planes = [...made, ...wanted.flatMap((plane) => this.#cached.get(key(plane)) ?? [])];
    for (const plane of made) this.#cachePlane(key(plane), plane);
    const fields = { axes: data.axes, dose: null, marginals: keyframe, planes };
    const { step, depth_mm } = keyframe;
    const shown = await Promise.all(maps.map((map) => makeMap(fields, map)));
    const answer = { run, revision: index + 1, step, depth_mm, maps: shown };
    sink.offer(() => ({ state: 'done', ...answer }));
  }

  /** Repeats the run up to the keyframe. Null if it was cancelled. */
  async #repeatRun(
    run: string,
    data: RunData,
    keyframe: RunData['keyframes'][number],
    wanted: readonly PlaneRequest[],
    sink: FrameSink<CutsFrame>,
    signal: AbortSignal,
  ): Promise<readonly NativePlane[] | null> {
    const { addon, runs, scenarios, lanes } = this.#parts;
    const reading = narrowToTransport(
      await scenarios.check(runs.scenario(run), { name: data.name, folder: null }),
      null,
    );
    const problem = problemOf(reading);
    const solver = {
      ...problem.solver,
      variant: repeatingVariant(addon.variants(), data, problem),
      precision: data.precision,
      max_steps: keyframe.step,
    };
    const distinct = wanted.filter((plane, i) => wanted.findIndex((other) => isSamePlane(plane, other)) === i);
    const native = await addon.layTransport({ ...problem, solver, keyframes: 0 });
    native.wantPlanes(distinct);
    const turn = {
      id: `cuts-${randomBytes(9).toString('base64url')}`,
      lane: 'cpu',
      signal,
      waits: () => sink.offer(() => ({ state: 'waiting' })),
      interrupt: () => native.cancel(),
    };
    await lanes.enqueue(turn, async () => {
      await native.start(({ step }) => sink.offer(() => ({ state: 'computing', step, steps: keyframe.step })));
    });
    if (signal.aborted) return null;
    const end = native.live();
    if (end === null) return null;
    const apart = relativeDifference(end.zx, keyframe.zx);
    if (end.step !== keyframe.step || !(apart <= SAME_STATE)) {
      const by = `the saved sums over z–x of step ${keyframe.step} differ by ${apart.toExponential(1)}`;
      const why = `It was made by version ${data.program.version}; tables or numerics have changed since then.`;
      throw new BraggError('unsupported', `This run cannot be repeated here: ${by} (limit ${SAME_STATE}). ${why}`);
    }
    return end.planes;
  }

  #cachePlane(key: string, plane: NativePlane): void {
    this.#cached.set(key, plane);
    this.#bytes += plane.values.byteLength;
    for (const [oldest, { values }] of this.#cached) {
      if (this.#bytes <= CACHE_BYTES || oldest === key) break;
      this.#cached.delete(oldest);
      this.#bytes -= values.byteLength;
    }
  }
}
