/** Steps of the simulation that took longer than 99 of a hundred. */
import type { StepTable } from '../steps.ts';

const SHARE = 0.99;

interface SlowStep {
  readonly step: number;
  /** Steps that were launched together stand for each other. */
  readonly steps: number;
  readonly from_ns: number;
  readonly to_ns: number;
  /** For one step. */
  readonly each_ns: number;
}

export interface SlowSteps {
  /** Launches of steps that are judged, and those that are not. */
  readonly all: number;
  readonly leftOut: number;
  readonly p99_ns: number;
  readonly median_ns: number;
  /** In order of time. */
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
  // If launches contain several steps, the number in the last launch is unknown.
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
