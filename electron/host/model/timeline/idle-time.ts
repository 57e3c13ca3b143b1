/**
 * Times without a running kernel, and their causes. Until the next kernel is launched, the host is the cause: it waits
 * in a call, or does something else. After that the cause is the launch, or the queue if the kernel had been launched
 * before the gap. Copies and fills take precedence over all host activity.
 */
import { type IdleCause, type IdleTime, idleCauses } from '../../../contract/timeline.ts';
import { inOrder, tracksOf } from './in-order.ts';
import { launchersOf, spanAt } from './links.ts';
import { endOf, firstAbove, kindNumber, type Trace } from './trace.ts';

const MOST_LONGEST = 10;

const [OTHER, KERNEL, COPY, MEMSET, GRAPH, CALL] = (
  ['other', 'kernel', 'copy', 'memset', 'graph', 'call'] as const
).map(kindNumber);

/** Calls that come back when the GPU has done something. A copy that is not asynchronous is one. */
const WAITS = /synchronize|wait|query|memcpy(?!.*async)/i;

/** Disjoint stretches of time, ascending. */
interface Stretches {
  readonly start: Float64Array;
  readonly end: Float64Array;
}

function union(trace: Trace, tracks: readonly number[], accept: (span: number) => boolean): Stretches {
  const [start, end]: [number[], number[]] = [[], []];
  inOrder(trace, { tracks, accept }, (span) => {
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

/** Their parts within [from, to], in order. */
function* within({ start, end }: Stretches, from: number, to: number): Iterable<readonly [number, number]> {
  let next = firstAbove(end, from, 0, end.length);
  for (; next < start.length && (start[next] ?? 0) < to; next += 1) {
    yield [Math.max(from, start[next] ?? 0), Math.min(to, end[next] ?? 0)];
  }
}

/** Parts of [from, to] outside the stretches. */
function* without(stretches: Stretches, from: number, to: number): Iterable<readonly [number, number]> {
  let at = from;
  for (const [begin, end] of within(stretches, from, to)) {
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
  /** The kernel that ends it. */
  readonly next: number;
}

interface Around {
  readonly copies: Stretches;
  readonly waits: Stretches;
}

/** The innermost call that launched a span: of a runtime's and its driver's that which began last. */
function launchOf(trace: Trace, span: number): number | null {
  const all = launchersOf(trace.links, span);
  const later = (a: number, b: number): number => ((trace.start[b] ?? 0) >= (trace.start[a] ?? 0) ? b : a);
  return all.length === 0 ? null : all.reduce(later);
}

function* partsOf(trace: Trace, { start, end, next }: Gap, { copies, waits }: Around): Iterable<Part> {
  for (const [from, to] of within(copies, start, end)) yield { cause: 'copy', from, to };
  const launch = launchOf(trace, next);
  const launched = launch === null ? end : (trace.start[launch] ?? 0);
  const late = launch !== null && endOf(trace, launch) <= start ? 'queue' : 'launch';
  for (const [from, to] of without(copies, start, end)) {
    const until = Math.min(to, Math.max(from, launched));
    for (const [a, b] of within(waits, from, until)) yield { cause: 'wait', from: a, to: b };
    for (const [a, b] of without(waits, from, until)) {
      yield { cause: launch === null ? 'unknown' : 'host', from: a, to: b };
    }
    if (to > until) yield { cause: late, from: until, to };
  }
}

/** The innermost operation or call that a thread was in at a moment: of several threads' the one that began last. */
function hostAt(trace: Trace, at: number): string | null {
  let found: number | null = null;
  for (const [lane, { kind }] of trace.lanes.entries()) {
    if (kind !== 'thread' && kind !== 'api') continue;
    const span = spanAt(trace, lane, at);
    if (span === null || (trace.kind[span] !== OTHER && trace.kind[span] !== CALL)) continue;
    if (found === null || (trace.start[span] ?? 0) >= (trace.start[found] ?? 0)) found = span;
  }
  return found === null ? null : (trace.names[trace.nameOf[found] ?? 0] ?? null);
}

function described(trace: Trace, { start, end, next }: Gap, around: Around): IdleTime['longest'][number] {
  const parts = [...partsOf(trace, { start, end, next }, around)];
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
    host: largest === undefined ? null : hostAt(trace, (largest.from + largest.to) / 2),
  };
}

export function idleTime(trace: Trace): IdleTime | null {
  const { kind, nameOf } = trace;
  const tracks = trace.lanes.flatMap(tracksOf);
  const waiting = Uint8Array.from(trace.names, (name) => (WAITS.test(name) ? 1 : 0));
  const around: Around = {
    copies: union(trace, tracks, (span) => kind[span] === COPY || kind[span] === MEMSET),
    waits: union(trace, tracks, (span) => kind[span] === CALL && waiting[nameOf[span] ?? 0] === 1),
  };
  const sums = new Map(idleCauses.map((cause) => [cause, { cause, count: 0, sum_ns: 0 }]));
  const longest: Gap[] = [];
  let [first, until, kernels, count, sum_ns] = [0, Number.NEGATIVE_INFINITY, 0, 0, 0];
  inOrder(trace, { tracks, accept: (span) => kind[span] === KERNEL || kind[span] === GRAPH }, (span) => {
    const start = trace.start[span] ?? 0;
    if (kernels === 0) first = start;
    kernels += 1;
    if (start > until && until !== Number.NEGATIVE_INFINITY) {
      const gap = { start: until, end: start, next: span };
      count += 1;
      sum_ns += start - until;
      const here = new Set<IdleCause>();
      for (const { cause, from, to } of partsOf(trace, gap, around)) {
        const sum = sums.get(cause);
        if (sum === undefined) continue;
        sum.sum_ns += to - from;
        if (!here.has(cause)) sum.count += 1;
        here.add(cause);
      }
      longest.push(gap);
      if (longest.length >= 64 * MOST_LONGEST) keepLongest(longest);
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
    longest: longest.map((gap) => described(trace, gap, around)),
  };
}

function keepLongest(gaps: Gap[]): void {
  gaps.sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start);
  gaps.length = Math.min(gaps.length, MOST_LONGEST);
}
