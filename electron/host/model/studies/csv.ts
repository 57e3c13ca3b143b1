/** A study's table as CSV (RFC 4180): the first line has the names, with their units in brackets. */
import type { Cell, StudyColumn, StudyTable } from './table.ts';

export const titleOf = ({ name, unit }: StudyColumn): string => (unit === '' ? name : `${name} [${unit}]`);

/** Text that a spreadsheet would interpret as a formula is prefixed to mark it as text. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const inert = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

export function tableCsv({ columns, rows }: StudyTable): string {
  const lines = [columns.map((column) => cell(titleOf(column))), ...rows.map((row) => row.map(cell))];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}
