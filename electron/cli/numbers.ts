/** Numbers as the command line prints them: as many digits as mean something. */
import { gainOf, measuredTime, timesText } from '../../renderer/base/measured.ts';
import type { Ratio } from '../contract/bench/bench-session.ts';

/** `digits` significant digits without an exponent where that stays short. */
export function significant(value: number, digits: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(digits));
  const exponent = Math.floor(Math.log10(Math.abs(rounded)));
  if (exponent < -4 || exponent >= 7) return rounded.toExponential(digits - 1).replace('e+', 'e');
  return rounded.toFixed(Math.max(0, digits - 1 - exponent));
}

/** As `significant`, without zeros that only fill up: `80`, `0.5`. */
export function short(value: number, digits: number): string {
  return String(Number(value.toPrecision(digits)));
}

/** A length that was found, to a hundredth; a dash where there is none. */
export function millimetres(value: number | null): string {
  return value === null || !Number.isFinite(value) ? '–' : `${value.toFixed(2)} mm`;
}

/** Seconds in the unit that keeps them between 1 and 1000. */
export const duration: (seconds: number) => string = measuredTime;

const prefixes = ['', 'k', 'M', 'G', 'T', 'P'] as const;

/** A count or rate with a metric prefix: `6.21 G`. */
export function metric(value: number): string {
  if (!Number.isFinite(value)) return '–';
  let scaled = value;
  let step = 0;
  while (Math.abs(scaled) >= 1000 && step < prefixes.length - 1) {
    scaled /= 1000;
    step += 1;
  }
  return `${significant(scaled, 3)} ${prefixes[step] ?? ''}`.trimEnd();
}

/** Speedup from a ratio of times: `3.42× (3.38–3.47)`. */
export function speedup(ratio: Ratio): string {
  return timesText(gainOf(ratio));
}

/** A small error: `2.1e-9`, and 0 as 0. */
export function smallError(value: number): string {
  return value === 0 ? '0' : value.toExponential(1);
}
