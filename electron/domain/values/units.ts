/**
 * Units used in the whole program. Keys in files have their unit as a suffix (`energy_MeV`), so that no number lacks
 * one.
 */

/** Units of scenario fields with their symbols; `1` is a plain number. */
export const unitSymbols = {
  MeV: 'MeV',
  eV: 'eV',
  g_cm3: 'g/cm³',
  mm: 'mm',
  mrad: 'mrad',
  deg: '°',
  A: 'Å',
  um: 'µm',
  percent: '%',
  Gy: 'Gy',
  '1': '',
} as const;

export type Unit = keyof typeof unitSymbols;

/** Unit from a key's suffix: `x_sigma_mm` is in mm, `weight` has the unit 1. */
export function unitOfKey(key: string): Unit {
  const units = Object.keys(unitSymbols) as Unit[];
  return units.find((unit) => unit !== '1' && key.endsWith(`_${unit}`)) ?? '1';
}

/** Shortest digits that convert back exactly, with an exponent in place of many zeros. */
export function formatNumber(value: number): string {
  const plain = String(value);
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e7) || !Number.isFinite(value)) return plain;
  const short = value.toExponential().replace('e+', 'e');
  return short.length < plain.length ? short : plain;
}

/** Number with its unit, such as `0.25 mm`, `45°`, `64`. */
export function withUnit(value: number, unit: Unit): string {
  const symbol = unitSymbols[unit];
  if (symbol === '') return formatNumber(value);
  return unit === 'deg' ? `${formatNumber(value)}${symbol}` : `${formatNumber(value)} ${symbol}`;
}

const byteSteps = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** Size with three significant digits and binary prefixes. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let step = 0;
  while (value >= 1024 && step < byteSteps.length - 1) {
    value /= 1024;
    step += 1;
  }
  const digits = step === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${byteSteps[step]}`;
}

/** Rounding error of a percentage that is a sum of doubles. */
const NOISE_PERCENT = 1e-7;

/** Formats `percent` with `write`, using more than `digits` if a value below 100 % would be rounded to it. */
export function formatBelowFull(
  percent: number,
  digits: number,
  write: (value: number, digits: number) => string,
): string {
  let text = write(percent, digits);
  if (percent > 100 - NOISE_PERCENT) return text;
  for (let more = digits + 1; Number(text) >= 100; more += 1) text = write(percent, more);
  return text;
}

const roundToDigits = (value: number, digits: number): string => String(Number(value.toPrecision(digits)));

/** Fraction as a percentage with significant digits; `100 %` means exactly all. */
export function shareText(share: number, digits: number): string {
  return `${formatBelowFull(100 * share, digits, roundToDigits)} %`;
}

/** Fraction as a percentage with fixed decimals for a column; only exact values are shown as `100 %` or `0 %`. */
export function shareInDecimals(share: number, decimals: number): string {
  const text = formatBelowFull(100 * share, decimals, (value, digits) => value.toFixed(digits));
  return Number(text) === 0 && share !== 0 ? shareText(share, 2) : `${text} %`;
}

/** Count with its noun: `3 variants`, `1 variant`. */
export function countText(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

const SECONDS = [
  { below: 1e-6, unit: 'ns', factor: 1e9 },
  { below: 1e-3, unit: 'µs', factor: 1e6 },
  { below: 1, unit: 'ms', factor: 1e3 },
] as const;

/** Readable unit for these values, and the factor to it: seconds become ms, µs or ns; other units do not change. */
export function readableUnit(
  unit: string,
  values: readonly number[],
): { readonly unit: string; readonly factor: number } {
  const largest = Math.max(0, ...values.filter(Number.isFinite).map(Math.abs));
  const found = unit === 's' && largest > 0 ? SECONDS.find(({ below }) => largest < below) : undefined;
  return found ?? { unit, factor: 1 };
}
