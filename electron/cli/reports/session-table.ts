/** Table of a session for a terminal. It has the columns that fit, or all with --wide. */
import { isIncorrect } from '../../contract/bench/session.ts';
import type { Result } from '../../contract/wire/methods.ts';
import { groupsText, type SessionTable, sessionTables } from '../../domain/session-table.ts';
import type { FlagSpec } from '../arguments.ts';
import { fittingColumnCount, formatTable, wrap } from '../table.ts';
import { WIDTH } from '../terminal.ts';

/** Wraps lines that are wider than the page. */
export const wrapLines = (lines: readonly string[]): readonly string[] => lines.flatMap((line) => wrap(line, WIDTH));

export const wideFlag: FlagSpec = {
  name: 'wide',
  help: `Show all columns, and for a benchmark the parts of the set-up; by default lines are limited to ${WIDTH} characters.`,
};

export type Style = (style: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string;

export interface TableStyle {
  readonly style: Style;
  readonly wide: boolean;
}

type Cells = SessionTable['rows'][number];

function colorCell({ text, tone }: Cells[number], style: Style): string {
  if (tone === null) return text;
  if (isIncorrect(tone)) return style('red', text);
  if (tone === 'faster') return style('green', text);
  return tone === 'slower' || tone === 'not checked' ? style('yellow', text) : text;
}

/** Longest row name in columns. A longer one is put on a separate line. */
const NAME_WIDTH = 40;

function withShortName([name, ...cells]: Cells): readonly Cells[] {
  if (name === undefined) return [];
  const [first = '', ...more] = wrap(name.text, NAME_WIDTH);
  return [[{ ...name, text: first }, ...cells], ...more.map((text) => [{ ...name, text: `  ${text}` }])];
}

/** Formats one table per group. `noise`: whether to add the noise of the group's reference. */
export function sessionTableLines(
  { rows, words, groups }: Omit<Result<'compare.rows'>, 'gone'>,
  { style, wide }: TableStyle,
  noise: boolean,
): readonly string[] {
  const all = sessionTables(rows, words, groups);
  const left = new Set<string>();
  const lines = all.flatMap(({ title, columns, rows: cells, noise: strays }, i) => {
    const named = wide ? cells : cells.flatMap(withShortName);
    const texts = named.map((row) => row.map(({ text }) => text));
    const count = wide ? columns.length : fittingColumnCount(columns, texts, WIDTH);
    for (const column of columns.slice(count)) left.add(column.title);
    const shown = named.map((row) => row.slice(0, count).map((cell) => colorCell(cell, style)));
    return [
      ...(i === 0 ? [] : ['']),
      ...(title === '' ? [] : [style('bold', title)]),
      ...formatTable(columns.slice(0, count), shown, { styleTitle: (text) => style('bold', text), narrow: !wide }),
      ...(noise && strays !== null ? wrap(strays, WIDTH) : []),
    ];
  });
  return [
    ...lines,
    ...(left.size === 0
      ? []
      : wrap(`More columns with --wide: ${[...left].join(', ')}.`, WIDTH).map((text) => style('dim', text))),
    ...(groups.length < 2 ? [] : ['', groupsText]),
  ];
}
