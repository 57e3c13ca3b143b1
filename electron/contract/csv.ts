/** Tables that notebooks and spreadsheets read. */

export type CsvCell = string | number | boolean | null | undefined;

/** Spreadsheets compute a text that begins so (OWASP, CSV injection); numbers written as text are none. */
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

/** Fortran writes exponents with D. */
const DECIMAL = /^[-+]?(\d+\.?\d*|\.\d+)([ed][-+]?\d+)?$/i;

/** The value of a decimal number in a file; NaN for any other text, also nothing, blanks and hexadecimal digits. */
export const decimalOf = (text: string): number => (DECIMAL.test(text) ? Number(text.replace(/d/i, 'e')) : Number.NaN);
