/** Writes and parses tables that are exchanged with notebooks and spreadsheets. */

export type CsvCell = string | number | boolean | null | undefined;

/** Matches text that a spreadsheet would evaluate as a formula (OWASP, CSV injection). Numbers are exempt. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Formats one CSV cell. Text with a comma, quote or line break is quoted. Text that a spreadsheet would evaluate gets
 * an apostrophe in front. Numbers have all digits.
 */
export function csvCell(value: CsvCell): string {
  const text = value === null || value === undefined ? '' : String(value);
  const inert = typeof value === 'string' && FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

export function csvText(columns: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(',')}\n`).join('');
}

/**
 * Decodes text in UTF-8, or in UTF-16 with a byte order mark, which spreadsheets and PowerShell write. Null for other
 * bytes.
 */
export function decodeTableText(bytes: Uint8Array): string | null {
  const marks = { 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] } as const;
  const [encoding = 'utf-8'] =
    Object.entries(marks).find(([, mark]) => mark.every((byte, i) => bytes[i] === byte)) ?? [];
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
/** Predicate of a message "it is …" for input that `decodeTableText` cannot decode. */
export const UNDECODABLE_TEXT = 'not text in UTF-8, nor in UTF-16 with a byte order mark';

/** Separator of a table, from its first line. Spreadsheets with decimal commas write semicolons or tabs. */
export const detectSeparator = (header: string): ',' | ';' | '\t' =>
  header.includes(';') ? ';' : header.includes('\t') ? '\t' : ',';

const DECIMAL_COMMA = /^([-+]?\d*),(\d+(?:e[-+]?\d+)?)$/i;

/**
 * Splits a line into cells and removes quotes. If the separator is not a comma, commas in numbers are decimal marks.
 */
export const splitCells = (line: string, separator: ',' | ';' | '\t'): readonly string[] =>
  line.split(separator).map((cell) => {
    const plain = cell.trim().replace(/^"(.*)"$/, '$1');
    return separator === ',' ? plain : plain.replace(DECIMAL_COMMA, '$1.$2');
  });

/** Matches a decimal number, including exponents with D as Fortran writes them. */
const DECIMAL = /^[-+]?(\d+\.?\d*|\.\d+)([ed][-+]?\d+)?$/i;

/** Parses a decimal number; NaN for any other text, including empty text, blanks and hexadecimal digits. */
export const parseDecimal = (text: string): number =>
  DECIMAL.test(text) ? Number(text.replace(/d/i, 'e')) : Number.NaN;

/** Matches conventional codes for a missing value: -999, -99.9, 99999.99. */
const MISSING_MARK = /^(9{3,}(\.9{1,2})?|99\.99?)$/;
/** A positive code must be this many times larger than all other values to count as missing. */
const MIN_MARK_FACTOR = 10;

/** Whether a value is a code for a missing value. `largest` is the largest value that is not such a code. */
export const isMissingMark = (value: number, largest: number): boolean =>
  MISSING_MARK.test(String(Math.abs(value))) && (value < 0 || (largest > 0 && value > MIN_MARK_FACTOR * largest));

/** Largest absolute value, ignoring values that consist of nines. */
export function largestUnmarked(values: Iterable<number>): number {
  let largest = 0;
  for (const value of values) {
    const size = Math.abs(value);
    if (size > largest && !MISSING_MARK.test(String(size))) largest = size;
  }
  return largest;
}
