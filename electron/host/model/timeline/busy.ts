/** Times in which at least one span of several tracks ran, and the gaps between. */
import { inOrder } from './in-order.ts';
import { endOf, type Trace } from './trace.ts';

interface Busy {
  readonly busy_ns: number;
  /** Between the first and the last span, in order of time. */
  readonly gaps: Float64Array;
}

/** Within [from, to]. `accept`: which spans count. */
export function busyTime(
  trace: Trace,
  tracks: readonly number[],
  from: number,
  to: number,
  accept: (span: number) => boolean = () => true,
): Busy {
  const gaps: number[] = [];
  let busy_ns = 0;
  let until = Number.NEGATIVE_INFINITY;
  inOrder(trace, { tracks, from, to, accept }, (span) => {
    const begin = Math.max(from, trace.start[span] ?? 0);
    const end = Math.min(to, endOf(trace, span));
    if (begin > until) {
      if (until !== Number.NEGATIVE_INFINITY) gaps.push(begin - until);
      busy_ns += end - begin;
      until = end;
    } else if (end > until) {
      busy_ns += end - until;
      until = end;
    }
  });
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
