/**
 * Virtualised table of a study: only visible rows are drawn. Cells select points, open groups and show values. The
 * transposed table has one column per point.
 */
import { type ReactElement, useMemo, useRef, useState } from 'react';
import type { StudyCell, StudyColumnInfo, StudyViewSettings } from '../../../electron/contract/study/calls.ts';
import { count } from '../../../electron/domain/numbers.ts';
import { type Part, type RowsProps, useRows } from './use-rows.ts';
import { cellText, columnTitle } from './words.ts';

const POINT = 'point point';
const ROWS = 'group rows';

interface ShownColumn {
  readonly column: StudyColumnInfo;
  /** Index of the column's cell in each row. */
  readonly i: number;
}

/**
 * Columns to show in the table. The machine of a point appears only in exported files, and if rows are grouped by
 * machine.
 */
export function shownColumns(
  columns: readonly StudyColumnInfo[],
  { hideEqual, groups }: StudyViewSettings,
): readonly ShownColumn[] {
  return columns.flatMap((column, i) => {
    const { key, of, equal } = column;
    if (groups.includes(key) || key === POINT) return [{ column, i }];
    const hidden = of === 'where' || ((hideEqual || of === 'group') && equal);
    return hidden ? [] : [{ column, i }];
  });
}

/** Filter condition for the rows of a group; null if it cannot be written. */
export function groupCondition(
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

/** Settings of a point that vary in its study: `beam.energy_MeV = 70`. */
const settingsIn = (columns: readonly StudyColumnInfo[], row: readonly StudyCell[]): string =>
  columns.flatMap(({ of, name, equal }, i) => (of === 'axis' && !equal ? [`${name} = ${row[i]}`] : [])).join(', ');

interface TableActions {
  readonly chosen: readonly string[];
  readonly onChoose: (point: string) => void;
  /** Opens the rows of a group. */
  readonly onGroup: (condition: string) => void;
}

interface CellProps extends TableActions {
  readonly part: Part;
  readonly look: StudyViewSettings;
  /** Row number in the loaded part. */
  readonly row: number;
  readonly shown: ShownColumn;
}

function Cell({ part, look, row, shown: { column, i }, chosen, onChoose, onGroup }: CellProps): ReactElement {
  const cells = part.rows[row] ?? [];
  const value = cells[i];
  if (column.key === POINT) {
    const name = String(value);
    return (
      <input
        type="checkbox"
        aria-label={`Select the point ${settingsIn(part.columns, cells)}`}
        title={`Select this point, ${name}`}
        checked={chosen.includes(name)}
        onChange={() => onChoose(name)}
      />
    );
  }
  const condition = column.key === ROWS ? groupCondition(part.columns, cells, look.groups) : null;
  if (condition !== null)
    return (
      <button
        type="button"
        className="link"
        title={`Show the rows where ${condition}`}
        onClick={() => onGroup(condition)}
      >
        {count(Number(value))}
      </button>
    );
  const span = part.spans[row]?.[i] ?? null;
  if (span === null) return <>{cellText(value, column.of)}</>;
  return (
    <span title={`Median; from ${cellText(span[0], column.of)} to ${cellText(span[1], column.of)}`}>
      {cellText(value, column.of)}
      <span className="studies__span muted small">
        {cellText(span[0], column.of)}…{cellText(span[1], column.of)}
      </span>
    </span>
  );
}

interface HeadProps {
  readonly column: StudyColumnInfo;
  readonly look: StudyViewSettings;
  readonly onSort: (sort: StudyViewSettings['sort']) => void;
}

const sortOrderOf = ({ column, look }: Pick<HeadProps, 'column' | 'look'>): 'none' | 'ascending' | 'descending' =>
  look.sort?.key !== column.key ? 'none' : look.sort.descending ? 'descending' : 'ascending';

/** Column heading. Each press changes the order: first ascending, then descending, then unsorted. */
function Heading({ column, look, onSort }: HeadProps): ReactElement {
  const order = sortOrderOf({ column, look });
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

/** Explains why there are no rows. */
function NoRows({ part }: { readonly part: Part | null }): ReactElement | null {
  if (part === null || part.matching > 0) return null;
  return (
    <p className="studies__none muted">
      {part.all === 0
        ? `${count(0)} points are solved so far.`
        : `The filter excludes all ${count(part.all)} rows. Change or clear it.`}
    </p>
  );
}

/** Row height in the style sheet, in px. */
const ROW_PX = 26;
/** Rows drawn above and below the visible ones. */
const SPARE_ROWS = 12;

interface ResultsTableProps extends RowsProps, TableActions {
  readonly onSort: (sort: StudyViewSettings['sort']) => void;
}

export function ResultsTable(props: ResultsTableProps): ReactElement {
  const { entry, look, onSort } = props;
  const [first, setFirst] = useState(0);
  const box = useRef<HTMLElement>(null);
  const part = useRows(props, first);
  const shown = useMemo(() => shownColumns(part?.columns ?? [], look), [part, look]);
  const point = part?.columns.findIndex(({ key }) => key === POINT) ?? -1;
  const from = part?.from ?? 0;
  const start = Math.max(0, first - SPARE_ROWS - from);
  const seen = Math.ceil(window.innerHeight / ROW_PX) + 2 * SPARE_ROWS;
  const rows = (part?.rows ?? []).slice(start, start + seen).map((row, k) => ({ row, k: start + k }));
  // Limit the space above the rows to the new number of rows. After a filter, the old height would make scrolling up
  // send a request for every screen.
  const before = Math.min(from + start, part?.shown ?? 0) * ROW_PX;
  const after = Math.max(0, (part?.shown ?? 0) - from - start - rows.length) * ROW_PX;
  const space = (height: number): ReactElement | null =>
    height <= 0 ? null : (
      <tr>
        <td colSpan={shown.length} style={{ height }} />
      </tr>
    );
  return (
    <section
      ref={box}
      className="studies__rows line-above grow scroll"
      aria-label={`Results of ${entry.name}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget }) => setFirst(Math.floor(currentTarget.scrollTop / ROW_PX))}
    >
      <table aria-rowcount={(part?.shown ?? 0) + 1} data-testid="study-rows">
        <thead>
          <tr>
            {shown.map(({ column }) => (
              <th key={column.key} scope="col" aria-sort={sortOrderOf({ column, look })} data-numeric={column.numeric}>
                <Heading
                  column={column}
                  look={look}
                  onSort={(sort) => {
                    onSort(sort);
                    box.current?.scrollTo({ top: 0 });
                  }}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {space(before)}
          {part === null
            ? null
            : rows.map(({ row, k }) => (
                <tr
                  key={point < 0 ? from + k : String(row[point])}
                  aria-rowindex={from + k + 2}
                  data-chosen={props.chosen.includes(String(row[point]))}
                >
                  {shown.map((one) => (
                    <td key={one.column.key} data-numeric={one.column.numeric}>
                      <Cell {...props} part={part} row={k} shown={one} />
                    </td>
                  ))}
                </tr>
              ))}
          {space(after)}
        </tbody>
      </table>
      <NoRows part={part} />
    </section>
  );
}

/** Column width in the style sheet, in px. */
const COLUMN_PX = 136;
/** Maximum number of columns, because browsers limit elements to some 33 million pixels. */
const MAX_TABLE_COLUMNS = 200_000;

/** Columns drawn on either side of the visible ones. */
const SPARE_COLUMNS = 6;

export function TransposedTable(props: ResultsTableProps): ReactElement {
  const { entry, look, onSort } = props;
  const [first, setFirst] = useState(0);
  const part = useRows(props, first);
  const shown = useMemo(() => shownColumns(part?.columns ?? [], look), [part, look]);
  const all = Math.min(part?.shown ?? 0, MAX_TABLE_COLUMNS);
  const from = part?.from ?? 0;
  const start = Math.max(0, first - SPARE_COLUMNS - from);
  const seen = Math.ceil(window.innerWidth / COLUMN_PX) + 2 * SPARE_COLUMNS;
  const rows = (part?.rows ?? []).slice(start, start + seen).map((row, k) => ({ row, k: start + k }));
  const point = part?.columns.findIndex(({ key }) => key === POINT) ?? -1;
  return (
    <section
      className="studies__rows line-above grow scroll studies__rows--transposed"
      aria-label={`Results of ${entry.name}, transposed`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget }) => setFirst(Math.floor(currentTarget.scrollLeft / COLUMN_PX))}
    >
      {(part?.shown ?? 0) > all ? (
        <p className="studies__said">The first {count(all)} are shown. Filter or group to see others.</p>
      ) : null}
      {/* Margins instead of wide spacer cells, which would take a browser minutes to lay out. */}
      <div style={{ minWidth: all * COLUMN_PX }}>
        <table
          aria-colcount={all + 1}
          data-testid="study-rows"
          style={{ marginLeft: Math.min(from + start, all) * COLUMN_PX }}
        >
          <tbody>
            {shown.map((one) => (
              <tr key={one.column.key}>
                <th scope="row">
                  <Heading column={one.column} look={look} onSort={onSort} />
                </th>
                {part === null
                  ? null
                  : rows.map(({ row, k }) => (
                      <td
                        key={point < 0 ? from + k : String(row[point])}
                        aria-colindex={from + k + 2}
                        data-numeric={one.column.numeric}
                        data-chosen={props.chosen.includes(String(row[point]))}
                      >
                        <Cell {...props} part={part} row={k} shown={one} />
                      </td>
                    ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <NoRows part={part} />
    </section>
  );
}
