/**
 * Simulation steps on a timeline: converts between time and step, and finds steps that were slower than 99 % of all
 * steps.
 */
import type { Result } from '../../../electron/contract/wire/methods.ts';

export type StepTable = Result<'timeline.steps'>;

/** Index of the last value at or below `limit`, or -1. */
function lastIndexAtOrBelow(values: ArrayLike<number>, limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) > limit) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

/**
 * Step at a moment of the trace; null outside the steps. If a row of the table contains several steps launched
 * together, the moment is interpolated.
 */
export function stepAt(table: StepTable, ns: number): number | null {
  const { step, start_ns, end_ns } = table;
  const row = lastIndexAtOrBelow(start_ns, ns);
  if (row < 0 || (row === step.length - 1 && ns > (end_ns[row] ?? 0))) return null;
  const [first, next] = [step[row] ?? 0, step[row + 1]];
  if (next === undefined || next <= first + 1) return first;
  const [from, to] = [start_ns[row] ?? 0, end_ns[row] ?? 0];
  const share = to > from ? Math.min(1, (ns - from) / (to - from)) : 0;
  return Math.min(next - 1, first + Math.floor(share * (next - first)));
}

/** Start time of a step in the trace; null if the table does not contain the step. */
export function timeOfStep(table: StepTable, wanted: number): number | null {
  const { step, start_ns, end_ns } = table;
  const row = lastIndexAtOrBelow(step, wanted);
  if (row < 0) return step.length === 0 ? null : (start_ns[0] ?? null);
  const [first, next] = [step[row] ?? 0, step[row + 1]];
  const [from, to] = [start_ns[row] ?? 0, end_ns[row] ?? 0];
  if (next === undefined || next <= first + 1) return from;
  return from + ((wanted - first) / (next - first)) * (to - from);
}

/** Index of the last keyframe at or before a step, or the first. */
export function keyframeAt(frames: readonly { readonly step: number }[], step: number): number {
  let found = 0;
  for (const [i, frame] of frames.entries()) if (frame.step <= step) found = i;
  return found;
}

const SHARE = 0.99;

interface SlowStep {
  readonly step: number;
  /** Number of steps that were launched together and share this time. */
  readonly steps: number;
  readonly from_ns: number;
  readonly to_ns: number;
  /** Mean time of one step. */
  readonly each_ns: number;
}

export interface SlowSteps {
  /** Number of evaluated launches. `leftOut` is the number of launches that were not evaluated. */
  readonly all: number;
  readonly leftOut: number;
  readonly p99_ns: number;
  readonly median_ns: number;
  /** Slow steps in order of time. */
  readonly slow: readonly SlowStep[];
}

/** Null if there are no steps. */
export function slowSteps({ step, start_ns, end_ns }: StepTable): SlowSteps | null {
  if (step.length === 0) return null;
  const rows = Array.from(step, (first, i): SlowStep => {
    const steps = Math.max(1, (step[i + 1] ?? first + 1) - first);
    const [from_ns, to_ns] = [start_ns[i] ?? 0, end_ns[i] ?? 0];
    return { step: first, steps, from_ns, to_ns, each_ns: (to_ns - from_ns) / steps };
  });
  // The number of steps in the last launch is unknown if launches contain several steps.
  const known = rows.length > 1 && (rows.at(-2)?.steps ?? 1) > 1 ? rows.slice(0, -1) : rows;
  const sorted = Float64Array.from(known, ({ each_ns }) => each_ns).sort();
  const quantile = (share: number): number => {
    const at = (sorted.length - 1) * share;
    const [below = 0, above = 0] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
    return below + (above - below) * (at - Math.floor(at));
  };
  const p99_ns = quantile(SHARE);
  return {
    ...{ all: known.length, leftOut: rows.length - known.length, p99_ns, median_ns: quantile(0.5) },
    slow: known.filter(({ each_ns }) => each_ns > p99_ns),
  };
}
