/** The table of a study: every row is there, those in sight are drawn. */
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import type { StudyEntry, StudyRows } from '../../../electron/contract/study/calls.ts';
import { count } from '../../base/numbers.ts';
import { errorText } from '../../state/notices.ts';
import { useWorkbench } from '../../workbench/context.ts';
import { cellText, columnTitle } from './words.ts';

/** As the style sheet has it. */
const ROW_PX = 26;
/** Asked for at once: some screens of rows. */
const CHUNK = 200;
/** Groups of columns that nobody looks for at first. */
const MOSTLY_HIDDEN = new Set(['where']);

interface Part extends StudyRows {
  readonly from: number;
}

export interface ResultsTableProps {
  readonly entry: StudyEntry;
  readonly filter: string;
  /** Columns in which all rows are alike are left out. */
  readonly hideEqual: boolean;
  readonly onOpen: (point: string) => void;
  readonly onRows: (rows: Pick<StudyRows, 'columns' | 'notes' | 'matching' | 'all'>) => void;
  readonly onFault: (fault: string | null) => void;
}

export function ResultsTable(props: ResultsTableProps): ReactElement {
  const { entry, filter, hideEqual, onOpen, onRows, onFault } = props;
  const { client } = useWorkbench();
  const [sort, setSort] = useState<{ readonly key: string; readonly descending: boolean } | null>(null);
  const [part, setPart] = useState<Part | null>(null);
  const [first, setFirst] = useState(0);
  const box = useRef<HTMLElement>(null);
  const { id } = entry;
  const ended = entry.done + entry.failed;
  const from = Math.max(0, Math.floor(first / CHUNK - 0.5) * CHUNK);
  // Asked again when results have come.
  const asked = JSON.stringify([id, filter, sort, from, ended]);
  useEffect(() => {
    let current = true;
    const [study, text, order, start] = JSON.parse(asked) as [string, string, typeof sort, number];
    client.call('study.rows', { study, filter: text, sort: order, from: start, count: 2 * CHUNK }).then(
      (answer) => {
        if (!current) return;
        setPart({ ...answer, from: start });
        onRows(answer);
        onFault(null);
      },
      (error: unknown) => current && onFault(errorText(error)),
    );
    return () => {
      current = false;
    };
  }, [client, asked, onRows, onFault]);
  const shown = useMemo(
    () =>
      (part?.columns ?? []).flatMap((column, i) => {
        const hidden = MOSTLY_HIDDEN.has(column.of) || (hideEqual && column.equal && column.key !== 'point point');
        return hidden ? [] : [{ column, i }];
      }),
    [part, hideEqual],
  );
  const point = part?.columns.findIndex(({ key }) => key === 'point point') ?? -1;
  const rows = part?.rows ?? [];
  const before = (part?.from ?? 0) * ROW_PX;
  const after = Math.max(0, (part?.matching ?? 0) - (part?.from ?? 0) - rows.length) * ROW_PX;
  return (
    <section
      ref={box}
      className="studies__rows"
      aria-label={`Results of ${entry.name}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
      tabIndex={0}
      onScroll={({ currentTarget }) => setFirst(Math.floor(currentTarget.scrollTop / ROW_PX))}
    >
      <table aria-rowcount={(part?.matching ?? 0) + 1} data-testid="study-rows">
        <thead>
          <tr>
            {shown.map(({ column }) => {
              const mine = sort?.key === column.key ? sort : null;
              const order = mine === null ? 'none' : mine.descending ? 'descending' : 'ascending';
              return (
                <th key={column.key} scope="col" aria-sort={order} data-numeric={column.numeric}>
                  <button
                    type="button"
                    onClick={() => {
                      setSort(mine?.descending === true ? null : { key: column.key, descending: mine !== null });
                      box.current?.scrollTo({ top: 0 });
                    }}
                  >
                    {columnTitle(column)}
                    {mine === null ? '' : mine.descending ? ' ▾' : ' ▴'}
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {before > 0 ? (
            <tr>
              <td colSpan={shown.length} style={{ height: before }} />
            </tr>
          ) : null}
          {rows.map((row, k) => {
            const name = String(row[point] ?? k);
            return (
              <tr key={name} aria-rowindex={(part?.from ?? 0) + k + 2}>
                {shown.map(({ column, i }) => (
                  <td key={column.key} data-numeric={column.numeric}>
                    {i === point ? (
                      <button type="button" title="Opens the scenario of this point" onClick={() => onOpen(name)}>
                        {name.slice(0, 8)}
                      </button>
                    ) : (
                      cellText(row[i], column.of)
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
          {after > 0 ? (
            <tr>
              <td colSpan={shown.length} style={{ height: after }} />
            </tr>
          ) : null}
        </tbody>
      </table>
      {part !== null && part.all === 0 ? <p className="studies__none">{count(0)} points are solved yet.</p> : null}
      {part !== null && part.all > 0 && part.matching === 0 ? (
        <p className="studies__none">The filter lets none of {count(part.all)} rows through.</p>
      ) : null}
    </section>
  );
}
