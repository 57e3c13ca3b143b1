/** A timeline as its opener lists it. */
import type { TraceInfo } from '../../../contract/timeline.ts';
import { kindOf, memoryOf, spanCount, type Trace } from './trace.ts';

export type Description = Omit<TraceInfo, 'id' | 'run'> & { readonly device: string | null };

function firstKernel(trace: Trace): number | null {
  let first: number | null = null;
  for (let span = 0; span < spanCount(trace); span += 1) {
    const kind = kindOf(trace, span);
    if (kind !== 'kernel' && kind !== 'graph') continue;
    const start = trace.start[span] ?? 0;
    if (first === null || start < first) first = start;
  }
  return first;
}

export function describe(trace: Trace): Description {
  const { name, source, about, device, duration_ns, notes } = trace;
  return {
    name,
    source,
    about,
    device,
    duration_ns,
    spans: spanCount(trace),
    lanes: trace.lanes.map(({ process, name: lane, kind, firstTrack, tracks }) => ({
      process,
      name: lane,
      kind,
      firstTrack,
      tracks,
      spans: (trace.offsets[firstTrack + tracks] ?? 0) - (trace.offsets[firstTrack] ?? 0),
    })),
    firstKernel_ns: firstKernel(trace),
    notes: [...notes],
    memory_bytes: memoryOf(trace),
  };
}
