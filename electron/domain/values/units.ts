/** Units used throughout the program. Keys in files end in their unit (`energy_MeV`), so that every number has one. */

/** Units of scenario fields and their symbols; `1` means dimensionless. */
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

/** Unit that a key ends in: `x_sigma_mm` is in mm. Keys without a unit, such as `weight`, have the unit 1. */
export function unitOfKey(key: string): Unit {
  const units = Object.keys(unitSymbols) as Unit[];
  return units.find((unit) => unit !== '1' && key.endsWith(`_${unit}`)) ?? '1';
}

/**
 * Formats a number with the fewest digits that give the same number when parsed. Uses an exponent instead of many
 * zeros.
 */
export function formatNumber(value: number): string {
  const plain = String(value);
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e7) || !Number.isFinite(value)) return plain;
  const short = value.toExponential().replace('e+', 'e');
  return short.length < plain.length ? short : plain;
}

/** Formats a number with its unit: `0.25 mm`, `45°`, `64`. */
export function formatWithUnit(value: number, unit: Unit): string {
  const symbol = unitSymbols[unit];
  if (symbol === '') return formatNumber(value);
  return unit === 'deg' ? `${formatNumber(value)}${symbol}` : `${formatNumber(value)} ${symbol}`;
}

const byteSteps = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** Formats a number of bytes with three significant digits and a binary prefix. */
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

/** Allowance for rounding errors in a percentage that is a sum of doubles. */
const NOISE_PERCENT = 1e-7;

/**
 * Formats a percentage with `write`. Uses more digits than `digits` if a value below 100 would otherwise be shown as
 * 100.
 */
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

/** Formats a fraction as a percentage with significant digits. Only an exact 1 becomes `100 %`. */
export function shareText(share: number, digits: number): string {
  return `${formatBelowFull(100 * share, digits, roundToDigits)} %`;
}

/** Formats a fraction as a percentage with fixed decimals, for columns. Only exact values become `100 %` or `0 %`. */
export function shareInDecimals(share: number, decimals: number): string {
  const text = formatBelowFull(100 * share, decimals, (value, digits) => value.toFixed(digits));
  return Number(text) === 0 && share !== 0 ? shareText(share, 2) : `${text} %`;
}

/** Formats a count with its noun: `3 variants`, `1 variant`. */
export function countText(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

const SECONDS = [
  { below: 1e-6, unit: 'ns', factor: 1e9 },
  { below: 1e-3, unit: 'µs', factor: 1e6 },
  { below: 1, unit: 'ms', factor: 1e3 },
] as const;

/**
 * Selects a readable unit for these values, with the conversion factor: seconds become ms, µs or ns. Other units stay.
 */
export function readableUnit(
  unit: string,
  values: readonly number[],
): { readonly unit: string; readonly factor: number } {
  const largest = Math.max(0, ...values.filter(Number.isFinite).map(Math.abs));
  const found = unit === 's' && largest > 0 ? SECONDS.find(({ below }) => largest < below) : undefined;
  return found ?? { unit, factor: 1 };
}
