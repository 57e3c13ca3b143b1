/**
 * A timeline in memory: one model, whoever recorded it. Columns of all spans,
 * ordered by track and within a track by start. Spans of one track never
 * overlap, so both their starts and their ends ascend, and every question
 * about a moment is a binary search. About 42 bytes per span.
 */
import type { LaneKind, SpanKind } from '../../../contract/timeline.ts';
import { spanKinds } from '../../../contract/timeline.ts';
import type { Longest } from './longest.ts';

/** Instead of a step where a span has none. */
export const NO_STEP = 0xffffffff;

export interface TraceLane {
  readonly process: string;
  readonly name: string;
  readonly kind: LaneKind;
  /** Correlation numbers mean the same launch within one scope: a process. */
  readonly scope: number;
  readonly firstTrack: number;
  readonly tracks: number;
}

export interface Trace {
  readonly source: 'run' | 'chrome-trace' | 'nsight-systems';
  readonly name: string;
  readonly about: string;
  /** The GPU as its driver names it. */
  readonly device: string | null;
  readonly lanes: readonly TraceLane[];
  /** Lane of each track. */
  readonly laneOf: Uint32Array;
  /** First span of each track, and the number of spans last. */
  readonly offsets: Uint32Array;
  /** ns since the first span. */
  readonly start: Float64Array;
  readonly duration: Float64Array;
  /** Sum of the durations before each span; one more entry than spans. */
  readonly before: Float64Array;
  readonly longest: Longest;
  /** Index into names. */
  readonly nameOf: Uint32Array;
  readonly names: readonly string[];
  /** Colour number of each name. */
  readonly tints: Uint8Array;
  /** Index into `spanKinds`. */
  readonly kind: Uint8Array;
  /** Index into details: JSON of a SpanArguments; 0 is none. */
  readonly detailOf: Uint32Array;
  readonly details: readonly string[];
  /** The simulation's step, or NO_STEP. */
  readonly step: Uint32Array;
  readonly links: Links;
  readonly duration_ns: number;
  readonly notes: readonly string[];
}

/** Launches: pairs of spans ordered by the launching one, and the order by the launched one. */
export interface Links {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly byTo: Uint32Array;
}

export const spanCount = (trace: Trace): number => trace.start.length;

export function kindOf(trace: Trace, span: number): SpanKind {
  return spanKinds[trace.kind[span] ?? 0] ?? 'other';
}

export const kindNumber = (kind: SpanKind): number => spanKinds.indexOf(kind);

export const endOf = (trace: Trace, span: number): number => (trace.start[span] ?? 0) + (trace.duration[span] ?? 0);

/** First index in [low, high) whose value is above `limit`, in ascending values. */
export function firstAbove(values: Float64Array | Uint32Array, limit: number, low: number, high: number): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((values[middle] ?? 0) > limit) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** First index in [low, high) whose value is at least `limit`. */
export function firstFrom(values: Float64Array | Uint32Array, limit: number, low: number, high: number): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((values[middle] ?? 0) >= limit) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Track of a span. */
export function trackOf(trace: Trace, span: number): number {
  return firstAbove(trace.offsets, span, 0, trace.offsets.length) - 1;
}

/** Spans [first, last) of a track with a part in [from, to]: those that end after `from` and start before `to`. */
export function spansWithin(trace: Trace, track: number, from: number, to: number): readonly [number, number] {
  const [low, high] = [trace.offsets[track] ?? 0, trace.offsets[track + 1] ?? 0];
  let first = firstAbove(trace.start, from, low, high);
  // The one before may reach into the window; only one can, as they do not overlap.
  if (first > low && endOf(trace, first - 1) > from) first -= 1;
  return [first, Math.max(first, firstAbove(trace.start, to, first, high))];
}

/** Bytes of all columns and texts. */
export function memoryOf(trace: Trace): number {
  const columns = [
    trace.offsets,
    trace.start,
    trace.duration,
    trace.before,
    trace.nameOf,
    trace.kind,
    trace.detailOf,
    trace.step,
    trace.links.from,
    trace.links.to,
    trace.links.byTo,
    ...trace.longest.levels,
  ];
  const texts = [...trace.names, ...trace.details].reduce((sum, text) => sum + 2 * text.length, 0);
  return columns.reduce((sum, column) => sum + column.byteLength, texts);
}
