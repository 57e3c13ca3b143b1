/** From a field's value to the fraction, 0 to 1, that a colour map and a colour bar show. */
import { powerOfTen } from '../base/numbers.ts';
import { linearTicks, logTicks, type Tick } from './ticks.ts';

export type ScaleKind = 'linear' | 'log' | 'symlog';

export interface Limits {
  readonly low: number;
  readonly high: number;
}

export interface Normalisation extends Limits {
  readonly kind: ScaleKind;
  /** Not clamped: below 0 and above 1 outside the limits; NaN for what the scale cannot show. */
  fraction(value: number): number;
  value(fraction: number): number;
  ticks(most: number): { readonly ticks: readonly Tick[]; readonly exponent: number };
}

/** Decades that a logarithmic scale shows below its upper limit when the data do not say otherwise. */
const DEFAULT_DECADES = 5;

function linear(low: number, high: number): Normalisation {
  const span = high - low;
  return {
    kind: 'linear',
    low,
    high,
    fraction: (value) => (value - low) / span,
    value: (fraction) => low + fraction * span,
    ticks: (most) => linearTicks(low, high, most),
  };
}

function logarithmic(low: number, high: number): Normalisation {
  const base = Math.log10(low);
  const span = Math.log10(high) - base;
  return {
    kind: 'log',
    low,
    high,
    fraction: (value) => (value > 0 ? (Math.log10(value) - base) / span : value === 0 ? -1 : Number.NaN),
    value: (fraction) => 10 ** (base + fraction * span),
    ticks: (most) => ({ ticks: logTicks(low, high, most), exponent: 0 }),
  };
}

/** arsinh(v / threshold): linear around zero, logarithmic far from it. */
function symmetricLogarithmic(low: number, high: number, threshold: number): Normalisation {
  const bent = (value: number): number => Math.asinh(value / threshold);
  const base = bent(low);
  const span = bent(high) - base;
  const ticks = (most: number): readonly Tick[] => {
    const largest = Math.max(Math.abs(low), Math.abs(high));
    const last = Math.floor(Math.log10(largest) + 1e-9);
    const first = Math.ceil(Math.log10(threshold) - 1e-9);
    const every = Math.max(1, Math.ceil(((last - first + 1) * (low < 0 ? 2 : 1) + 1) / Math.max(2, most)));
    const out: Tick[] = low <= 0 && high >= 0 ? [{ value: 0, label: '0' }] : [];
    for (let exponent = last; exponent >= first; exponent -= every) {
      const value = 10 ** exponent;
      if (value <= high && value >= low) out.push({ value, label: powerOfTen(exponent) });
      if (-value <= high && -value >= low) out.push({ value: -value, label: `−${powerOfTen(exponent)}` });
    }
    return out.sort((a, b) => a.value - b.value);
  };
  return {
    kind: 'symlog',
    low,
    high,
    fraction: (value) => (bent(value) - base) / span,
    value: (fraction) => Math.sinh(base + fraction * span) * threshold,
    ticks: (most) => ({ ticks: ticks(most), exponent: 0 }),
  };
}

/**
 * Limits that can be drawn: not empty, and above zero on a logarithmic scale.
 * A field that is one constant (or nothing yet) still gets a bar.
 */
export function drawableLimits(kind: ScaleKind, limits: Limits, minPositive: number): Limits {
  const high = Number.isFinite(limits.high) ? limits.high : 1;
  const low = Number.isFinite(limits.low) ? limits.low : 0;
  if (kind !== 'log') return high > low ? { low, high } : { low, high: low + (Math.abs(low) || 1) };
  const top = high > 0 ? high : 1;
  const floor = top * 10 ** -DEFAULT_DECADES;
  const bottom = low > 0 ? low : Math.max(minPositive, floor);
  return { low: bottom < top ? bottom : floor, high: top };
}

/** `limits` must have been through drawableLimits. */
export function normalisation(kind: ScaleKind, limits: Limits): Normalisation {
  if (kind === 'linear') return linear(limits.low, limits.high);
  if (kind === 'log') return logarithmic(limits.low, limits.high);
  const largest = Math.max(Math.abs(limits.low), Math.abs(limits.high));
  return symmetricLogarithmic(limits.low, limits.high, largest * 10 ** -(DEFAULT_DECADES - 2));
}
