/**
 * Formats all numbers that users read, for the page and the command line. Also formats durations, times of day, thread
 * utilisation, and one-line summaries of library files.
 */
import type { LibraryItem } from '../contract/files.ts';
import type { ThreadUse } from '../contract/timeline.ts';
import { countText, formatBelowFull, formatBytes } from './values/units.ts';

/** Text shown in place of a missing value. */
export const NO_VALUE = '–';

const MINUS = '−';

function withTypographicSigns(text: string): string {
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

/** Formats a power of ten with superscripts: `10⁻³`. */
export function powerOfTen(exponent: number): string {
  return `10${String(exponent).replace(/[-\d]/g, (digit) => superscript[digit] ?? digit)}`;
}

/**
 * Formats a number with `digits` significant digits. Trailing zeros remain, because they indicate the
 * precision.
 */
export function significant(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NO_VALUE;
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return withTypographicSigns(value.toExponential(Math.max(0, digits - 1)));
  const text = value.toPrecision(digits);
  // Numbers with more integer digits than `digits` end in zeros.
  return withTypographicSigns(text.includes('e') ? String(Number(text)) : text);
}

/** Formats a number with `digits` significant digits in ASCII, for terminals and other programs: `1.20e-7`. */
export function plainDigits(value: number, digits: number): string {
  if (!Number.isFinite(value)) return NO_VALUE;
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(digits));
  const exponent = Math.floor(Math.log10(Math.abs(rounded)));
  if (exponent < -4 || exponent >= 7) return rounded.toExponential(digits - 1).replace('e+', 'e');
  return rounded.toFixed(Math.max(0, digits - 1 - exponent));
}

/** Formats a number with significant digits, but without trailing zeros: `80`, `0.5`. */
export function shortNumberText(value: number, digits: number): string {
  return String(Number(value.toPrecision(digits)));
}

/** Formats a length with two decimals; a dash for a missing value. */
export function millimetres(value: number | null): string {
  return value === null || !Number.isFinite(value) ? NO_VALUE : `${value.toFixed(2)} mm`;
}

/** Formats a number with `digits` decimals. */
export function fixedDigits(value: number | null | undefined, digits: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NO_VALUE;
  const text = value.toFixed(digits);
  return withTypographicSigns(Number(text) === 0 ? text.replace('-', '') : text);
}

/** Formats a fraction as a percentage, with more decimals near 0 % and just below 100 %. */
export function percent(fraction: number | null | undefined): string {
  if (fraction === null || fraction === undefined || !Number.isFinite(fraction)) return NO_VALUE;
  const value = fraction * 100;
  const size = Math.abs(value);
  if (size === 0) return '0 %';
  if (size < 1e-3) return `${significant(value, 2)} %`;
  return `${formatBelowFull(value, size >= 10 ? 1 : size >= 0.1 ? 2 : 4, fixedDigits)} %`;
}

/**
 * Formats a relative error with two significant digits. More would be meaningless, since errors vary by orders of
 * magnitude.
 */
export function formatError(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NO_VALUE;
  return value === 0 ? '0' : withTypographicSigns(value.toExponential(1));
}

/** Formats a small error in ASCII, for terminals: `2.1e-9`. */
export function plainError(value: number): string {
  return value === 0 ? '0' : value.toExponential(1);
}

const compactSteps = [
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** Formats a large count with three significant digits: `36.0 M`. */
export function compactCount(value: number): string {
  if (!Number.isFinite(value)) return NO_VALUE;
  const step = compactSteps.find(([size]) => Math.abs(value) >= 0.9995 * size);
  if (step === undefined) return Number.isInteger(value) ? String(value) : significant(value, 3);
  return `${Number(value / step[0]).toPrecision(3)} ${step[1]}`;
}

/** Formats a count with thin spaces between groups of three digits. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en').replaceAll(',', '\u202f');
}

/** Inserts thin spaces into counts of five or more digits in a text of the engine: `65 536 of 1 000 000 results`. */
export const groupedDigits = (text: string): string =>
  text.replace(/(?<![\w.])\d{5,}(?![\w.])/g, (digits) => count(Number(digits)));

/** Formats the main result of a run with four significant digits: `R80 40.75 mm`. */
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

/**
 * Selects the numbers of the given rows. `Float64Array.from` with a function would use an iterator and be ten times
 * slower than this loop.
 */
export function selectRows(numbers: ArrayLike<number>, rows: Uint32Array): Float64Array {
  const out = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i += 1) out[i] = numbers[rows[i] ?? 0] ?? Number.NaN;
  return out;
}

/** Formats a duration: `0.42 s`, `12.3 s`, `4 min 05 s`, `2 h 10 min`. */
export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return NO_VALUE;
  if (seconds < 0.0995) return `${(seconds * 1e3).toPrecision(2)} ms`;
  if (seconds < 9.995) return `${seconds.toFixed(2)} s`;
  if (seconds < 99.95) return `${seconds.toFixed(1)} s`;
  return roundCoarsely(Math.round(seconds));
}

function roundCoarsely(whole: number): string {
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')} min`;
}

/** Formats an estimated remaining time, which is rounded more coarsely the longer it is. */
export function timeLeft(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return NO_VALUE;
  if (seconds < 1) return 'under 1 s';
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  return roundCoarsely(Math.ceil(seconds / 5) * 5);
}

const isSameDay = (a: Date, b: Date): boolean => a.toDateString() === b.toDateString();

/** Formats a time given in ISO 8601: `14:05:09` if it is today, otherwise `20 Nov 14:05`. */
export function timeOfDay(iso: string, now = new Date()): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return NO_VALUE;
  if (isSameDay(time, now)) return time.toLocaleTimeString('en-GB');
  return `${time.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })} ${time.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}`;
}

/** Formats the use of a process's threads: `Host: 2 threads, 93 % busy, the busiest 4 % above their mean`. */
export function threadUseText({ process, threadCount, busyShare, imbalance }: ThreadUse): string {
  const above = imbalance === null ? '' : `, the busiest ${percent(imbalance)} above the mean`;
  return `${process}: ${countText(threadCount, 'thread')}, ${percent(busyShare)} busy${above}`;
}

/** Summarises a library file: `70 MeV · cuda-window · FP32 · NVIDIA H200 · R80 40.76 mm · 0.45 s`. */
export function libraryItemSummary({ facts, bytes, kind }: LibraryItem): string {
  const { about, variant, precision, device, result, wall_s, status } = facts;
  return (
    [
      about,
      variant,
      precision?.toUpperCase() ?? null,
      device === 'cpu' ? null : device,
      result,
      wall_s === null ? null : duration(wall_s),
      status === 'cancelled' ? 'stopped' : status === 'failed' ? 'failed' : null,
      kind === 'run' ? formatBytes(bytes) : null,
    ]
      .filter((fact) => fact !== null)
      // Non-breaking spaces avoid a line break between a number and its unit.
      .map((fact) => fact.replaceAll(' ', '\u00a0'))
      .join(' · ')
  );
}
