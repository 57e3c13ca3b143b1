/** The simulation's steps on a timeline: from a moment to a step, and back. */
import type { Result } from '../../../electron/contract/wire/methods.ts';

export type StepTable = Result<'timeline.steps'>;

/** Index of the last value at or below `limit`, or -1. */
function lastAt(values: ArrayLike<number>, limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) > limit) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

/**
 * The step at a moment of the trace; null outside the steps. A row of the
 * table may stand for several steps that were launched together: they pass
 * evenly in it.
 */
export function stepAt(table: StepTable, ns: number): number | null {
  const { step, start_ns, end_ns } = table;
  const row = lastAt(start_ns, ns);
  if (row < 0 || (row === step.length - 1 && ns > (end_ns[row] ?? 0))) return null;
  const [first, next] = [step[row] ?? 0, step[row + 1]];
  if (next === undefined || next <= first + 1) return first;
  const [from, to] = [start_ns[row] ?? 0, end_ns[row] ?? 0];
  const share = to > from ? Math.min(1, (ns - from) / (to - from)) : 0;
  return Math.min(next - 1, first + Math.floor(share * (next - first)));
}

/** When a step begins in the trace; null when the table has none. */
export function timeOfStep(table: StepTable, wanted: number): number | null {
  const { step, start_ns, end_ns } = table;
  const row = lastAt(step, wanted);
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
