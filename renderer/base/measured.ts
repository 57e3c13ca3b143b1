/** Times and ratios of times as the page writes them. */
import type { Ratio } from '../../electron/contract/bench-session.ts';
import { NO_VALUE, significant } from './numbers.ts';

/** Seconds in the unit that keeps them between 1 and 1000. */
export function measuredTime(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return NO_VALUE;
  if (seconds === 0) return '0 s';
  if (seconds < 1e-6) return `${significant(seconds * 1e9, 3)} ns`;
  if (seconds < 1e-3) return `${significant(seconds * 1e6, 3)} µs`;
  if (seconds < 1) return `${significant(seconds * 1e3, 3)} ms`;
  if (seconds < 120) return `${significant(seconds, 3)} s`;
  return `${Math.floor(seconds / 60)} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`;
}

/** As measuredTime, without zeros that only fill up: `5 ms`, for ticks. */
export function tickTime(seconds: number): string {
  return measuredTime(seconds)
    .replace(/(\.\d*?)0+(?= )/, '$1')
    .replace(/\.(?= )/, '');
}

/** How many times faster, from a ratio of times. */
export function gainOf({ value, interval }: Ratio): Ratio {
  return { value: 1 / value, interval: interval && { low: 1 / interval.high, high: 1 / interval.low } };
}

function factor(value: number): string {
  return significant(value, 3);
}

/** `3.42× (3.38–3.47)`. */
export function timesText({ value, interval }: Ratio): string {
  const times = `${factor(value)}×`;
  return interval === null ? times : `${times} (${factor(interval.low)}–${factor(interval.high)})`;
}
