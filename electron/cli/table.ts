/** Aligned text tables, implemented here because few features of a table library are needed. */
import { stripVTControlCharacters } from 'node:util';

type Align = 'left' | 'right';

export interface Column {
  readonly title: string;
  readonly align?: Align;
}

/** Width of text on a terminal, columns. Each character of this program's output occupies one column. */
export function displayWidth(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}

function pad(text: string, width: number, align: Align): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'right' ? space + text : text + space;
}

/** Wraps `text` to lines of at most `width` columns. A word longer than that gets its own line. */
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

export interface TableLayout {
  readonly styleTitle?: (text: string) => string;
  /**
   * Width of the page in columns, for which the last table column is wrapped or put below its row. Null for unlimited
   * lines.
   */
  readonly width?: number | null;
  /** If true, titles are wrapped to the width of the values. */
  readonly narrow?: boolean;
}

/** Smallest width of a column with wrapped text. */
const MIN_TEXT_WIDTH = 24;
/**
 * Smallest fraction of the page's width for a column with wrapped text. If less is left, the text is put below its row.
 */
const MIN_TEXT_FRACTION = 1 / 3;
const INDENT = 4;

/** Width of each column. If `narrow`, titles may be wrapped at blanks. */
function columnWidths(columns: readonly Column[], rows: readonly (readonly string[])[], narrow: boolean) {
  return columns.map(({ title }, i) =>
    Math.max(
      ...(narrow ? title.split(' ') : [title]).map(displayWidth),
      ...rows.map((row) => displayWidth(row[i] ?? '')),
    ),
  );
}

/** Number of columns, counted from the first, that fit into a line. */
export function fittingColumnCount(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): number {
  let used = -2;
  const fit = columnWidths(columns, rows, true).findIndex((one) => {
    used += one + 2;
    return used > width;
  });
  return fit < 0 ? columns.length : Math.max(fit, 2);
}

/** Formats a table with a title row, two spaces between columns, and no trailing spaces. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { styleTitle = (text) => text, width = null, narrow = false }: TableLayout = {},
): readonly string[] {
  const widths = columnWidths(columns, rows, narrow);
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align = 'left' }, i) => pad(cells[i] ?? '', widths[i] ?? 0, align))
      .join('  ')
      .trimEnd();
  const last = columns.length - 1;
  const before = widths.slice(0, last).reduce((sum, one) => sum + one + 2, 0);
  const room = width === null ? Number.POSITIVE_INFINITY : width - before;
  const isText = columns[last]?.align !== 'right';
  if (width !== null && isText && room < width * MIN_TEXT_FRACTION) {
    const below = (text: string): readonly string[] =>
      wrap(text, width - INDENT).map((part) => `${' '.repeat(INDENT)}${part}`);
    const others = formatTable(columns.slice(0, last), rows, { styleTitle, narrow });
    const titles = others.slice(0, others.length - rows.length);
    return [
      ...titles,
      ...below(styleTitle(columns[last]?.title ?? '')),
      ...rows.flatMap((row, i) => [others[titles.length + i] ?? '', ...below(row[last] ?? '')]),
    ];
  }
  const body = rows.flatMap((row) =>
    (isText ? wrap(row[last] ?? '', room) : [row[last] ?? '']).map((text, i) =>
      line(i === 0 ? [...row.slice(0, last), text] : [...row.slice(0, last).map(() => ''), text]),
    ),
  );
  const titles = columns.map(({ title }, i) => (narrow ? wrap(title, widths[i] ?? 0) : [title]));
  const height = Math.max(...titles.map(({ length }) => length));
  const head = Array.from({ length: height }, (_, row) =>
    line(titles.map((lines) => styleTitle(lines[row - height + lines.length] ?? ''))),
  );
  return [...head, ...body];
}

/** Formats indented lines of `name value` with aligned values. Values are wrapped to fit into `width` columns. */
export function formatPairs(
  entries: readonly (readonly [name: string, value: string])[],
  width = Number.POSITIVE_INFINITY,
): readonly string[] {
  const names = Math.max(...entries.map(([name]) => displayWidth(name)));
  const room = Math.max(MIN_TEXT_WIDTH, width - names - INDENT);
  return entries.flatMap(([name, value]) =>
    wrap(value, room).map((text, i) => `  ${pad(i === 0 ? name : '', names, 'left')}  ${text}`.trimEnd()),
  );
}
