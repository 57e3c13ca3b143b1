/** The table of a study: every row is there, those in sight are drawn. */
import { type ReactElement, useMemo, useRef, useState } from 'react';
import type { StudyLook } from '../../../electron/contract/study/views.ts';
import { Cell, type Deeds, Heading, NoRows, orderOf, POINT, shownColumns } from './cells.tsx';
import { type RowsProps, useRows } from './use-rows.ts';

/** As the style sheet has it. */
const ROW_PX = 26;
/** Drawn above and below what is in sight. */
const BESIDE = 12;

export interface ResultsTableProps extends RowsProps, Deeds {
  readonly onSort: (sort: StudyLook['sort']) => void;
}

export function ResultsTable(props: ResultsTableProps): ReactElement {
  const { entry, look, onSort } = props;
  const [first, setFirst] = useState(0);
  const box = useRef<HTMLElement>(null);
  const part = useRows(props, first);
  const shown = useMemo(() => shownColumns(part?.columns ?? [], look), [part, look]);
  const point = part?.columns.findIndex(({ key }) => key === POINT) ?? -1;
  const from = part?.from ?? 0;
  const start = Math.max(0, first - BESIDE - from);
  const seen = Math.ceil(window.innerHeight / ROW_PX) + 2 * BESIDE;
  const rows = (part?.rows ?? []).slice(start, start + seen).map((row, k) => ({ row, k: start + k }));
  // Fewer rows than stood above: a table as tall as they were would be scrolled up a screen at a time, asking at each.
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
      className="studies__rows"
      aria-label={`Results of ${entry.name}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
      tabIndex={0}
      onScroll={({ currentTarget }) => setFirst(Math.floor(currentTarget.scrollTop / ROW_PX))}
    >
      <table aria-rowcount={(part?.shown ?? 0) + 1} data-testid="study-rows">
        <thead>
          <tr>
            {shown.map(({ column }) => (
              <th key={column.key} scope="col" aria-sort={orderOf({ column, look })} data-numeric={column.numeric}>
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
