/**
 * Maps a quantity to pixels and back, and chooses tick positions and labels. Used instead of d3-scale, which would add
 * 29 kB to the page.
 */
import { powerOfTen } from '../../electron/domain/numbers.ts';

export interface Scale {
  /** Quantity at the two ends of the axis. */
  readonly from: number;
  readonly to: number;
  /** Pixels at the two ends; `end` is smaller than `start` on an axis that points up. */
  readonly start: number;
  readonly end: number;
  toPixel(value: number): number;
  toValue(pixel: number): number;
}

export function linearScale(from: number, to: number, start: number, end: number): Scale {
  const slope = (end - start) / (to - from);
  return {
    from,
    to,
    start,
    end,
    toPixel: (value) => start + (value - from) * slope,
    toValue: (pixel) => from + (pixel - start) / slope,
  };
}

/** Logarithmic scale; both ends must be above zero. Values that are not above zero map to NaN. */
export function logScale(from: number, to: number, start: number, end: number): Scale {
  const inner = linearScale(Math.log10(from), Math.log10(to), start, end);
  return {
    from,
    to,
    start,
    end,
    toPixel: (value) => (value > 0 ? inner.toPixel(Math.log10(value)) : Number.NaN),
    toValue: (pixel) => 10 ** inner.toValue(pixel),
  };
}

/**
 * Index of the cell that contains `value` on an axis of `count` equal cells; -1 outside. The far edge belongs to the
 * last cell.
 */
export function uniformCell(value: number, from: number, to: number, count: number): number {
  const fraction = (value - from) / (to - from);
  if (!(fraction >= 0 && fraction <= 1)) return -1;
  return Math.min(count - 1, Math.floor(fraction * count));
}

/** Index of the cell that contains `value`, for ascending `edges` (count + 1 values); -1 outside. */
export function cellOfEdges(value: number, edges: ArrayLike<number>): number {
  const count = edges.length - 1;
  if (count < 1 || !(value >= (edges[0] ?? 0) && value <= (edges[count] ?? 0))) return -1;
  let low = 0;
  let high = count;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((edges[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  return low;
}

export interface Tick {
  readonly value: number;
  /** Empty for a minor tick. */
  readonly label: string;
}

/** Uses the typographic minus, which is as wide as the plus. */
const withMinusSign = (text: string): string => text.replace('-', '−');

/** Step of 1, 2 or 5 times a power of ten that gives at most `most` intervals. */
export function roundedStep(span: number, most: number): number {
  const rough = span / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const fraction = rough / power;
  // The tolerance keeps 0.2 from becoming 0.5 when the division ends at 2.0000000000000004.
  const factor = fraction <= 1 + 1e-9 ? 1 : fraction <= 2 + 1e-9 ? 2 : fraction <= 5 + 1e-9 ? 5 : 10;
  return factor * power;
}

/**
 * Labelled ticks of a linear axis with about `most` intervals. Labels share one number of decimals, and one power of
 * ten when the numbers are very large or small: the caller writes `exponent` next to the unit.
 */
export function linearTicks(
  from: number,
  to: number,
  most: number,
): { readonly ticks: readonly Tick[]; readonly exponent: number; readonly step: number } {
  const [low, high] = from < to ? [from, to] : [to, from];
  if (!(high > low) || !Number.isFinite(high - low)) return { ticks: [], exponent: 0, step: 0 };
  const step = roundedStep(high - low, most);
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const magnitude = Math.floor(Math.log10(largest) + 1e-9);
  const exponent = magnitude >= 5 || magnitude <= -4 ? magnitude : 0;
  const unit = 10 ** exponent;
  const decimals = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));
  const ticks: Tick[] = [];
  const first = Math.ceil(low / step - 1e-6);
  const last = Math.floor(high / step + 1e-6);
  for (let i = first; i <= last; i += 1) {
    const value = i * step;
    ticks.push({ value, label: withMinusSign((i === 0 ? 0 : value / unit).toFixed(decimals)) });
  }
  return { ticks, exponent, step };
}

/** Labelled digits per decade, from most to fewest labels; the first set that fits is used. */
const labelledDigits: readonly (readonly number[])[] = [
  [1, 2, 3, 4, 5, 6, 7, 8, 9],
  [1, 2, 3, 5],
  [1, 2, 5],
];

/** Longest span, as a ratio of its ends, with labels between the decades. On longer spans they would not fit. */
const DIGITS_WITHIN = 10 ** 2.5;

/**
 * Ticks of a logarithmic axis with at most about `most` labels. Short spans label as many digits per decade as fit;
 * long spans label decades, thinned if there are many. Other digits are minor ticks.
 */
export function logTicks(from: number, to: number, most: number): readonly Tick[] {
  if (!(from > 0) || !(to > from)) return [];
  const first = Math.floor(Math.log10(from) + 1e-9);
  const last = Math.ceil(Math.log10(to) - 1e-9);
  const every = Math.max(1, Math.ceil((last - first) / Math.max(1, most)));
  const values: { readonly value: number; readonly digit: number; readonly exponent: number }[] = [];
  for (let exponent = first; exponent <= last; exponent += 1) {
    for (let digit = 1; digit <= (every === 1 ? 9 : 1); digit += 1) {
      const value = digit * 10 ** exponent;
      if (value >= from * (1 - 1e-9) && value <= to * (1 + 1e-9)) values.push({ value, digit, exponent });
    }
  }
  const fits = (digits: readonly number[]): boolean =>
    values.filter(({ digit }) => digits.includes(digit)).length <= most;
  const labelled = to / from > DIGITS_WITHIN ? [] : (labelledDigits.find(fits) ?? []);
  return values.map(({ value, digit, exponent }) => {
    if (digit === 1) return { value, label: (exponent - first) % every === 0 ? powerOfTen(exponent) : '' };
    return { value, label: labelled.includes(digit) ? shortNumber(value) : '' };
  });
}

/** Number with at most three significant digits, with a power of ten if that is shorter. */
export function shortNumber(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) return withMinusSign(String(Number(value.toPrecision(3))));
  // Round first, so that 999,999 becomes a million.
  const [mantissa = 0, exponent = 0] = value.toExponential(2).split('e').map(Number);
  return mantissa === 1 ? powerOfTen(exponent) : withMinusSign(`${mantissa}×${powerOfTen(exponent)}`);
}
