/** Aligned tables of text. Custom code: seventy lines, without unused options. */
import { stripVTControlCharacters } from 'node:util';

type Align = 'left' | 'right';

export interface Column {
  readonly title: string;
  readonly align?: Align;
}

/** Columns that text takes on a terminal. What this program prints is one column per character. */
export function displayWidth(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}

function pad(text: string, width: number, align: Align): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'right' ? space + text : text + space;
}

/** Words of `text` in lines of at most `width` columns; a longer word has a line of its own. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

export interface TableLook {
  readonly styleTitle?: (text: string) => string;
  /** Columns of the terminal: the last column is wrapped to fit. Null for no terminal. */
  readonly width?: number | null;
}

/** Less than this is no room for text. */
const narrowestColumn = 24;

/** Lines of a table with a title row; two spaces between columns, none at the end of a line. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { styleTitle = (text) => text, width = null }: TableLook = {},
): readonly string[] {
  const widths = columns.map(({ title }, i) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[i] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align = 'left' }, i) => pad(cells[i] ?? '', widths[i] ?? 0, align))
      .join('  ')
      .trimEnd();
  const last = columns.length - 1;
  const before = widths.slice(0, last).reduce((sum, one) => sum + one + 2, 0);
  const room = width === null ? Number.POSITIVE_INFINITY : Math.max(narrowestColumn, width - before);
  const body = rows.flatMap((row) =>
    (columns[last]?.align === 'right' ? [row[last] ?? ''] : wrap(row[last] ?? '', room)).map((text, i) =>
      line(i === 0 ? [...row.slice(0, last), text] : [...row.slice(0, last).map(() => ''), text]),
    ),
  );
  return [line(columns.map(({ title }) => styleTitle(title))), ...body];
}

/** Lines of `name  value` pairs, indented, with the values in one column. */
export function pairs(entries: readonly (readonly [name: string, value: string])[]): readonly string[] {
  const width = Math.max(...entries.map(([name]) => displayWidth(name)));
  return entries.map(([name, value]) => `  ${pad(name, width, 'left')}  ${value}`.trimEnd());
}
