/** Calls that launch: those of the runtime or driver whose name says Launch. */
import { busyTime } from './busy.ts';
import { tracksOf } from './in-order.ts';
import { kindNumber, spanCount, type Trace } from './trace.ts';

const CALL = kindNumber('call');

interface LaunchCalls {
  readonly count: number;
  readonly sum_ns: number;
  /** Those that launch a graph. */
  readonly graphs: number;
  /** Start of the first; infinite without one. */
  readonly first_ns: number;
  readonly ofGraph: (span: number) => boolean;
  /** Time in which at least one thread was in one: a runtime call and the driver's within it count once. */
  readonly within_ns: (from_ns: number, to_ns: number) => number;
}

export function launchCalls(trace: Trace): LaunchCalls {
  const { kind, nameOf, names, duration, start } = trace;
  const named = (words: RegExp): ((span: number) => boolean) => {
    const known = Uint8Array.from(names, (name) => (words.test(name) ? 1 : 0));
    return (span) => known[nameOf[span] ?? 0] === 1;
  };
  const [launches, ofGraph] = [named(/launch/i), named(/graphlaunch/i)];
  const isLaunch = (span: number): boolean => kind[span] === CALL && launches(span);
  const sum = { count: 0, sum_ns: 0, graphs: 0, first_ns: Number.POSITIVE_INFINITY };
  for (let span = 0; span < spanCount(trace); span += 1) {
    if (!isLaunch(span)) continue;
    sum.count += 1;
    sum.sum_ns += duration[span] ?? 0;
    if (ofGraph(span)) sum.graphs += 1;
    sum.first_ns = Math.min(sum.first_ns, start[span] ?? 0);
  }
  const lanes = trace.lanes.flatMap(tracksOf);
  return { ...sum, ofGraph, within_ns: (from, to) => busyTime(trace, lanes, from, to, isLaunch).busy_ns };
}
