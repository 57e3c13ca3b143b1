/** A timeline as its opener is told of it. */
import type { TraceInfo } from '../../../contract/timeline.ts';
import { memoryOf, spanCount, type Trace } from './trace.ts';

export type Description = Omit<TraceInfo, 'id' | 'run'> & { readonly device: string | null };

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
    notes: [...notes],
    memory_bytes: memoryOf(trace),
  };
}
