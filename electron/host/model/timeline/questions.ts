/**
 * Answers queries about a timeline, by name. They run in a worker thread or in a separate process. For display, the
 * spans in a window are reduced to its pixels in O(pixels · log n): spans within the same pixel become one rectangle
 * with the name of the longest span.
 */
import { gzipSync } from 'node:zlib';
import { BraggError } from '../../../contract/errors.ts';
import type { PlacedSpan, SpanDetails, TimelineWindow } from '../../../contract/timeline.ts';
import type { Params, Result } from '../../../contract/wire/methods.ts';
import { fieldsOf, spanArguments } from './details.ts';
import { chromeTraceText } from './export.ts';
import { selectionStatistics } from './idle-time.ts';
import { traceSummary } from './summary.ts';
import {
  endOf,
  findLongest,
  kindOf,
  launchedBySpan,
  launchersOf,
  NO_STEP,
  spanCount,
  spansWithin,
  type Trace,
  trackOf,
} from './trace.ts';

interface WindowRequest {
  readonly from_ns: number;
  readonly to_ns: number;
  readonly pixels: number;
  readonly tracks: readonly number[];
}

/** Rectangles of all tracks, as growing arrays: most tracks have far fewer than the maximum of two per pixel. */
class Rectangles {
  left = new Float32Array(1024);
  right = new Float32Array(1024);
  span = new Uint32Array(1024);
  count = new Uint32Array(1024);
  busy = new Uint8Array(1024);
  length = 0;

  push(left: number, right: number, span: number, count: number, busy: number): void {
    const i = this.length;
    if (i === this.left.length) this.#grow();
    this.left[i] = left;
    this.right[i] = right;
    this.span[i] = span;
    this.count[i] = count;
    this.busy[i] = busy;
    this.length = i + 1;
  }

  #grow(): void {
    const size = this.length * 2;
    const larger = <T extends Float32Array | Uint32Array | Uint8Array>(to: T, from: T): T => {
      to.set(from);
      return to;
    };
    this.left = larger(new Float32Array(size), this.left);
    this.right = larger(new Float32Array(size), this.right);
    this.span = larger(new Uint32Array(size), this.span);
    this.count = larger(new Uint32Array(size), this.count);
    this.busy = larger(new Uint8Array(size), this.busy);
  }
}

/**
 * First index between `from` and `high` whose start is at least `limit`. Searches in doubling steps, which is fast if
 * many spans share a pixel.
 */
function gallopingSearch(start: Float64Array, limit: number, from: number, high: number): number {
  let step = 1;
  let low = from;
  while (low + step < high && (start[low + step] ?? 0) < limit) {
    low += step;
    step *= 2;
  }
  let top = Math.min(high, low + step);
  low += 1;
  while (low < top) {
    const middle = (low + top) >>> 1;
    if ((start[middle] ?? 0) >= limit) top = middle;
    else low = middle + 1;
  }
  return top;
}

function reduceTrack(
  trace: Trace,
  track: number,
  from_ns: number,
  to_ns: number,
  pixel: number,
  out: Rectangles,
): void {
  const { start, duration, before, longest } = trace;
  const [first, last] = spansWithin(trace, track, from_ns, to_ns);
  // Clips times to one pixel outside of the window, so that they fit into 32-bit numbers.
  const clip = (at: number): number => Math.min((to_ns - from_ns) / pixel + 1, Math.max(-1, (at - from_ns) / pixel));
  let i = first;
  while (i < last) {
    const begin = start[i] ?? 0;
    if ((duration[i] ?? 0) >= pixel) {
      out.push(clip(begin), clip(endOf(trace, i)), i, 1, 255);
      i += 1;
      continue;
    }
    const column = Math.floor((begin - from_ns) / pixel);
    const columnEnd = from_ns + (column + 1) * pixel;
    let next = gallopingSearch(start, columnEnd, i, last);
    // Only the last span that begins in a pixel can be longer than the pixel. It then gets its own rectangle.
    if (next > i + 1 && (duration[next - 1] ?? 0) >= pixel) next -= 1;
    if (next === i + 1) out.push(clip(begin), clip(endOf(trace, i)), i, 1, 255);
    else {
      const share = ((before[next] ?? 0) - (before[i] ?? 0)) / pixel;
      const busy = Math.max(1, Math.min(255, Math.round(share * 255)));
      out.push(column, column + 1, findLongest(longest, duration, i, next), next - i, busy);
    }
    i = next;
  }
}

/**
 * Rectangles for a window of the timeline. Throws BraggError `bad-request` for an empty window or an unknown track.
 */
export function timelineWindow(trace: Trace, request: WindowRequest): TimelineWindow {
  const { from_ns, to_ns, pixels, tracks } = request;
  if (!(to_ns > from_ns)) throw new BraggError('bad-request', `The window from ${from_ns} to ${to_ns} ns is empty.`);
  const pixel = (to_ns - from_ns) / pixels;
  const out = new Rectangles();
  const offsets = new Uint32Array(tracks.length + 1);
  for (const [i, track] of tracks.entries()) {
    if (track >= trace.laneOf.length) {
      throw new BraggError('bad-request', `There is no track ${track}; this timeline has ${trace.laneOf.length}.`);
    }
    reduceTrack(trace, track, from_ns, to_ns, pixel, out);
    offsets[i + 1] = out.length;
  }
  const size = out.length;
  const span = out.span.slice(0, size);
  const name = Uint32Array.from(span, (each) => trace.nameOf[each] ?? 0);
  return {
    from_ns,
    to_ns,
    pixels,
    tracks: [...tracks],
    offsets,
    left: out.left.slice(0, size),
    right: out.right.slice(0, size),
    span,
    name,
    count: out.count.slice(0, size),
    tint: Uint8Array.from(name, (each) => trace.tints[each] ?? 0),
    busy: out.busy.slice(0, size),
  };
}

// Queries for the details of a span, and for the launches in a window.

/** Maximum number of linked spans to list. A graph launch has thousands. */
const MAX_LINKED = 1000;

function placedSpan(trace: Trace, span: number): PlacedSpan {
  return {
    span,
    track: trackOf(trace, span),
    name: trace.names[trace.nameOf[span] ?? 0] ?? '',
    kind: kindOf(trace, span),
    start_ns: trace.start[span] ?? 0,
    duration_ns: trace.duration[span] ?? 0,
  };
}

/**
 * Rate of reading and writing GPU memory, in bytes per second; null if the span's bytes do not measure that. A
 * copy within the device reads and writes each byte. Copies over PCIe or NVLink have other ceilings. For steps of a run
 * it is the traffic that the variant declares.
 */
function memoryTraffic({ kind, name }: PlacedSpan, rate: number | null): number | null {
  if (rate === null) return null;
  if (kind === 'copy') return /device.to.device|DtoD/i.test(name) ? 2 * rate : null;
  return kind === 'memset' || kind === 'range' ? rate : null;
}

/**
 * Details of a span. `ceiling` is the measured copy bandwidth of the GPU in bytes read plus bytes written per second;
 * null if unknown.
 */
export function spanDetails(trace: Trace, span: number, ceiling: number | null): SpanDetails {
  if (span >= spanCount(trace)) {
    throw new BraggError('bad-request', `There is no span ${span}; this timeline has ${spanCount(trace)}.`);
  }
  const placed = placedSpan(trace, span);
  const lane = trace.lanes[trace.laneOf[placed.track] ?? 0];
  const values = spanArguments(trace.details[trace.detailOf[span] ?? 0] ?? '');
  const bytes = values.bytes ?? null;
  const rate = bytes === null || placed.duration_ns <= 0 ? null : bytes / (placed.duration_ns * 1e-9);
  const traffic = memoryTraffic(placed, rate);
  const [first, last] = launchedBySpan(trace.links, span);
  const launched = trace.links.to.subarray(first, Math.min(last, first + MAX_LINKED));
  const step = trace.step[span] ?? NO_STEP;
  return {
    ...placed,
    lane: lane?.name ?? '',
    process: lane?.process ?? '',
    step: step === NO_STEP ? null : step,
    fields: fieldsOf(values),
    bytes,
    bytes_per_s: rate,
    shareOfCeiling: traffic === null || ceiling === null ? null : traffic / ceiling,
    launched: Array.from(launched, (to) => placedSpan(trace, to)),
    launchedBy: launchersOf(trace.links, span)
      .slice(0, MAX_LINKED)
      .map((from) => placedSpan(trace, from)),
    launchedCount: last - first,
  };
}

interface Arrows {
  readonly count: number;
  readonly fromTrack: Uint32Array;
  readonly toTrack: Uint32Array;
  readonly from_ns: Float64Array;
  readonly to_ns: Float64Array;
}

/** Launches between selected tracks of which the call or the launched work is in the window. */
export function arrowsWithin(
  trace: Trace,
  window: {
    readonly from_ns: number;
    readonly to_ns: number;
    readonly tracks: readonly number[];
    readonly limit: number;
  },
): Arrows {
  const { links } = trace;
  const shown = new Set(window.tracks);
  const inside = (span: number): boolean =>
    (trace.start[span] ?? 0) < window.to_ns && endOf(trace, span) > window.from_ns;
  const found: number[] = [];
  let count = 0;
  for (let i = 0; i < links.from.length; i += 1) {
    const [from, to] = [links.from[i] ?? 0, links.to[i] ?? 0];
    if (!inside(from) && !inside(to)) continue;
    if (!shown.has(trackOf(trace, from)) || !shown.has(trackOf(trace, to))) continue;
    count += 1;
    if (count <= window.limit) found.push(i);
  }
  const kept = count > window.limit ? [] : found;
  const [from, to] = [kept.map((i) => links.from[i] ?? 0), kept.map((i) => links.to[i] ?? 0)];
  return {
    count,
    fromTrack: Uint32Array.from(from, (span) => trackOf(trace, span)),
    toTrack: Uint32Array.from(to, (span) => trackOf(trace, span)),
    from_ns: Float64Array.from(from, (span) => trace.start[span] ?? 0),
    to_ns: Float64Array.from(to, (span) => trace.start[span] ?? 0),
  };
}

/** Time range of each simulation step, by which the time slider moves timeline and maps together. */
interface Steps {
  readonly step: Uint32Array;
  readonly start_ns: Float64Array;
  readonly end_ns: Float64Array;
}

/**
 * Time ranges of the simulation steps, ascending: from the start of the first span of a step to the end of its last
 * one. On a GPU only the first step of each batch has spans; the other steps are spaced evenly.
 */
export function stepTimes(trace: Trace): Steps {
  const rows = new Map<number, { start: number; end: number }>();
  for (let span = 0; span < spanCount(trace); span += 1) {
    const step = trace.step[span] ?? NO_STEP;
    if (step === NO_STEP) continue;
    const [start, end] = [trace.start[span] ?? 0, endOf(trace, span)];
    const row = rows.get(step);
    if (row === undefined) rows.set(step, { start, end });
    else {
      row.start = Math.min(row.start, start);
      row.end = Math.max(row.end, end);
    }
  }
  const ordered = [...rows].sort(([a], [b]) => a - b);
  return {
    step: Uint32Array.from(ordered, ([step]) => step),
    start_ns: Float64Array.from(ordered, ([, { start }]) => start),
    end_ns: Float64Array.from(ordered, ([, { end }]) => end),
  };
}

/** Spans whose names contain the searched text. */
interface SearchResult {
  readonly count: number;
  readonly names: number;
  readonly sum_ns: number;
  readonly span: Uint32Array;
  readonly track: Uint32Array;
  readonly start_ns: Float64Array;
}

/**
 * Finds the first `limit` spans whose names contain a text, in order of time. Number, names and total time include all
 * matches.
 */
export function searchTrace(trace: Trace, text: string, limit: number): SearchResult {
  const wanted = text.toLowerCase();
  const matches = Uint8Array.from(trace.names, (name) => (name.toLowerCase().includes(wanted) ? 1 : 0));
  const found: number[] = [];
  let sum_ns = 0;
  for (let span = 0; span < spanCount(trace); span += 1) {
    if (matches[trace.nameOf[span] ?? 0] === 0) continue;
    found.push(span);
    sum_ns += trace.duration[span] ?? 0;
  }
  const inTime = Uint32Array.from(found).sort((a, b) => (trace.start[a] ?? 0) - (trace.start[b] ?? 0));
  const span = inTime.slice(0, limit);
  return {
    count: found.length,
    names: matches.reduce((sum, one) => sum + one, 0),
    sum_ns,
    span,
    track: Uint32Array.from(span, (each) => trackOf(trace, each)),
    start_ns: Float64Array.from(span, (each) => trace.start[each] ?? 0),
  };
}

export type Question =
  | 'window'
  | 'names'
  | 'span'
  | 'arrows'
  | 'search'
  | 'statistics'
  | 'steps'
  | 'summary'
  | 'export';
export type Query<Q extends Question> = Omit<Params<`timeline.${Q}`>, 'trace'>;
export type Answer<Q extends Question> = Result<`timeline.${Q}`>;

type Answers = { readonly [Q in Question]: (trace: Trace, requested: Query<Q>, ceiling: number | null) => Answer<Q> };

/** Number of spans from which the exported file is compressed. Perfetto and our importer also open .json.gz files. */
const PACK_FROM_SPANS = 100_000;

function exportTrace(trace: Trace, within: readonly [number, number] | null): Answer<'export'> {
  const stem = trace.name.replace(/\.(h5|json|gz|sqlite)$/gi, '').replace(/[^A-Za-z0-9._-]+/g, '-') || 'timeline';
  const pieces: Buffer[] = [];
  for (const text of chromeTraceText(trace, within)) pieces.push(Buffer.from(text));
  const bytes = Buffer.concat(pieces);
  if (spanCount(trace) < PACK_FROM_SPANS) {
    return { name: `${stem}-trace.json`, mime: 'application/json', bytes: new Uint8Array(bytes) };
  }
  return { name: `${stem}-trace.json.gz`, mime: 'application/gzip', bytes: new Uint8Array(gzipSync(bytes)) };
}

export const queryHandlers: Answers = {
  window: (trace, asked) => timelineWindow(trace, asked),
  names: (trace, { names }) => ({ texts: names.map((name) => trace.names[name] ?? '') }),
  span: (trace, { span }, ceiling) => spanDetails(trace, span, ceiling),
  arrows: (trace, asked) => arrowsWithin(trace, asked),
  search: (trace, { text, limit }) => searchTrace(trace, text, limit),
  statistics: (trace, asked) => {
    if (!(asked.to_ns >= asked.from_ns)) throw new BraggError('bad-request', 'The selection ends before it begins.');
    return selectionStatistics(trace, asked);
  },
  steps: (trace) => stepTimes(trace),
  summary: (trace) => traceSummary(trace),
  export: (trace, { within }) => exportTrace(trace, within),
};
