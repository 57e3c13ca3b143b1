/** Cells of a study's table: points that are chosen, groups that are opened, and values. */
import type { ReactElement } from 'react';
import type { StudyCell, StudyColumnInfo } from '../../../electron/contract/study/calls.ts';
import type { StudyLook } from '../../../electron/contract/study/views.ts';
import { count } from '../../base/numbers.ts';
import type { Part } from './use-rows.ts';
import { cellText, columnTitle } from './words.ts';

export const POINT = 'point point';
const ROWS = 'group rows';

interface ShownColumn {
  readonly column: StudyColumnInfo;
  /** Its place in the rows. */
  readonly i: number;
}

/** Columns in the table. The machine of a point appears only in exported files, and if rows are grouped by it. */
export function shownColumns(
  columns: readonly StudyColumnInfo[],
  { hideEqual, groups }: StudyLook,
): readonly ShownColumn[] {
  return columns.flatMap((column, i) => {
    const { key, of, equal } = column;
    if (groups.includes(key) || key === POINT) return [{ column, i }];
    const hidden = of === 'where' || ((hideEqual || of === 'group') && equal);
    return hidden ? [] : [{ column, i }];
  });
}

/** The condition that the rows of a group meet; null where it cannot be written. */
export function conditionOf(
  columns: readonly StudyColumnInfo[],
  row: readonly StudyCell[],
  groups: readonly string[],
): string | null {
  const parts = groups.map((key) => {
    const i = columns.findIndex((column) => column.key === key);
    const [name, value] = [columns[i]?.name, row[i] ?? null];
    if (name === undefined || value === null || !/^[A-Za-z_$][\w$.[\]]*$/.test(name)) return null;
    if (typeof value === 'number') return `${name} == ${value}`;
    const quote = value.includes('"') ? "'" : '"';
    return value.includes(quote) ? null : `${name} == ${quote}${value}${quote}`;
  });
  return parts.every((part) => part !== null) ? parts.join(' && ') : null;
}

export interface Deeds {
  readonly chosen: readonly string[];
  readonly onChoose: (point: string) => void;
  /** Shows the rows of a group. */
  readonly onGroup: (condition: string) => void;
}

interface CellProps extends Deeds {
  readonly part: Part;
  readonly look: StudyLook;
  /** In the part. */
  readonly row: number;
  readonly shown: ShownColumn;
}

export function Cell({ part, look, row, shown: { column, i }, chosen, onChoose, onGroup }: CellProps): ReactElement {
  const cells = part.rows[row] ?? [];
  const value = cells[i];
  if (column.key === POINT) {
    const name = String(value);
    return (
      <button
        type="button"
        aria-pressed={chosen.includes(name)}
        title="Choose this point"
        onClick={() => onChoose(name)}
      >
        {name.slice(0, 8)}
      </button>
    );
  }
  const condition = column.key === ROWS ? conditionOf(part.columns, cells, look.groups) : null;
  if (condition !== null)
    return (
      <button type="button" title={`Show the rows where ${condition}`} onClick={() => onGroup(condition)}>
        {count(Number(value))}
      </button>
    );
  const span = part.spans[row]?.[i] ?? null;
  if (span === null) return <>{cellText(value, column.of)}</>;
  return (
    <span title={`Median; from ${cellText(span[0], column.of)} to ${cellText(span[1], column.of)}`}>
      {cellText(value, column.of)}
      <span className="studies__span">
        {cellText(span[0], column.of)}…{cellText(span[1], column.of)}
      </span>
    </span>
  );
}

interface HeadProps {
  readonly column: StudyColumnInfo;
  readonly look: StudyLook;
  readonly onSort: (sort: StudyLook['sort']) => void;
}

export const orderOf = ({ column, look }: Pick<HeadProps, 'column' | 'look'>): 'none' | 'ascending' | 'descending' =>
  look.sort?.key !== column.key ? 'none' : look.sort.descending ? 'descending' : 'ascending';

/** Sorts up, then down, then not at all. */
export function Heading({ column, look, onSort }: HeadProps): ReactElement {
  const order = orderOf({ column, look });
  const { key } = column;
  return (
    <button
      type="button"
      title={columnTitle(column)}
      onClick={() => onSort(order === 'descending' ? null : { key, descending: order === 'ascending' })}
    >
      {columnTitle(column)}
      {order === 'none' ? '' : order === 'descending' ? ' ▾' : ' ▴'}
    </button>
  );
}

/** Why there is no row. */
export function NoRows({ part }: { readonly part: Part | null }): ReactElement | null {
  if (part === null || part.matching > 0) return null;
  return (
    <p className="studies__none">
      {part.all === 0
        ? `${count(0)} points are solved yet.`
        : `The filter lets none of ${count(part.all)} rows through.`}
    </p>
  );
}
