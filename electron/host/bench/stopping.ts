/** When a benchmark has measured enough. */
import { type Interval, relativeSpread } from './statistics.ts';

/** `narrow`: every ratio is known to 1 %. `settled`: more rounds no longer change the noise. The others: a limit was met. */
export type StopReason = 'narrow' | 'settled' | 'time' | 'rounds' | 'cancelled';

export interface StoppingLimits {
  /** No interval is trusted before this many rounds. */
  readonly fewestRounds: number;
  readonly mostRounds: number;
  /** No new round begins after this; one is always taken. */
  readonly mostSeconds: number;
}

/** Enough for an interval; more tighten it. */
const usualFewest = 7;

export function limitsOf(mostRounds: number, mostSeconds: number): StoppingLimits {
  return { fewestRounds: Math.min(usualFewest, mostRounds), mostRounds, mostSeconds };
}

/** Half width, over its middle, at which an interval is narrow. */
const narrowHalfWidth = 0.01;
/** The noise has settled when the spread of every entry stays within this of what it was some rounds ago. */
const settledChange = 0.05;
const settledOver = 6;
const settledAfter = 20;

function isNarrow(interval: Interval | null): boolean {
  if (interval === null) return false;
  return (interval.high - interval.low) / (interval.high + interval.low) <= narrowHalfWidth;
}

function hasSettled(times: readonly number[]): boolean {
  if (times.length < settledAfter) return false;
  const [now, before] = [relativeSpread(times), relativeSpread(times.slice(0, -settledOver))];
  return Math.abs(now - before) <= settledChange * Math.max(now, before);
}

/**
 * Why to stop after this round, or null to go on. `times` holds, per entry, the
 * seconds of every round; `intervals` those of the ratios.
 */
export function stopReason(
  times: readonly (readonly number[])[],
  intervals: readonly (Interval | null)[],
  elapsed_s: number,
  limits: StoppingLimits,
): StopReason | null {
  const rounds = times[0]?.length ?? 0;
  if (rounds >= limits.mostRounds) return 'rounds';
  if (elapsed_s >= limits.mostSeconds) return 'time';
  if (rounds < limits.fewestRounds) return null;
  if (intervals.every(isNarrow)) return 'narrow';
  return times.every(hasSettled) ? 'settled' : null;
}
