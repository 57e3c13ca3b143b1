/** Writes and reads tables for notebooks and spreadsheets. */

export type CsvCell = string | number | boolean | null | undefined;

/** Text that spreadsheets would evaluate as a formula (OWASP, CSV injection), unless it is a number. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Formats one CSV cell. Text with a comma, a quote or a line break is quoted; text that a spreadsheet would evaluate is
 * prefixed with an apostrophe. Numbers keep all digits.
 */
export function csvCell(value: CsvCell): string {
  const text = value === null || value === undefined ? '' : String(value);
  const inert = typeof value === 'string' && FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

export function csvText(columns: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(',')}\n`).join('');
}

/** Text in UTF-8, or in UTF-16 with a byte order mark, as from spreadsheets and PowerShell. Null for other bytes. */
export function tableText(bytes: Uint8Array): string | null {
  const marks = { 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] } as const;
  const [encoding = 'utf-8'] =
    Object.entries(marks).find(([, mark]) => mark.every((byte, i) => bytes[i] === byte)) ?? [];
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
/** Completes the message "it is …" if `tableText` returns null. */
export const NO_TABLE_TEXT = 'not text in UTF-8, nor in UTF-16 with a byte order mark';

/** Separator of a table by its first line: spreadsheets with decimal commas save semicolons or tabs. */
export const separatorOf = (header: string): ',' | ';' | '\t' =>
  header.includes(';') ? ';' : header.includes('\t') ? '\t' : ',';

const DECIMAL_COMMA = /^([-+]?\d*),(\d+(?:e[-+]?\d+)?)$/i;

/** Cells of a line, without quotes. Between other separators than commas, a comma in a number is a decimal mark. */
export const cellsOf = (line: string, separator: ',' | ';' | '\t'): readonly string[] =>
  line.split(separator).map((cell) => {
    const plain = cell.trim().replace(/^"(.*)"$/, '$1');
    return separator === ',' ? plain : plain.replace(DECIMAL_COMMA, '$1.$2');
  });

/** Decimal number; Fortran writes exponents with D. */
const DECIMAL = /^[-+]?(\d+\.?\d*|\.\d+)([ed][-+]?\d+)?$/i;

/** Value of a decimal number in a file; NaN for any other text, including empty text, blanks and hexadecimal digits. */
export const decimalOf = (text: string): number => (DECIMAL.test(text) ? Number(text.replace(/d/i, 'e')) : Number.NaN);

/** Digits of conventional marks for a missing value: -999, -99.9, 99999.99. */
const NINES = /^(9{3,}(\.9{1,2})?|99\.99?)$/;
/** A positive mark is far above all other values, which are of one magnitude. */
const NEARBY_LINES = 10;

/** Whether a value is a conventional mark for a missing one. `largest`: the largest of the values that are no marks. */
export const isMissingMark = (value: number, largest: number): boolean =>
  NINES.test(String(Math.abs(value))) && (value < 0 || (largest > 0 && value > NEARBY_LINES * largest));

/** Largest absolute value, without those that consist of nines. */
export function largestUnmarked(values: Iterable<number>): number {
  let largest = 0;
  for (const value of values) {
    const size = Math.abs(value);
    if (size > largest && !NINES.test(String(size))) largest = size;
  }
  return largest;
}
