/**
 * Summary of a timeline of any program. Device time runs from the first launching call or device work to the end of the
 * last device work of any GPU.
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
