/** Spans by a part of their name. */
import { spanCount, type Trace, trackOf } from './trace.ts';

interface Found {
  readonly count: number;
  readonly names: number;
  readonly sum_ns: number;
  readonly span: Uint32Array;
  readonly track: Uint32Array;
  readonly start_ns: Float64Array;
}

/** The first `limit` in order of time; count, names and sum are of all. */
export function searchTrace(trace: Trace, text: string, limit: number): Found {
  const wanted = text.toLowerCase();
  const matches = Uint8Array.from(trace.names, (name) => (name.toLowerCase().includes(wanted) ? 1 : 0));
  const found: number[] = [];
  let sum_ns = 0;
  for (let span = 0; span < spanCount(trace); span += 1) {
    if (matches[trace.nameOf[span] ?? 0] === 0) continue;
    found.push(span);
    sum_ns += trace.duration[span] ?? 0;
  }
  const inTime = Uint32Array.from(found).sort((a, b) => (trace.start[a] ?? 0) - (trace.start[b] ?? 0));
  const span = inTime.slice(0, limit);
  return {
    count: found.length,
    names: matches.reduce((sum, one) => sum + one, 0),
    sum_ns,
    span,
    track: Uint32Array.from(span, (each) => trackOf(trace, each)),
    start_ns: Float64Array.from(span, (each) => trace.start[each] ?? 0),
  };
}
