/** The simulation's steps in time: what lets one scrubber move the timeline and the maps together. */
import { endOf, NO_STEP, spanCount, type Trace } from './trace.ts';

interface Steps {
  readonly step: Uint32Array;
  readonly start_ns: Float64Array;
  readonly end_ns: Float64Array;
}

/**
 * One row per step that spans name, ascending, from its first span's start to
 * its last one's end. Runs on the GPU name the first step of each batch: the
 * steps between two rows pass evenly in between.
 */
export function stepsOf(trace: Trace): Steps {
  const rows = new Map<number, { start: number; end: number }>();
  for (let span = 0; span < spanCount(trace); span += 1) {
    const step = trace.step[span] ?? NO_STEP;
    if (step === NO_STEP) continue;
    const [start, end] = [trace.start[span] ?? 0, endOf(trace, span)];
    const row = rows.get(step);
    if (row === undefined) rows.set(step, { start, end });
    else {
      row.start = Math.min(row.start, start);
      row.end = Math.max(row.end, end);
    }
  }
  const ordered = [...rows].sort(([a], [b]) => a - b);
  return {
    step: Uint32Array.from(ordered, ([step]) => step),
    start_ns: Float64Array.from(ordered, ([, { start }]) => start),
    end_ns: Float64Array.from(ordered, ([, { end }]) => end),
  };
}
