/** Times in which at least one span of several tracks ran, and the gaps between. */
import { endOf, spansWithin, type Trace } from './trace.ts';

export interface Busy {
  readonly busy_ns: number;
  /** Between the first and the last span, in order of time. */
  readonly gaps: Float64Array;
}

/** Within [from, to]. `accept`: which spans count. Each track is in order already, so this merges them. */
export function busyTime(
  trace: Trace,
  tracks: readonly number[],
  from: number,
  to: number,
  accept: (span: number) => boolean = () => true,
): Busy {
  const cursors = tracks.map((track) => {
    const [next, last] = spansWithin(trace, track, from, to);
    return { next, last };
  });
  const skip = (cursor: { next: number; last: number }): void => {
    while (cursor.next < cursor.last && !accept(cursor.next)) cursor.next += 1;
  };
  cursors.forEach(skip);
  let live = cursors.filter(({ next, last }) => next < last);
  const gaps: number[] = [];
  let busy_ns = 0;
  let until = Number.NEGATIVE_INFINITY;
  while (live.length > 0) {
    let first = live[0] as { next: number; last: number };
    for (const cursor of live) if ((trace.start[cursor.next] ?? 0) < (trace.start[first.next] ?? 0)) first = cursor;
    const begin = Math.max(from, trace.start[first.next] ?? 0);
    const end = Math.min(to, endOf(trace, first.next));
    if (begin > until) {
      if (until !== Number.NEGATIVE_INFINITY) gaps.push(begin - until);
      busy_ns += end - begin;
      until = end;
    } else if (end > until) {
      busy_ns += end - until;
      until = end;
    }
    first.next += 1;
    skip(first);
    if (first.next >= first.last) live = live.filter((cursor) => cursor !== first);
  }
  return { busy_ns, gaps: Float64Array.from(gaps) };
}

/** Median of numbers in any order, which are sorted in place; 0 without numbers. */
export function medianOf(values: Float64Array): number {
  if (values.length === 0) return 0;
  values.sort();
  const middle = values.length >>> 1;
  const upper = values[middle] ?? 0;
  return values.length % 2 === 1 ? upper : ((values[middle - 1] ?? 0) + upper) / 2;
}
