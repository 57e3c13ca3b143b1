/** Numbers as the page writes them. Every number that a person reads goes through here. */

import { belowAll } from '../../electron/contract/units.ts';

/** Placeholder for a missing value. */
export const NO_VALUE = '–';

const MINUS = '−';

function typographic(text: string): string {
  return text.replace(/^-/, MINUS).replace(/e([+-]?)(\d+)/, (_, sign: string, digits: string) => {
    return `×${powerOfTen(Number(`${sign}${digits}`))}`;
  });
}

const superscript: Readonly<Record<string, string>> = {
  '-': '⁻',
  '0': '⁰',
  '1': '¹',
  '2': '²',
  '3': '³',
  '4': '⁴',
  '5': '⁵',
  '6': '⁶',
  '7': '⁷',
  '8': '⁸',
  '9': '⁹',
};

/** `10⁻³`. */
export function powerOfTen(exponent: number): string {
  return `10${String(exponent).replace(/[-\d]/g, (digit) => superscript[digit] ?? digit)}`;
}

/** `digits` significant digits, including trailing zeros, which indicate the precision. */
export function significant(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NO_VALUE;
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return typographic(value.toExponential(Math.max(0, digits - 1)));
  const text = value.toPrecision(digits);
  // More digits before the point than are known: the rest are zeros.
  return typographic(text.includes('e') ? String(Number(text)) : text);
}

/** `digits` decimals. */
export function fixed(value: number | null | undefined, digits: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NO_VALUE;
  const text = value.toFixed(digits);
  return typographic(Number(text) === 0 ? text.replace('-', '') : text);
}

/** A share of one as per cent, with as many decimals as small shares need, and those near all of it. */
export function percent(fraction: number | null | undefined): string {
  if (fraction === null || fraction === undefined || !Number.isFinite(fraction)) return NO_VALUE;
  const value = fraction * 100;
  const size = Math.abs(value);
  if (size === 0) return '0 %';
  if (size < 1e-3) return `${significant(value, 2)} %`;
  return `${belowAll(value, size >= 10 ? 1 : size >= 0.1 ? 2 : 4, fixed)} %`;
}

/** Relative errors span many decades: one digit and the power say it all. */
export function errorSize(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NO_VALUE;
  return value === 0 ? '0' : typographic(value.toExponential(1));
}

const steps = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** Large counts in three digits: `36.0 M`. */
export function compact(value: number): string {
  if (!Number.isFinite(value)) return NO_VALUE;
  const step = steps.find(([size]) => Math.abs(value) >= size);
  if (step === undefined) return Number.isInteger(value) ? String(value) : significant(value, 3);
  return `${Number(value / step[0]).toPrecision(3)} ${step[1]}`;
}

/** A count with thin spaces between thousands. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en').replaceAll(',', '\u202f');
}

/** `R80 40.75 mm`: as many digits as a list has use for. */
export function headlineText({
  name,
  value,
  unit,
}: {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}): string {
  return `${name} ${significant(value, 4)} ${unit}`.trim();
}

/** Those of some rows. By index: `from` with a function goes by an iterator, and ten times as long. */
export function numbersAt(numbers: ArrayLike<number>, rows: Uint32Array): Float64Array {
  const out = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i += 1) out[i] = numbers[rows[i] ?? 0] ?? Number.NaN;
  return out;
}
