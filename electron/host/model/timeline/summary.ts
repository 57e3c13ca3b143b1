/**
 * What a trace says at a glance, for the ones of other programs too.
 *
 * Device time runs from the first launching call or device work to the end of
 * the last device work.
 */
import type { TraceSummary } from '../../../contract/timeline.ts';
import { busyTime } from './busy.ts';
import { deviceWork, isDeviceWork } from './device-work.ts';
import { hostTime } from './host-time.ts';
import { idleTime } from './idle-time.ts';
import { launchCalls } from './launch-calls.ts';
import { timesByName } from './statistics.ts';
import { spanCount, type Trace } from './trace.ts';

const TOP_KERNELS = 12;

export function traceSummary(trace: Trace): TraceSummary {
  const { kind, nameOf, duration, duration_ns } = trace;
  const calls = launchCalls(trace);
  const { kernels, kernels_ns, inGraphs, graphs_ns, copies, first_ns, last_ns } = deviceWork(trace, calls.ofGraph);
  const first = Math.min(calls.first_ns, first_ns);
  const device_ns = last_ns > first ? last_ns - first : null;
  const ofDevice = (ns: (from: number, to: number) => number): number | null =>
    device_ns === null ? null : ns(first, last_ns) / device_ns;
  const tracks = [...trace.laneOf.keys()];
  const working = ofDevice((from, to) => busyTime(trace, tracks, from, to, (span) => isDeviceWork(kind[span])).busy_ns);
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
    idleShare: working === null ? null : 1 - working,
    idle: idleTime(trace),
    host: hostTime(trace),
  };
}
