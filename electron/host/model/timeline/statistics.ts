/** Statistics of a selection: number of spans, their durations, and the time without any. */
import type { NamedTime, TimelineStatistics } from '../../../contract/timeline.ts';
import { busyTime, medianOf } from './busy.ts';
import { endOf, spansWithin, type Trace } from './trace.ts';

interface Selection {
  readonly from_ns: number;
  readonly to_ns: number;
  /** Null if all tracks are selected. */
  readonly tracks: readonly number[] | null;
  /** Null if any name matches. */
  readonly name: string | null;
}

/** Names that are listed; the rest is in the sums. */
const MOST_NAMES = 200;

const P95 = 0.95;

/** Summary of durations, which are sorted in place. */
function spread(durations: Float64Array): Pick<NamedTime, 'median_ns' | 'min_ns' | 'mean_ns' | 'p95_ns'> & {
  readonly max_ns: number;
} {
  const median_ns = medianOf(durations);
  // Sorted by the median.
  const at = (durations.length - 1) * P95;
  const [below = 0, above = 0] = [durations[Math.floor(at)], durations[Math.ceil(at)]];
  const sum = durations.reduce((total, one) => total + one, 0);
  return {
    ...{ median_ns, min_ns: durations[0] ?? 0, max_ns: durations.at(-1) ?? 0 },
    mean_ns: durations.length === 0 ? 0 : sum / durations.length,
    p95_ns: below + (above - below) * (at - Math.floor(at)),
  };
}

/** Times by name, the largest sum first. `within` gives the part of a span that counts. */
export function timesByName(
  trace: Trace,
  spans: Uint32Array,
  within: (span: number) => number,
  most: number,
): readonly NamedTime[] {
  const byName = new Map<number, number[]>();
  for (const span of spans) {
    const name = trace.nameOf[span] ?? 0;
    const list = byName.get(name);
    if (list === undefined) byName.set(name, [span]);
    else list.push(span);
  }
  let total = 0;
  const rows = [...byName].map(([name, list]) => {
    const sum_ns = list.reduce((sum, span) => sum + within(span), 0);
    total += sum_ns;
    return { name, list, sum_ns };
  });
  return rows
    .sort((a, b) => b.sum_ns - a.sum_ns)
    .slice(0, most)
    .map(({ name, list, sum_ns }) => {
      const { max_ns: _, ...told } = spread(Float64Array.from(list, (span) => trace.duration[span] ?? 0));
      const share = total > 0 ? sum_ns / total : null;
      return { name: trace.names[name] ?? '', count: list.length, sum_ns, ...told, share };
    });
}

export function selectionStatistics(trace: Trace, selection: Selection): TimelineStatistics {
  const { from_ns, to_ns } = selection;
  const tracks = selection.tracks ?? [...trace.laneOf.keys()];
  const name = selection.name === null ? null : trace.names.indexOf(selection.name);
  const accept = (span: number): boolean => name === null || trace.nameOf[span] === name;
  const found: number[] = [];
  for (const track of tracks) {
    const [first, last] = spansWithin(trace, track, from_ns, to_ns);
    for (let span = first; span < last; span += 1) if (accept(span)) found.push(span);
  }
  const spans = Uint32Array.from(found);
  const within = (span: number): number =>
    Math.max(0, Math.min(to_ns, endOf(trace, span)) - Math.max(from_ns, trace.start[span] ?? 0));
  const durations = Float64Array.from(spans, (span) => trace.duration[span] ?? 0);
  const { busy_ns, gaps } = busyTime(trace, tracks, from_ns, to_ns, accept);
  const longest = gaps.reduce((most, gap) => Math.max(most, gap), 0);
  return {
    from_ns,
    to_ns,
    count: spans.length,
    sum_ns: spans.reduce((sum, span) => sum + within(span), 0),
    ...spread(durations),
    busyShare: to_ns > from_ns ? busy_ns / (to_ns - from_ns) : null,
    gaps: {
      count: gaps.length,
      sum_ns: gaps.reduce((sum, gap) => sum + gap, 0),
      longest_ns: longest,
      median_ns: medianOf(gaps),
    },
    names: [...timesByName(trace, spans, within, MOST_NAMES)],
  };
}
