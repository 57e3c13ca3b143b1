/** Formats times from nanoseconds to minutes for the timeline. */
import { roundedStep } from '../scale.ts';

const units = [
  [60e9, 'min'],
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
] as const;

const withMinusSign = (text: string): string => text.replace('-', '−');

/**
 * Time with `digits` significant digits, in the largest unit in which the number is at least one: `17.2 µs`, `1.50
 * min`.
 */
export function timeText(ns: number, digits = 3): string {
  const size = Math.abs(ns);
  if (size === 0) return '0 ns';
  const [scale, unit] = units.find(([scale]) => size >= scale * (1 - 0.5 * 10 ** -digits)) ?? [1, 'ns'];
  const value = ns / scale;
  const whole = Math.max(1, Math.floor(Math.log10(Math.abs(value)) + 1e-9) + 1);
  // Clocks resolve no less than a nanosecond, so further digits would be rounding noise.
  const decimals = scale === 1 ? (size < 10 ? 1 : 0) : Math.max(0, digits - whole);
  return withMinusSign(`${value.toFixed(decimals)} ${unit}`);
}

/** Time with all digits down to the nanosecond: `2 min 03.456 789 012 s`. */
export function exactTime(ns: number): string {
  const rounded = Math.round(Math.abs(ns));
  const minutes = Math.floor(rounded / 60e9);
  const rest = rounded - minutes * 60e9;
  const sign = ns < 0 && rounded > 0 ? '−' : '';
  if (rounded < 1e3) return `${sign}${rounded} ns`;
  const grouped = (value: number, scale: number): string => {
    const decimals = Math.round(Math.log10(scale));
    const [whole = '0', fraction = ''] = (value / scale).toFixed(decimals).split('.');
    const groups = fraction.replace(/0+$/, '').replace(/(\d{3})(?=\d)/g, '$1\u202f');
    return groups === '' ? whole : `${whole}.${groups}`;
  };
  if (rounded < 1e6) return `${sign}${grouped(rest, 1e3)} µs`;
  if (rounded < 1e9) return `${sign}${grouped(rest, 1e6)} ms`;
  const seconds = `${grouped(rest, 1e9)} s`;
  return minutes === 0 ? `${sign}${seconds}` : `${sign}${minutes} min ${seconds.padStart(2, '0')}`;
}

interface TimeTick {
  readonly ns: number;
  readonly label: string;
}

export interface TimeTicks {
  /** Offset that is subtracted from the labels; 0 for none. */
  readonly base_ns: number;
  readonly ticks: readonly TimeTick[];
  readonly step_ns: number;
}

const clockSteps_ns = [60, 120, 300, 600, 1200, 1800, 3600, 7200, 21_600, 86_400].map((seconds) => seconds * 1e9);

/** Step of 1, 2 or 5 in a decimal unit, or a usual clock step for minutes. At least a nanosecond. */
function timeStep(span_ns: number, most: number): number {
  const step = Math.max(1, roundedStep(span_ns, most));
  if (step < 60e9) return step > 50e9 ? 60e9 : step;
  return clockSteps_ns.find((long) => long >= span_ns / most) ?? step;
}

/** Ticks of a ruler. Far from zero, labels are relative to a round time nearby, which is written once. */
export function timeTicks(from_ns: number, to_ns: number, most: number): TimeTicks {
  if (!(to_ns > from_ns)) return { base_ns: 0, ticks: [], step_ns: 0 };
  const step_ns = timeStep(to_ns - from_ns, most);
  const [scale, unit] = units.find(([size]) => step_ns >= size) ?? [1, 'ns'];
  const largest = Math.max(Math.abs(from_ns), Math.abs(to_ns));
  const round = scale * (scale >= 1e9 ? 3600 : 1000);
  // At most four digits, because longer labels cannot be read at a glance.
  const base_ns = largest / scale >= 10_000 ? Math.floor(from_ns / round) * round : 0;
  const decimals = Math.max(0, -Math.floor(Math.log10(step_ns / scale) + 1e-9));
  const ticks: TimeTick[] = [];
  const first = Math.ceil((from_ns - base_ns) / step_ns - 1e-6);
  const last = Math.floor((to_ns - base_ns) / step_ns + 1e-6);
  for (let i = first; i <= last; i += 1) {
    const offset = i * step_ns;
    const number = withMinusSign((i === 0 ? 0 : offset / scale).toFixed(decimals));
    ticks.push({ ns: base_ns + offset, label: `${base_ns !== 0 && i >= 0 ? '+' : ''}${number} ${unit}` });
  }
  return { base_ns, ticks, step_ns };
}
