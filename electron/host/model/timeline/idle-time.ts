/**
 * Finds times at which no kernel runs on the GPU, and their causes. Before the next kernel is launched, the host is the
 * cause: it waits in a call, or does something else. After the launch the cause is the launch itself, or the queue if
 * the launch returned before the gap began. Copies and memsets count before any activity of the host. Busy times are
 * the union of the spans of several tracks, which are merged in the order of their starts.
 */
import {
  type IdleCause,
  type IdleTime,
  idleCauses,
  type NamedTime,
  type TimelineStatistics,
} from '../../../contract/timeline.ts';
import { endOf, firstIndexAbove, kindNumber, launchersOf, spanAt, spansWithin, type Trace } from './trace.ts';

interface SpanSelection {
  readonly tracks: readonly number[];
  /** Only spans that overlap the range from `from` to `to` are visited; by default all spans. */
  readonly from?: number;
  readonly to?: number;
  /** Returns false for spans to skip; by default none are skipped. */
  readonly accept?: (span: number) => boolean;
}

/**
 * Visits spans in the order of their starts. Of spans that start together, those on earlier tracks come first: callers
 * before callees.
 */
export function visitInOrder(trace: Trace, chosen: SpanSelection, visit: (span: number) => void): void {
  const { tracks, from = 0, to = trace.duration_ns, accept = () => true } = chosen;
  const cursors = tracks.map((track) => {
    const [next, last] = spansWithin(trace, track, from, to);
    return { next, last };
  });
  const skip = (cursor: { next: number; last: number }): void => {
    while (cursor.next < cursor.last && !accept(cursor.next)) cursor.next += 1;
  };
  cursors.forEach(skip);
  let live = cursors.filter(({ next, last }) => next < last);
  while (live.length > 0) {
    let first = live[0] as { next: number; last: number };
    for (const cursor of live) if ((trace.start[cursor.next] ?? 0) < (trace.start[first.next] ?? 0)) first = cursor;
    visit(first.next);
    first.next += 1;
    skip(first);
    if (first.next >= first.last) live = live.filter((cursor) => cursor !== first);
  }
}

export const laneTracks = (lane: { readonly firstTrack: number; readonly tracks: number }): readonly number[] =>
  Array.from({ length: lane.tracks }, (_, row) => lane.firstTrack + row);

interface BusyTime {
  readonly busy_ns: number;
  /** Durations of the idle times between the first and the last span, in order of time. */
  readonly gaps: Float64Array;
}

/**
 * Busy time of several tracks and the gaps in it, between `from` and `to`. `accept` returns false for spans to ignore.
 */
export function busyTime(
  trace: Trace,
  tracks: readonly number[],
  from: number,
  to: number,
  accept: (span: number) => boolean = () => true,
): BusyTime {
  const gaps: number[] = [];
  let busy_ns = 0;
  let until = Number.NEGATIVE_INFINITY;
  visitInOrder(trace, { tracks, from, to, accept }, (span) => {
    const begin = Math.max(from, trace.start[span] ?? 0);
    const end = Math.min(to, endOf(trace, span));
    if (begin > until) {
      if (until !== Number.NEGATIVE_INFINITY) gaps.push(begin - until);
      busy_ns += end - begin;
      until = end;
    } else if (end > until) {
      busy_ns += end - until;
      until = end;
    }
  });
  return { busy_ns, gaps: Float64Array.from(gaps) };
}

/** Median of numbers; 0 for an empty array. Sorts the array in place. */
export function medianInPlace(values: Float64Array): number {
  if (values.length === 0) return 0;
  values.sort();
  const middle = values.length >>> 1;
  const upper = values[middle] ?? 0;
  return values.length % 2 === 1 ? upper : ((values[middle - 1] ?? 0) + upper) / 2;
}

interface Selection {
  readonly from_ns: number;
  readonly to_ns: number;
  /** Selected tracks; null for all tracks. */
  readonly tracks: readonly number[] | null;
  /** Name of the selected spans; null for all spans. */
  readonly name: string | null;
}

/** Maximum number of listed names. Sums also include names that are not listed. */
const MAX_NAMES = 200;

const P95 = 0.95;

/** Summary statistics of durations. Sorts the array in place. */
function summarizeDurations(durations: Float64Array): Pick<NamedTime, 'median_ns' | 'min_ns' | 'mean_ns' | 'p95_ns'> & {
  readonly max_ns: number;
} {
  const median_ns = medianInPlace(durations);
  // The durations are sorted now, by `medianInPlace`.
  const at = (durations.length - 1) * P95;
  const [below = 0, above = 0] = [durations[Math.floor(at)], durations[Math.ceil(at)]];
  const sum = durations.reduce((total, one) => total + one, 0);
  return {
    ...{ median_ns, min_ns: durations[0] ?? 0, max_ns: durations.at(-1) ?? 0 },
    mean_ns: durations.length === 0 ? 0 : sum / durations.length,
    p95_ns: below + (above - below) * (at - Math.floor(at)),
  };
}

/**
 * Times of spans by name, the name with the largest sum first. `within` returns the part of a span's duration that
 * counts.
 */
export function timesByName(
  trace: Trace,
  spans: Uint32Array,
  within: (span: number) => number,
  most: number,
): readonly NamedTime[] {
  const byName = new Map<number, number[]>();
  for (const span of spans) {
    const name = trace.nameOf[span] ?? 0;
    const list = byName.get(name);
    if (list === undefined) byName.set(name, [span]);
    else list.push(span);
  }
  let total = 0;
  const rows = [...byName].map(([name, list]) => {
    const sum_ns = list.reduce((sum, span) => sum + within(span), 0);
    total += sum_ns;
    return { name, list, sum_ns };
  });
  return rows
    .sort((a, b) => b.sum_ns - a.sum_ns)
    .slice(0, most)
    .map(({ name, list, sum_ns }) => {
      const { max_ns: _, ...told } = summarizeDurations(Float64Array.from(list, (span) => trace.duration[span] ?? 0));
      const share = total > 0 ? sum_ns / total : null;
      return { name: trace.names[name] ?? '', count: list.length, sum_ns, ...told, share };
    });
}

export function selectionStatistics(trace: Trace, selection: Selection): TimelineStatistics {
  const { from_ns, to_ns } = selection;
  const tracks = selection.tracks ?? [...trace.laneOf.keys()];
  const name = selection.name === null ? null : trace.names.indexOf(selection.name);
  const accept = (span: number): boolean => name === null || trace.nameOf[span] === name;
  const found: number[] = [];
  for (const track of tracks) {
    const [first, last] = spansWithin(trace, track, from_ns, to_ns);
    for (let span = first; span < last; span += 1) if (accept(span)) found.push(span);
  }
  const spans = Uint32Array.from(found);
  const within = (span: number): number =>
    Math.max(0, Math.min(to_ns, endOf(trace, span)) - Math.max(from_ns, trace.start[span] ?? 0));
  const durations = Float64Array.from(spans, (span) => trace.duration[span] ?? 0);
  const { busy_ns, gaps } = busyTime(trace, tracks, from_ns, to_ns, accept);
  const longest = gaps.reduce((most, gap) => Math.max(most, gap), 0);
  return {
    from_ns,
    to_ns,
    count: spans.length,
    sum_ns: spans.reduce((sum, span) => sum + within(span), 0),
    ...summarizeDurations(durations),
    busyShare: to_ns > from_ns ? busy_ns / (to_ns - from_ns) : null,
    gaps: {
      count: gaps.length,
      sum_ns: gaps.reduce((sum, gap) => sum + gap, 0),
      longest_ns: longest,
      median_ns: medianInPlace(gaps),
    },
    names: [...timesByName(trace, spans, within, MAX_NAMES)],
  };
}

const MAX_LISTED_GAPS = 10;

const [OTHER, KERNEL, COPY, MEMSET, GRAPH, CALL] = (
  ['other', 'kernel', 'copy', 'memset', 'graph', 'call'] as const
).map(kindNumber);

/** Names of calls that wait for the GPU, including synchronous copies. */
const WAITS = /synchronize|wait|query|memcpy(?!.*async)/i;

/** Disjoint time intervals in ascending order. */
interface TimeIntervals {
  readonly start: Float64Array;
  readonly end: Float64Array;
}

function unionOfSpans(trace: Trace, tracks: readonly number[], accept: (span: number) => boolean): TimeIntervals {
  const [start, end]: [number[], number[]] = [[], []];
  visitInOrder(trace, { tracks, accept }, (span) => {
    const [from, to] = [trace.start[span] ?? 0, endOf(trace, span)];
    const last = end.length - 1;
    if (last >= 0 && from <= (end[last] ?? 0)) end[last] = Math.max(end[last] ?? 0, to);
    else {
      start.push(from);
      end.push(to);
    }
  });
  return { start: Float64Array.from(start), end: Float64Array.from(end) };
}

/** Parts of the intervals between `from` and `to`, in ascending order. */
function* intervalsWithin(
  { start, end }: TimeIntervals,
  from: number,
  to: number,
): Iterable<readonly [number, number]> {
  let next = firstIndexAbove(end, from, 0, end.length);
  for (; next < start.length && (start[next] ?? 0) < to; next += 1) {
    yield [Math.max(from, start[next] ?? 0), Math.min(to, end[next] ?? 0)];
  }
}

/** Parts of the range from `from` to `to` that no interval covers. */
function* gapsWithin(stretches: TimeIntervals, from: number, to: number): Iterable<readonly [number, number]> {
  let at = from;
  for (const [begin, end] of intervalsWithin(stretches, from, to)) {
    if (begin > at) yield [at, begin];
    at = end;
  }
  if (to > at) yield [at, to];
}

interface Part {
  readonly cause: IdleCause;
  readonly from: number;
  readonly to: number;
}

interface Gap {
  readonly start: number;
  readonly end: number;
  /** The kernel that begins at the end of the gap. */
  readonly next: number;
}

interface SurroundingSpans {
  readonly copies: TimeIntervals;
  readonly waits: TimeIntervals;
}

/** Call that launched a span. If a runtime call contains a driver call, this is the driver call, which began later. */
function launchingCall(trace: Trace, span: number): number | null {
  const all = launchersOf(trace.links, span);
  const later = (a: number, b: number): number => ((trace.start[b] ?? 0) >= (trace.start[a] ?? 0) ? b : a);
  return all.length === 0 ? null : all.reduce(later);
}

function* splitGapByCause(
  trace: Trace,
  { start, end, next }: Gap,
  { copies, waits }: SurroundingSpans,
): Iterable<Part> {
  for (const [from, to] of intervalsWithin(copies, start, end)) yield { cause: 'copy', from, to };
  const launch = launchingCall(trace, next);
  const launched = launch === null ? end : (trace.start[launch] ?? 0);
  const late = launch !== null && endOf(trace, launch) <= start ? 'queue' : 'launch';
  for (const [from, to] of gapsWithin(copies, start, end)) {
    const until = Math.min(to, Math.max(from, launched));
    for (const [a, b] of intervalsWithin(waits, from, until)) yield { cause: 'wait', from: a, to: b };
    for (const [a, b] of gapsWithin(waits, from, until)) {
      yield { cause: launch === null ? 'unknown' : 'host', from: a, to: b };
    }
    if (to > until) yield { cause: late, from: until, to };
  }
}

/**
 * Name of the innermost operation or call at a given time, on any thread. If several threads are in a call, the one
 * that began last.
 */
function hostActivityAt(trace: Trace, at: number): string | null {
  let found: number | null = null;
  for (const [lane, { kind }] of trace.lanes.entries()) {
    if (kind !== 'thread' && kind !== 'api') continue;
    const span = spanAt(trace, lane, at);
    if (span === null || (trace.kind[span] !== OTHER && trace.kind[span] !== CALL)) continue;
    if (found === null || (trace.start[span] ?? 0) >= (trace.start[found] ?? 0)) found = span;
  }
  return found === null ? null : (trace.names[trace.nameOf[found] ?? 0] ?? null);
}

function describeGap(trace: Trace, { start, end, next }: Gap, around: SurroundingSpans): IdleTime['longest'][number] {
  const parts = [...splitGapByCause(trace, { start, end, next }, around)];
  const sums = new Map<IdleCause, number>();
  for (const { cause, from, to } of parts) sums.set(cause, (sums.get(cause) ?? 0) + to - from);
  const [[cause] = ['unknown' as const]] = [...sums].sort(([, a], [, b]) => b - a);
  const [largest] = parts.filter((part) => part.cause === cause).sort((a, b) => b.to - b.from - (a.to - a.from));
  return {
    start_ns: start,
    duration_ns: end - start,
    cause,
    next: trace.names[trace.nameOf[next] ?? 0] ?? '',
    span: next,
    host: largest === undefined ? null : hostActivityAt(trace, (largest.from + largest.to) / 2),
  };
}

export function idleTime(trace: Trace): IdleTime | null {
  const { kind, nameOf } = trace;
  const tracks = trace.lanes.flatMap(laneTracks);
  const waiting = Uint8Array.from(trace.names, (name) => (WAITS.test(name) ? 1 : 0));
  const around: SurroundingSpans = {
    copies: unionOfSpans(trace, tracks, (span) => kind[span] === COPY || kind[span] === MEMSET),
    waits: unionOfSpans(trace, tracks, (span) => kind[span] === CALL && waiting[nameOf[span] ?? 0] === 1),
  };
  const sums = new Map(idleCauses.map((cause) => [cause, { cause, count: 0, sum_ns: 0 }]));
  const longest: Gap[] = [];
  let [first, until, kernels, count, sum_ns] = [0, Number.NEGATIVE_INFINITY, 0, 0, 0];
  visitInOrder(trace, { tracks, accept: (span) => kind[span] === KERNEL || kind[span] === GRAPH }, (span) => {
    const start = trace.start[span] ?? 0;
    if (kernels === 0) first = start;
    kernels += 1;
    if (start > until && until !== Number.NEGATIVE_INFINITY) {
      const gap = { start: until, end: start, next: span };
      count += 1;
      sum_ns += start - until;
      const here = new Set<IdleCause>();
      for (const { cause, from, to } of splitGapByCause(trace, gap, around)) {
        const sum = sums.get(cause);
        if (sum === undefined) continue;
        sum.sum_ns += to - from;
        if (!here.has(cause)) sum.count += 1;
        here.add(cause);
      }
      longest.push(gap);
      if (longest.length >= 64 * MAX_LISTED_GAPS) keepLongest(longest);
    }
    until = Math.max(until, endOf(trace, span));
  });
  if (kernels < 2) return null;
  keepLongest(longest);
  return {
    count,
    sum_ns,
    extent_ns: until - first,
    causes: [...sums.values()]
      .filter((one) => one.sum_ns > 0)
      .sort((a, b) => b.sum_ns - a.sum_ns)
      .map((one) => ({ ...one, share: sum_ns > 0 ? one.sum_ns / sum_ns : null })),
    longest: longest.map((gap) => describeGap(trace, gap, around)),
  };
}

function keepLongest(gaps: Gap[]): void {
  gaps.sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start);
  gaps.length = Math.min(gaps.length, MAX_LISTED_GAPS);
}
