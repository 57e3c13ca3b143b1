/**
 * A timeline in memory. Spans are stored as columns, sorted by track and then by start, in about 42 bytes per span.
 * Spans of a track never overlap, so their starts and ends both ascend, and a time is found by binary search. A tree of
 * maxima has the longest of every 16, 256, … consecutive spans. Finding the colour of a pixel that covers a thousand
 * spans then needs about thirty comparisons. Launches and launched work are linked by correlation numbers, and by flow
 * events in the file.
 */
import { type LaneKind, type SpanKind, spanKinds, type TraceInfo } from '../../../contract/timeline.ts';

const TREE_FANOUT = 16;

interface LongestSpanIndex {
  /** levels[k][i] is the index of the longest of the spans from i·16^(k+1) to (i+1)·16^(k+1) − 1. */
  readonly levels: readonly Uint32Array[];
}

const longerSpanFirst = (duration: Float64Array, a: number, b: number): number =>
  (duration[b] ?? 0) > (duration[a] ?? 0) ? b : a;

export function buildLongest(duration: Float64Array): LongestSpanIndex {
  const levels: Uint32Array[] = [];
  let below: Uint32Array | null = null;
  let length = duration.length;
  while (length > TREE_FANOUT) {
    const count = Math.ceil(length / TREE_FANOUT);
    const level = new Uint32Array(count);
    for (let i = 0; i < count; i += 1) {
      const end = Math.min(length, (i + 1) * TREE_FANOUT);
      let best = below === null ? i * TREE_FANOUT : (below[i * TREE_FANOUT] ?? 0);
      for (let j = i * TREE_FANOUT + 1; j < end; j += 1)
        best = longerSpanFirst(duration, best, below === null ? j : (below[j] ?? 0));
      level[i] = best;
    }
    levels.push(level);
    below = level;
    length = count;
  }
  return { levels };
}

/**
 * Index of the longest span from `from` to `to` - 1; the first one if several are equally long. The range must not be
 * empty.
 */
export function findLongest({ levels }: LongestSpanIndex, duration: Float64Array, from: number, to: number): number {
  let best = from;
  let [low, high] = [from, to];
  let level = -1;
  const at = (i: number): number => (level < 0 ? i : (levels[level]?.[i] ?? 0));
  // Goes up the levels from both ends of the range, until the ends meet.
  while (low < high) {
    if (high - low <= 2 * TREE_FANOUT || level + 1 >= levels.length) {
      for (let i = low; i < high; i += 1) best = longerOrEarlier(duration, best, at(i));
      break;
    }
    while (low % TREE_FANOUT !== 0) {
      best = longerOrEarlier(duration, best, at(low));
      low += 1;
    }
    while (high % TREE_FANOUT !== 0) {
      high -= 1;
      best = longerOrEarlier(duration, best, at(high));
    }
    low /= TREE_FANOUT;
    high /= TREE_FANOUT;
    level += 1;
  }
  return best;
}

function longerOrEarlier(duration: Float64Array, a: number, b: number): number {
  const [da, db] = [duration[a] ?? 0, duration[b] ?? 0];
  return db > da || (db === da && b < a) ? b : a;
}

/** Value in the column `step` for a span without a step. */
export const NO_STEP = 0xffffffff;

export interface TraceLane {
  readonly process: string;
  readonly name: string;
  readonly kind: LaneKind;
  /** Process within which correlation numbers are unique. */
  readonly scope: number;
  readonly firstTrack: number;
  readonly tracks: number;
}

export interface Trace {
  readonly source: 'run' | 'chrome-trace' | 'nsight-systems';
  readonly name: string;
  readonly about: string;
  /** Name of the GPU as reported by the driver; null if unknown. */
  readonly device: string | null;
  readonly lanes: readonly TraceLane[];
  /** Lane of each track. */
  readonly laneOf: Uint32Array;
  /** Index of the first span of each track; the last entry is the number of spans. */
  readonly offsets: Uint32Array;
  /** Start of each span in ns, from the start of the first span. */
  readonly start: Float64Array;
  readonly duration: Float64Array;
  /** Total duration of all spans before each span. It has one entry more than there are spans. */
  readonly before: Float64Array;
  readonly longest: LongestSpanIndex;
  /** Index into `names`. */
  readonly nameOf: Uint32Array;
  readonly names: readonly string[];
  /** Colour number of each name. */
  readonly tints: Uint8Array;
  /** Kind of each span, as an index into `spanKinds`. */
  readonly kind: Uint8Array;
  /** Arguments of each span, as an index into `details`, which contains JSON of SpanArguments; 0 for none. */
  readonly detailOf: Uint32Array;
  readonly details: readonly string[];
  /** Simulation step of each span, or NO_STEP. */
  readonly step: Uint32Array;
  readonly links: Links;
  readonly duration_ns: number;
  readonly notes: readonly string[];
}

/** Pairs of launching call and launched span, sorted by the call, and their order by the launched span. */
interface Links {
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

/** First index from `low` to `high` - 1 whose value is above `limit`, or `high`. Values must ascend. */
export function firstIndexAbove(values: Float64Array | Uint32Array, limit: number, low: number, high: number): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((values[middle] ?? 0) > limit) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** First index from `low` to `high` - 1 whose value is at least `limit`, or `high`. Values must ascend. */
function firstIndexAtLeast(values: Float64Array | Uint32Array, limit: number, low: number, high: number): number {
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
  return firstIndexAbove(trace.offsets, span, 0, trace.offsets.length) - 1;
}

/** Range [first, last) of the spans of a track that end after `from` and start before `to`. */
export function spansWithin(trace: Trace, track: number, from: number, to: number): readonly [number, number] {
  const [low, high] = [trace.offsets[track] ?? 0, trace.offsets[track + 1] ?? 0];
  let first = firstIndexAbove(trace.start, from, low, high);
  // The span before the first may end after `from`. At most one can, because spans of a track do not overlap.
  if (first > low && endOf(trace, first - 1) > from) first -= 1;
  return [first, Math.max(first, firstIndexAbove(trace.start, to, first, high))];
}

/** Memory of all columns and texts, in bytes. */
function memoryOf(trace: Trace): number {
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

export type Description = Omit<TraceInfo, 'id' | 'run'> & { readonly device: string | null };

function firstKernel(trace: Trace): number | null {
  let first: number | null = null;
  for (let span = 0; span < spanCount(trace); span += 1) {
    const kind = kindOf(trace, span);
    if (kind !== 'kernel' && kind !== 'graph') continue;
    const start = trace.start[span] ?? 0;
    if (first === null || start < first) first = start;
  }
  return first;
}

export function traceDescription(trace: Trace): Description {
  const { name, source, about, device, duration_ns, notes } = trace;
  return {
    name,
    source,
    about,
    device,
    duration_ns,
    spans: spanCount(trace),
    lanes: trace.lanes.map(({ process, name: lane, kind, firstTrack, tracks }) => ({
      process,
      name: lane,
      kind,
      firstTrack,
      tracks,
      spans: (trace.offsets[firstTrack + tracks] ?? 0) - (trace.offsets[firstTrack] ?? 0),
    })),
    firstKernel_ns: firstKernel(trace),
    notes: [...notes],
    memory_bytes: memoryOf(trace),
  };
}

/** One end of a flow event: a time on a thread, whose spans may be in several lanes. */
export interface FlowEnd {
  readonly lanes: readonly number[];
  readonly at: number;
}

export interface Flow {
  readonly from: FlowEnd;
  readonly to: FlowEnd;
}

type Columns = Pick<Trace, 'lanes' | 'offsets' | 'start' | 'duration'>;

/**
 * Combines process and correlation number into a key that is unique in the trace. Processes are few, and correlation
 * numbers have 32 bits.
 */
const key = (scope: number, correlation: number): number => scope * 2 ** 32 + correlation;

/** Innermost span at a moment, in any of the lanes; null if there is none. */
function flowSpan(trace: Columns, { lanes, at }: FlowEnd): number | null {
  let found: number | null = null;
  for (const lane of lanes) {
    const span = spanAt(trace, lane, at);
    if (span === null) continue;
    if (found === null || (trace.start[span] ?? 0) >= (trace.start[found] ?? 0)) found = span;
  }
  return found;
}

/** Innermost span of a lane at a moment; null if there is none. */
export function spanAt(trace: Columns, lane: number, at: number): number | null {
  const { firstTrack = 0, tracks = 0 } = trace.lanes[lane] ?? {};
  for (let track = firstTrack + tracks - 1; track >= firstTrack; track -= 1) {
    const low = trace.offsets[track] ?? 0;
    const span = firstIndexAbove(trace.start, at, low, trace.offsets[track + 1] ?? 0) - 1;
    if (span >= low && at <= (trace.start[span] ?? 0) + (trace.duration[span] ?? 0)) return span;
  }
  return null;
}

/** Pairs each launching call with the launched spans that have the same correlation number in the same process. */
function pairByCorrelation(
  trace: Columns & { readonly correlation: Uint32Array; readonly launches: (span: number) => boolean },
  laneOfSpan: (span: number) => number,
  pair: (from: number, to: number) => void,
): void {
  const { correlation, lanes } = trace;
  const calls: number[] = [];
  for (const [span, value] of correlation.entries()) if (value !== 0 && trace.launches(span)) calls.push(span);
  const keyOf = (span: number): number => key(lanes[laneOfSpan(span)]?.scope ?? 0, correlation[span] ?? 0);
  const keys = Float64Array.from(calls, keyOf);
  const order = Uint32Array.from(calls.keys());
  if (!isAscending(keys)) order.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
  const sorted = Float64Array.from(order, (i) => keys[i] ?? 0);
  for (const [span, value] of correlation.entries()) {
    if (value === 0 || trace.launches(span)) continue;
    const wanted = keyOf(span);
    // A runtime call and the driver call within it have the same number. The innermost call, which is the last one,
    // launched the work.
    const at = firstIndexAbove(sorted, wanted, 0, sorted.length) - 1;
    if (at >= 0 && sorted[at] === wanted) pair(calls[order[at] ?? 0] ?? 0, span);
  }
}

function isAscending(values: Float64Array): boolean {
  for (let i = 1; i < values.length; i += 1) if ((values[i] ?? 0) < (values[i - 1] ?? 0)) return false;
  return true;
}

interface LinkInput extends Columns {
  readonly correlation: Uint32Array;
  readonly launches: (span: number) => boolean;
  readonly laneOfSpan: (span: number) => number;
  readonly flows: Iterable<Flow>;
}

export function buildLinks(input: LinkInput): Links {
  const pairs: number[] = [];
  const size = input.start.length;
  const pair = (from: number, to: number): void => {
    if (from !== to) pairs.push(from * size + to);
  };
  pairByCorrelation(input, input.laneOfSpan, pair);
  for (const { from, to } of input.flows) {
    const [a, b] = [flowSpan(input, from), flowSpan(input, to)];
    if (a !== null && b !== null) pair(a, b);
  }
  // Removes duplicates: profilers that write both correlation numbers and flow events describe each launch twice.
  const sorted = Float64Array.from(pairs).sort();
  let kept = 0;
  for (let i = 0; i < sorted.length; i += 1) {
    if (i > 0 && sorted[i] === sorted[i - 1]) continue;
    sorted[kept] = sorted[i] ?? 0;
    kept += 1;
  }
  const unique = sorted.subarray(0, kept);
  const from = Uint32Array.from(unique, (value) => Math.floor(value / size));
  const to = Uint32Array.from(unique, (value) => value % size);
  const byTo = Uint32Array.from(unique.keys()).sort((a, b) => (to[a] ?? 0) - (to[b] ?? 0) || a - b);
  return { from, to, byTo };
}

/** Range [first, last) in `links.to` of the spans that a call launched. */
export function launchedBySpan(links: Links, span: number): readonly [number, number] {
  const first = firstIndexAtLeast(links.from, span, 0, links.from.length);
  return [first, firstIndexAbove(links.from, span, first, links.from.length)];
}

/** Calls that launched a span. */
export function launchersOf(links: Links, span: number): readonly number[] {
  const { byTo, to, from } = links;
  let [low, high] = [0, byTo.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((to[byTo[middle] ?? 0] ?? 0) >= span) high = middle;
    else low = middle + 1;
  }
  const found: number[] = [];
  for (let i = low; i < byTo.length && to[byTo[i] ?? 0] === span; i += 1) found.push(from[byTo[i] ?? 0] ?? 0);
  return found;
}
