/**
 * Summary of a timeline of any program. Device time runs from the first launching call or device work to the end of the
 * last device work of any GPU.
 */
import type { TraceSummary } from '../../../contract/timeline.ts';
import { busyTime } from './busy.ts';
import { type SpanArguments, spanArguments } from './details.ts';
import { hostTime } from './host-time.ts';
import { idleTime } from './idle-time.ts';
import { tracksOf } from './in-order.ts';
import { launchersOf } from './links.ts';
import { timesByName } from './statistics.ts';
import { endOf, kindNumber, spanCount, type Trace } from './trace.ts';

/** Kernels, copies and graphs that a device worked on. */
const [KERNEL, COPY, MEMSET, GRAPH] = (['kernel', 'copy', 'memset', 'graph'] as const).map(kindNumber);

const isDeviceWork = (kind: number | undefined): boolean =>
  kind === KERNEL || kind === COPY || kind === MEMSET || kind === GRAPH;

interface DeviceWork {
  /** Spans of kernels. */
  readonly kernels: Uint32Array;
  readonly kernels_ns: number;
  /** Kernels of graphs that were recorded kernel by kernel. */
  readonly inGraphs: Readonly<{ count: number; sum_ns: number }>;
  /** Graphs that were recorded whole, which have no kernels of their own in the trace. */
  readonly graphs_ns: number;
  readonly copies: Readonly<{ count: number; sum_ns: number; bytes: number }>;
  /** Infinite without any. */
  readonly first_ns: number;
  readonly last_ns: number;
}

const isOfGraph = ({ graph, graphNode }: SpanArguments): boolean => (graph ?? 0) !== 0 || (graphNode ?? 0) !== 0;

/** `launchesGraph`: whether a span is a call that launches a graph. */
function deviceWork(trace: Trace, launchesGraph: (span: number) => boolean): DeviceWork {
  const { kind, duration, start, detailOf, links } = trace;
  const details = trace.details.map(spanArguments);
  const ofGraph = details.map(isOfGraph);
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

/** Calls that launch: those of the runtime or driver whose name says Launch. */
const CALL = kindNumber('call');

interface LaunchCalls {
  readonly count: number;
  readonly sum_ns: number;
  /** Those that launch a graph. */
  readonly graphs: number;
  /** Start of the first; infinite without one. */
  readonly first_ns: number;
  readonly ofGraph: (span: number) => boolean;
  /** Time in which at least one thread was in one: a runtime call and the driver's within it count once. */
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
  const lanes = trace.lanes.flatMap(tracksOf);
  return { ...sum, ofGraph, within_ns: (from, to) => busyTime(trace, lanes, from, to, isLaunch).busy_ns };
}

const TOP_KERNELS = 12;

/** Tracks with device work by GPU. The variants that a run of ours measured share one GPU. */
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
