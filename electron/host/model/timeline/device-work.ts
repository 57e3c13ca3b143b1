/** Kernels, copies and graphs that a device worked on. */
import { type SpanArguments, spanArguments } from './details.ts';
import { launchersOf } from './links.ts';
import { endOf, kindNumber, spanCount, type Trace } from './trace.ts';

const [KERNEL, COPY, MEMSET, GRAPH] = (['kernel', 'copy', 'memset', 'graph'] as const).map(kindNumber);

export const isDeviceWork = (kind: number | undefined): boolean =>
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
export function deviceWork(trace: Trace, launchesGraph: (span: number) => boolean): DeviceWork {
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
