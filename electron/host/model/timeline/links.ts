/** Finds which call launched which work: by correlation numbers, and by flows that the file draws itself. */
import { firstAbove, firstFrom, type Links, type Trace } from './trace.ts';

/** One end of a flow as stored in files: a time on a thread, whose spans may be in several lanes. */
export interface FlowEnd {
  readonly lanes: readonly number[];
  readonly at: number;
}

export interface Flow {
  readonly from: FlowEnd;
  readonly to: FlowEnd;
}

type Columns = Pick<Trace, 'lanes' | 'offsets' | 'start' | 'duration'>;

/** A launch number that is unique across processes: scopes are few, correlation numbers have 32 bits. */
const key = (scope: number, correlation: number): number => scope * 2 ** 32 + correlation;

/** The innermost span that runs at a moment in any of the lanes, or null. */
function flowSpan(trace: Columns, { lanes, at }: FlowEnd): number | null {
  let found: number | null = null;
  for (const lane of lanes) {
    const span = spanAt(trace, lane, at);
    if (span === null) continue;
    if (found === null || (trace.start[span] ?? 0) >= (trace.start[found] ?? 0)) found = span;
  }
  return found;
}

/** The innermost span of a lane that runs at a moment, or null. */
export function spanAt(trace: Columns, lane: number, at: number): number | null {
  const { firstTrack = 0, tracks = 0 } = trace.lanes[lane] ?? {};
  for (let track = firstTrack + tracks - 1; track >= firstTrack; track -= 1) {
    const low = trace.offsets[track] ?? 0;
    const span = firstAbove(trace.start, at, low, trace.offsets[track + 1] ?? 0) - 1;
    if (span >= low && at <= (trace.start[span] ?? 0) + (trace.duration[span] ?? 0)) return span;
  }
  return null;
}

/** Pairs of a launching call and launched work with the same correlation number in the same scope. */
function byCorrelation(
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
  if (!ascending(keys)) order.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
  const sorted = Float64Array.from(order, (i) => keys[i] ?? 0);
  for (const [span, value] of correlation.entries()) {
    if (value === 0 || trace.launches(span)) continue;
    const wanted = keyOf(span);
    // A runtime call and the driver call within it share a number: the last, innermost one launched.
    const at = firstAbove(sorted, wanted, 0, sorted.length) - 1;
    if (at >= 0 && sorted[at] === wanted) pair(calls[order[at] ?? 0] ?? 0, span);
  }
}

function ascending(values: Float64Array): boolean {
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
  byCorrelation(input, input.laneOfSpan, pair);
  for (const { from, to } of input.flows) {
    const [a, b] = [flowSpan(input, from), flowSpan(input, to)];
    if (a !== null && b !== null) pair(a, b);
  }
  // A profiler that writes both says each launch twice.
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

/** Places [first, last) in `links.to` of what a span launched. */
export function launchedBySpan(links: Links, span: number): readonly [number, number] {
  const first = firstFrom(links.from, span, 0, links.from.length);
  return [first, firstAbove(links.from, span, first, links.from.length)];
}

/** Spans that launched this one. */
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
