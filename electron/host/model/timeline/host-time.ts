/** Host time by operation and by thread, for our CPU runs and for traces of other programs. */
import type { HostOperation, HostTime, ThreadUse } from '../../../contract/timeline.ts';
import { inOrder, tracksOf } from './in-order.ts';
import { endOf, kindNumber, type Trace, type TraceLane } from './trace.ts';

const MOST_OPERATIONS = 40;
const MOST_CALLS = 20;
const MOST_PROCESSES = 16;
const MOST_THREADS = 64;

const [OTHER, CALL] = (['other', 'call'] as const).map(kindNumber);

/** Numbers by name; a lane's own are few, whatever the trace holds. */
interface OfName {
  count: number;
  sum_ns: number;
  own_ns: number;
}

interface LaneTimes {
  readonly lane: TraceLane;
  readonly byName: ReadonlyMap<number, OfName>;
  readonly busy_ns: number;
  readonly from_ns: number;
  readonly to_ns: number;
}

/** Calls are nested within their callers: a span that is open when another begins is its caller. */
function timesOf(trace: Trace, lane: TraceLane, kind: number | undefined): LaneTimes {
  const byName = new Map<number, OfName>();
  const open: { readonly name: number; readonly end: number; readonly of: OfName }[] = [];
  let [busy_ns, until, from_ns] = [0, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  inOrder(trace, { tracks: tracksOf(lane), accept: (span) => trace.kind[span] === kind }, (span) => {
    const [name, start, end] = [trace.nameOf[span] ?? 0, trace.start[span] ?? 0, endOf(trace, span)];
    while (open.length > 0 && (open.at(-1)?.end ?? 0) <= start) open.pop();
    const of = byName.get(name) ?? { count: 0, sum_ns: 0, own_ns: 0 };
    byName.set(name, of);
    of.count += 1;
    of.own_ns += end - start;
    if (!open.some((one) => one.name === name)) of.sum_ns += end - start;
    const caller = open.at(-1);
    if (caller !== undefined) caller.of.own_ns -= Math.min(end, caller.end) - start;
    open.push({ name, end, of });
    busy_ns += Math.max(0, end - Math.max(until, start));
    until = Math.max(until, end);
    from_ns = Math.min(from_ns, start);
  });
  return { lane, byName, busy_ns, from_ns, to_ns: until };
}

/** Largest value over the mean, less 1; 0 if all are equal. */
function imbalanceOf(values: readonly number[]): number | null {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return mean > 0 ? Math.max(...values) / mean - 1 : null;
}

const ownOf = (lane: LaneTimes, name: number): number => lane.byName.get(name)?.own_ns ?? 0;

function byProcess(lanes: readonly LaneTimes[]): ReadonlyMap<string, readonly LaneTimes[]> {
  const found = new Map<string, LaneTimes[]>();
  for (const one of lanes) {
    const list = found.get(one.lane.process);
    if (list === undefined) found.set(one.lane.process, [one]);
    else list.push(one);
  }
  return found;
}

/** That of the process in which the operation took most of its time. */
function operationImbalance(name: number, processes: readonly (readonly LaneTimes[])[]): number | null {
  const times = processes.map((lanes) => lanes.map((lane) => ownOf(lane, name)));
  const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
  const [most] = times.toSorted((a, b) => total(b) - total(a));
  if (most === undefined || most.filter((value) => value > 0).length < 2) return null;
  return imbalanceOf(most);
}

function operationsOf(trace: Trace, lanes: readonly LaneTimes[], most: number): readonly HostOperation[] {
  const sums = new Map<number, OfName & { threads: number }>();
  for (const { byName } of lanes) {
    for (const [name, { count, sum_ns, own_ns }] of byName) {
      const sum = sums.get(name) ?? { count: 0, sum_ns: 0, own_ns: 0, threads: 0 };
      sums.set(name, sum);
      sum.count += count;
      sum.sum_ns += sum_ns;
      sum.own_ns += own_ns;
      sum.threads += 1;
    }
  }
  const total = [...sums.values()].reduce((sum, { own_ns }) => sum + own_ns, 0);
  const processes = [...byProcess(lanes).values()];
  return [...sums]
    .sort(([, a], [, b]) => b.own_ns - a.own_ns)
    .slice(0, most)
    .map(([name, sum]) => ({
      name: trace.names[name] ?? '',
      ...sum,
      share: total > 0 ? sum.own_ns / total : null,
      imbalance: operationImbalance(name, processes),
    }));
}

/** Work of a single thread, such as a set-up, is not imbalance: the other threads have no share in it. */
function sharedTimes(lanes: readonly LaneTimes[]): readonly number[] {
  const threads = new Map<number, number>();
  for (const { byName } of lanes) for (const name of byName.keys()) threads.set(name, (threads.get(name) ?? 0) + 1);
  const shared = [...threads].filter(([, count]) => count > 1).map(([name]) => name);
  return lanes.map((lane) => shared.reduce((sum, name) => sum + ownOf(lane, name), 0));
}

function useOf(process: string, lanes: readonly LaneTimes[]): ThreadUse {
  const from = Math.min(...lanes.map(({ from_ns }) => from_ns));
  const extent_ns = Math.max(...lanes.map(({ to_ns }) => to_ns)) - from;
  const shareOf = (busy: number): number | null => (extent_ns > 0 ? busy / extent_ns : null);
  const busy = lanes.reduce((sum, { busy_ns }) => sum + busy_ns, 0);
  return {
    process,
    extent_ns,
    busyShare: shareOf(busy / lanes.length),
    imbalance: lanes.length < 2 ? null : imbalanceOf(sharedTimes(lanes)),
    threads: lanes
      .slice(0, MOST_THREADS)
      .map(({ lane, busy_ns }) => ({ name: lane.name, busy_ns, share: shareOf(busy_ns) })),
    threadCount: lanes.length,
  };
}

export function hostTime(trace: Trace): HostTime {
  const timed = (lane: TraceLane, kind: number | undefined): readonly LaneTimes[] => {
    const times = timesOf(trace, lane, kind);
    // A lane without any span is a thread that had nothing to do.
    const empty = trace.offsets[lane.firstTrack] === trace.offsets[lane.firstTrack + lane.tracks];
    return times.byName.size > 0 || empty ? [times] : [];
  };
  const threads = trace.lanes.filter(({ kind }) => kind === 'thread').flatMap((lane) => timed(lane, OTHER));
  const apis = trace.lanes.filter(({ kind }) => kind === 'api').flatMap((lane) => timed(lane, CALL));
  const processes = [...byProcess(threads)].map(([process, lanes]) => useOf(process, lanes));
  return {
    operations: [...operationsOf(trace, threads, MOST_OPERATIONS)],
    operationCount: new Set(threads.flatMap(({ byName }) => [...byName.keys()])).size,
    calls: [...operationsOf(trace, apis, MOST_CALLS)],
    processes: processes.slice(0, MOST_PROCESSES),
  };
}
