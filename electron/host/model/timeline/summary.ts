/**
 * Summary of the timeline of any program. Device time begins with the first launching call or device work, and ends
 * with the last device work on any GPU. Host time is listed by operation and by thread, for our CPU runs and for traces
 * of other programs.
 */
import type { HostOperation, HostTime, ThreadUse, TraceSummary } from '../../../contract/timeline.ts';
import { type SpanArguments, spanArguments } from './details.ts';
import { busyTime, idleTime, laneTracks, timesByName, visitInOrder } from './idle-time.ts';
import { endOf, kindNumber, launchersOf, spanCount, type Trace, type TraceLane } from './trace.ts';

const MAX_OPERATIONS = 40;
const MAX_CALLS = 20;
const MAX_PROCESSES = 16;
const MAX_THREADS = 64;

const [OTHER, HOST_TIME_CALL] = (['other', 'call'] as const).map(kindNumber);

/** Times of all spans with one name. A lane has few different names, however large the trace is. */
interface NameTimes {
  count: number;
  sum_ns: number;
  own_ns: number;
}

interface LaneTimes {
  readonly lane: TraceLane;
  readonly byName: ReadonlyMap<number, NameTimes>;
  readonly busy_ns: number;
  readonly from_ns: number;
  readonly to_ns: number;
}

/**
 * Times of the spans in a lane, by name. Spans are nested like calls: the caller of a span is the span that is open
 * when it begins.
 */
function laneTimes(trace: Trace, lane: TraceLane, kind: number | undefined): LaneTimes {
  const byName = new Map<number, NameTimes>();
  const open: { readonly name: number; readonly end: number; readonly of: NameTimes }[] = [];
  let [busy_ns, until, from_ns] = [0, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  visitInOrder(trace, { tracks: laneTracks(lane), accept: (span) => trace.kind[span] === kind }, (span) => {
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

/** Imbalance of values: the largest divided by the mean, minus 1. It is 0 if all are equal. */
function relativeImbalance(values: readonly number[]): number | null {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return mean > 0 ? Math.max(...values) / mean - 1 : null;
}

const ownTime_ns = (lane: LaneTimes, name: number): number => lane.byName.get(name)?.own_ns ?? 0;

function groupByProcess(lanes: readonly LaneTimes[]): ReadonlyMap<string, readonly LaneTimes[]> {
  const found = new Map<string, LaneTimes[]>();
  for (const one of lanes) {
    const list = found.get(one.lane.process);
    if (list === undefined) found.set(one.lane.process, [one]);
    else list.push(one);
  }
  return found;
}

/** Imbalance of an operation between threads, in the process in which it needed most time. */
function operationImbalance(name: number, processes: readonly (readonly LaneTimes[])[]): number | null {
  const times = processes.map((lanes) => lanes.map((lane) => ownTime_ns(lane, name)));
  const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
  const [most] = times.toSorted((a, b) => total(b) - total(a));
  if (most === undefined || most.filter((value) => value > 0).length < 2) return null;
  return relativeImbalance(most);
}

function operationsOf(trace: Trace, lanes: readonly LaneTimes[], most: number): readonly HostOperation[] {
  const sums = new Map<number, NameTimes & { threads: number }>();
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
  const processes = [...groupByProcess(lanes).values()];
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

/**
 * Times of the operations that at least two threads share. Work of a single thread, such as a set-up, is not counted as
 * imbalance.
 */
function sharedTimes(lanes: readonly LaneTimes[]): readonly number[] {
  const threads = new Map<number, number>();
  for (const { byName } of lanes) for (const name of byName.keys()) threads.set(name, (threads.get(name) ?? 0) + 1);
  const shared = [...threads].filter(([, count]) => count > 1).map(([name]) => name);
  return lanes.map((lane) => shared.reduce((sum, name) => sum + ownTime_ns(lane, name), 0));
}

function threadUse(process: string, lanes: readonly LaneTimes[]): ThreadUse {
  const from = Math.min(...lanes.map(({ from_ns }) => from_ns));
  const extent_ns = Math.max(...lanes.map(({ to_ns }) => to_ns)) - from;
  const shareOf = (busy: number): number | null => (extent_ns > 0 ? busy / extent_ns : null);
  const busy = lanes.reduce((sum, { busy_ns }) => sum + busy_ns, 0);
  return {
    process,
    extent_ns,
    busyShare: shareOf(busy / lanes.length),
    imbalance: lanes.length < 2 ? null : relativeImbalance(sharedTimes(lanes)),
    threads: lanes
      .slice(0, MAX_THREADS)
      .map(({ lane, busy_ns }) => ({ name: lane.name, busy_ns, share: shareOf(busy_ns) })),
    threadCount: lanes.length,
  };
}

export function hostTime(trace: Trace): HostTime {
  const timed = (lane: TraceLane, kind: number | undefined): readonly LaneTimes[] => {
    const times = laneTimes(trace, lane, kind);
    // A lane without spans belongs to an idle thread.
    const empty = trace.offsets[lane.firstTrack] === trace.offsets[lane.firstTrack + lane.tracks];
    return times.byName.size > 0 || empty ? [times] : [];
  };
  const threads = trace.lanes.filter(({ kind }) => kind === 'thread').flatMap((lane) => timed(lane, OTHER));
  const apis = trace.lanes.filter(({ kind }) => kind === 'api').flatMap((lane) => timed(lane, HOST_TIME_CALL));
  const processes = [...groupByProcess(threads)].map(([process, lanes]) => threadUse(process, lanes));
  return {
    operations: [...operationsOf(trace, threads, MAX_OPERATIONS)],
    operationCount: new Set(threads.flatMap(({ byName }) => [...byName.keys()])).size,
    calls: [...operationsOf(trace, apis, MAX_CALLS)],
    processes: processes.slice(0, MAX_PROCESSES),
  };
}

/** Numbers of the kinds of device work. */
const [KERNEL, COPY, MEMSET, GRAPH] = (['kernel', 'copy', 'memset', 'graph'] as const).map(kindNumber);

const isDeviceWork = (kind: number | undefined): boolean =>
  kind === KERNEL || kind === COPY || kind === MEMSET || kind === GRAPH;

interface DeviceWork {
  /** Indices of the spans of kernels. */
  readonly kernels: Uint32Array;
  readonly kernels_ns: number;
  /** Number and total time of kernels in graphs, if the recording contains each node of a graph. */
  readonly inGraphs: Readonly<{ count: number; sum_ns: number }>;
  /** Total time of graphs that were recorded as a whole, without their nodes. */
  readonly graphs_ns: number;
  readonly copies: Readonly<{ count: number; sum_ns: number; bytes: number }>;
  /** Start of the first device work; infinite if there is none. */
  readonly first_ns: number;
  readonly last_ns: number;
}

const isInGraph = ({ graph, graphNode }: SpanArguments): boolean => (graph ?? 0) !== 0 || (graphNode ?? 0) !== 0;

/** Sums up the device work of a trace. `launchesGraph` returns whether a span is a call that launches a graph. */
function deviceWork(trace: Trace, launchesGraph: (span: number) => boolean): DeviceWork {
  const { kind, duration, start, detailOf, links } = trace;
  const details = trace.details.map(spanArguments);
  const ofGraph = details.map(isInGraph);
  const kernels: number[] = [];
  const copies = { count: 0, sum_ns: 0, bytes: 0 };
  const inGraphs = { count: 0, sum_ns: 0 };
  let [kernels_ns, graphs_ns] = [0, 0];
  let [first_ns, last_ns] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let span = 0; span < spanCount(trace); span += 1) {
    const [what, length, detail] = [kind[span], duration[span] ?? 0, detailOf[span] ?? 0];
    if (!isDeviceWork(what)) continue;
    first_ns = Math.min(first_ns, start[span] ?? 0);
    last_ns = Math.max(last_ns, endOf(trace, span));
    if (what === GRAPH) graphs_ns += length;
    else if (what === KERNEL) {
      kernels.push(span);
      kernels_ns += length;
      if (ofGraph[detail] !== true && !launchersOf(links, span).some(launchesGraph)) continue;
      inGraphs.count += 1;
      inGraphs.sum_ns += length;
    } else {
      copies.count += 1;
      copies.sum_ns += length;
      copies.bytes += details[detail]?.bytes ?? 0;
    }
  }
  return { kernels: Uint32Array.from(kernels), kernels_ns, inGraphs, graphs_ns, copies, first_ns, last_ns };
}

/** Number of the kind of calls. Calls that launch work are those with `Launch` in their names. */
const CALL = kindNumber('call');

interface LaunchCalls {
  readonly count: number;
  readonly sum_ns: number;
  /** Number of calls that launch graphs. */
  readonly graphs: number;
  /** Start of the first launching call; infinite if there is none. */
  readonly first_ns: number;
  readonly ofGraph: (span: number) => boolean;
  /**
   * Time in a range during which at least one thread was in a launching call. A runtime call and the driver call within
   * it are counted once.
   */
  readonly within_ns: (from_ns: number, to_ns: number) => number;
}

function launchCalls(trace: Trace): LaunchCalls {
  const { kind, nameOf, names, duration, start } = trace;
  const named = (words: RegExp): ((span: number) => boolean) => {
    const known = Uint8Array.from(names, (name) => (words.test(name) ? 1 : 0));
    return (span) => known[nameOf[span] ?? 0] === 1;
  };
  const [launches, ofGraph] = [named(/launch/i), named(/graphlaunch/i)];
  const isLaunch = (span: number): boolean => kind[span] === CALL && launches(span);
  const sum = { count: 0, sum_ns: 0, graphs: 0, first_ns: Number.POSITIVE_INFINITY };
  for (let span = 0; span < spanCount(trace); span += 1) {
    if (!isLaunch(span)) continue;
    sum.count += 1;
    sum.sum_ns += duration[span] ?? 0;
    if (ofGraph(span)) sum.graphs += 1;
    sum.first_ns = Math.min(sum.first_ns, start[span] ?? 0);
  }
  const lanes = trace.lanes.flatMap(laneTracks);
  return { ...sum, ofGraph, within_ns: (from, to) => busyTime(trace, lanes, from, to, isLaunch).busy_ns };
}

const TOP_KERNELS = 12;

/** Tracks with device work, by GPU. In our own sessions all variants use the same GPU. */
function tracksByGpu({ source, lanes, laneOf, offsets, kind }: Trace): ReadonlyMap<string, readonly number[]> {
  const gpus = new Map<string, number[]>();
  for (const [track, lane] of laneOf.entries()) {
    if (!kind.subarray(offsets[track], offsets[track + 1]).some(isDeviceWork)) continue;
    const gpu = source === 'run' ? '' : (lanes[lane]?.process ?? '');
    gpus.set(gpu, [...(gpus.get(gpu) ?? []), track]);
  }
  return gpus;
}

export function traceSummary(trace: Trace): TraceSummary {
  const { kind, nameOf, duration, duration_ns } = trace;
  const calls = launchCalls(trace);
  const { kernels, kernels_ns, inGraphs, graphs_ns, copies, first_ns, last_ns } = deviceWork(trace, calls.ofGraph);
  const first = Math.min(calls.first_ns, first_ns);
  const device_ns = last_ns > first ? last_ns - first : null;
  const ofDevice = (ns: (from: number, to: number) => number): number | null =>
    device_ns === null ? null : ns(first, last_ns) / device_ns;
  const gpus = [...tracksByGpu(trace)].flatMap(([gpu, tracks]) => {
    const share = ofDevice((from, to) => busyTime(trace, tracks, from, to, (span) => isDeviceWork(kind[span])).busy_ns);
    return share === null ? [] : [{ name: gpu || (trace.device ?? 'GPU'), idleShare: 1 - share }];
  });
  const work_ns = kernels_ns + graphs_ns;
  return {
    duration_ns,
    spans: spanCount(trace),
    device_ns,
    kernels: {
      count: kernels.length,
      unique: new Set(Array.from(kernels, (span) => nameOf[span])).size,
      sum_ns: kernels_ns,
      top: [...timesByName(trace, kernels, (span) => duration[span] ?? 0, TOP_KERNELS)],
    },
    copies,
    graphs: {
      launches: calls.graphs,
      kernels: inGraphs.count,
      share: work_ns > 0 ? (inGraphs.sum_ns + graphs_ns) / work_ns : null,
    },
    launches: { count: calls.count, sum_ns: calls.sum_ns, share: ofDevice(calls.within_ns) },
    idleShare: gpus.length === 0 ? null : gpus.reduce((sum, { idleShare }) => sum + idleShare, 0) / gpus.length,
    gpus,
    idle: idleTime(trace),
    host: hostTime(trace),
  };
}
