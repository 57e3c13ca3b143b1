/** Tables that notebooks and spreadsheets read. */

export type CsvCell = string | number | boolean | null | undefined;

/** Text with a comma, a quote or a line in it is quoted; numbers keep all their digits. */
function quoted(value: CsvCell): string {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csvText(columns: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(quoted).join(',')}\n`).join('');
}
