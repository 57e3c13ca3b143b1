/**
 * What a trace says at a glance, for the ones of other programs too.
 *
 * Device time runs from the first launching call or device work to the end of
 * the last device work. Launching calls are those of the runtime or driver
 * whose name says Launch.
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

const TOP_KERNELS = 12;

const [KERNEL, COPY, MEMSET, GRAPH, CALL] = (['kernel', 'copy', 'memset', 'graph', 'call'] as const).map(kindNumber);

const isDeviceWork = (kind: number | undefined): boolean =>
  kind === KERNEL || kind === COPY || kind === MEMSET || kind === GRAPH;

export function traceSummary(trace: Trace): TraceSummary {
  const { kind, nameOf, names, duration, start } = trace;
  const launchNames = Uint8Array.from(names, (name) => (/launch/i.test(name) ? 1 : 0));
  const graphNames = Uint8Array.from(names, (name) => (/graphlaunch/i.test(name) ? 1 : 0));
  const ofGraph = trace.details.map((detail) => isOfGraph(spanArguments(detail)));
  const bytesOf = trace.details.map((detail) => spanArguments(detail).bytes ?? 0);

  const kernels: number[] = [];
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const copies = { count: 0, sum_ns: 0, bytes: 0 };
  const launches = { count: 0, sum_ns: 0 };
  const graphs = { launches: 0, kernels: 0 };
  const time = { kernels: 0, inGraphs: 0, graphs: 0 };
  for (let span = 0; span < spanCount(trace); span += 1) {
    const [what, length, name] = [kind[span], duration[span] ?? 0, nameOf[span] ?? 0];
    if (what === CALL && launchNames[name] === 1) {
      launches.count += 1;
      launches.sum_ns += length;
      if (graphNames[name] === 1) graphs.launches += 1;
      first = Math.min(first, start[span] ?? 0);
    }
    if (!isDeviceWork(what)) continue;
    first = Math.min(first, start[span] ?? 0);
    last = Math.max(last, endOf(trace, span));
    if (what === COPY || what === MEMSET) {
      copies.count += 1;
      copies.sum_ns += length;
      copies.bytes += bytesOf[trace.detailOf[span] ?? 0] ?? 0;
    } else if (what === KERNEL) {
      kernels.push(span);
      time.kernels += length;
      const replayed =
        ofGraph[trace.detailOf[span] ?? 0] === true ||
        launchersOf(trace.links, span).some((by) => graphNames[nameOf[by] ?? 0] === 1);
      if (!replayed) continue;
      graphs.kernels += 1;
      time.inGraphs += length;
    } else time.graphs += length;
  }
  const device_ns = last > first ? last - first : null;
  const all = Uint32Array.from(kernels);
  // A graph that was recorded whole has no kernels of its own in the trace.
  const work = time.kernels + time.graphs;
  const tracks = [...trace.laneOf.keys()];
  const idle =
    device_ns === null
      ? null
      : 1 - busyTime(trace, tracks, first, last, (span) => isDeviceWork(kind[span])).busy_ns / device_ns;
  return {
    duration_ns: trace.duration_ns,
    spans: spanCount(trace),
    device_ns,
    kernels: {
      count: all.length,
      unique: new Set(Array.from(all, (span) => nameOf[span])).size,
      sum_ns: time.kernels,
      top: [...timesByName(trace, all, (span) => duration[span] ?? 0, TOP_KERNELS)],
    },
    copies,
    graphs: { ...graphs, share: work > 0 ? (time.inGraphs + time.graphs) / work : null },
    launches: {
      ...launches,
      share: device_ns === null ? null : launchTime(trace, launchNames, first, last) / device_ns,
    },
    idleShare: idle,
    idle: idleTime(trace),
    host: hostTime(trace),
  };
}

const isOfGraph = ({ graph, graphNode }: SpanArguments): boolean => (graph ?? 0) !== 0 || (graphNode ?? 0) !== 0;

/** Time in which at least one thread was in a launching call: a runtime call and the driver's within it count once. */
function launchTime(trace: Trace, launchNames: Uint8Array, from: number, to: number): number {
  const lanes = trace.lanes.flatMap(tracksOf);
  const launching = (span: number): boolean => trace.kind[span] === CALL && launchNames[trace.nameOf[span] ?? 0] === 1;
  return busyTime(trace, lanes, from, to, launching).busy_ns;
}
