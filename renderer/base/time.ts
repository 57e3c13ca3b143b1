/** Spans and points of time for a reader. */
import { NO_VALUE } from './numbers.ts';

/** `0.42 s`, `12.3 s`, `4 min 05 s`, `2 h 10 min`. */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return NO_VALUE;
  if (seconds < 0.0995) return `${(seconds * 1e3).toPrecision(2)} ms`;
  if (seconds < 9.995) return `${seconds.toFixed(2)} s`;
  if (seconds < 99.95) return `${seconds.toFixed(1)} s`;
  return coarse(Math.round(seconds));
}

function coarse(whole: number): string {
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')} min`;
}

/** A time left, coarser the farther it is: an estimate does not know its milliseconds. */
export function timeLeft(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return NO_VALUE;
  if (seconds < 1) return 'under 1 s';
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  return coarse(Math.ceil(seconds / 5) * 5);
}

const sameDay = (a: Date, b: Date): boolean => a.toDateString() === b.toDateString();

/** `14:05:09` today, `20 Nov 14:05` otherwise. `iso` is ISO 8601. */
export function clock(iso: string, now = new Date()): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return NO_VALUE;
  if (sameDay(time, now)) return time.toLocaleTimeString('en-GB');
  return `${time.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })} ${time.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}`;
}
