/** The same table with points side by side: a row a value. Those in sight are drawn. */
import { type ReactElement, useMemo, useState } from 'react';
import { count } from '../../base/numbers.ts';
import { Cell, Heading, NoRows, POINT, shownColumns } from './cells.tsx';
import type { ResultsTableProps } from './results-table.tsx';
import { useRows } from './use-rows.ts';

/** As the style sheet has it. */
const COLUMN_PX = 136;
/** Browsers end elements at some 33 million pixels. */
const MOST_BESIDE = 200_000;

/** Drawn beyond what is in sight. */
const BESIDE = 6;

export function TransposedTable(props: ResultsTableProps): ReactElement {
  const { entry, look, onSort } = props;
  const [first, setFirst] = useState(0);
  const part = useRows(props, first);
  const shown = useMemo(() => shownColumns(part?.columns ?? [], look), [part, look]);
  const all = Math.min(part?.shown ?? 0, MOST_BESIDE);
  const from = part?.from ?? 0;
  const start = Math.max(0, first - BESIDE - from);
  const seen = Math.ceil(window.innerWidth / COLUMN_PX) + 2 * BESIDE;
  const rows = (part?.rows ?? []).slice(start, start + seen).map((row, k) => ({ row, k: start + k }));
  const point = part?.columns.findIndex(({ key }) => key === POINT) ?? -1;
  return (
    <section
      className="studies__rows studies__rows--transposed"
      aria-label={`Results of ${entry.name}, transposed`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
      tabIndex={0}
      onScroll={({ currentTarget }) => setFirst(Math.floor(currentTarget.scrollLeft / COLUMN_PX))}
    >
      {(part?.shown ?? 0) > all ? (
        <p className="studies__said">The first {count(all)} stand side by side. Filter or group to see others.</p>
      ) : null}
      {/* A cell as wide as what is out of sight would take a browser minutes. */}
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
