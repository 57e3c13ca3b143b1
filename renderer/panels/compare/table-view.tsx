/** The comparison as a table: one row per subject. The user can sort, hide, move and colour rows. */
import { type ReactElement, useMemo } from 'react';
import { modes, rowVerdict } from '../../../electron/contract/bench/bench-session.ts';
import type { ComparedGroup } from '../../../electron/contract/bench/comparison.ts';
import type { SessionTerms } from '../../../electron/contract/bench/session.ts';
import { provenanceText } from '../../../electron/domain/provenance.ts';
import { type Column, modeReason, nextSort, sessionColumns, sortRows } from '../../../electron/domain/session-table.ts';
import { exportFigure } from '../../drawing/figures/exported.ts';
import type { Figure } from '../../drawing/figures/figure.ts';
import { type TableColumn, tableFigure } from '../../drawing/figures/table.ts';
import { ExportMenu, MenuButton, type MenuItem } from '../../widgets/floating/menu.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { type CompareStore, type ShownRow, shownRowName } from './store.ts';
import { TableAdvice, TableNotes } from './table-notes.tsx';

const inkNames = ['blue', 'orange', 'green', 'violet', 'brown', 'teal', 'pink', 'grey'] as const;

function RowMenu({ shown, all }: { readonly shown: ShownRow; readonly all: readonly ShownRow[] }): ReactElement {
  const { stores } = useWorkbench();
  const { comparison } = stores;
  const { key, ink, hidden, isGroupReference } = shown;
  const at = all.findIndex((one) => one.key === key);
  const items: readonly MenuItem[] = [
    {
      id: 'reference',
      label: 'Reference',
      detail: 'Compare the others with it',
      checked: isGroupReference,
      onChoose: () => comparison.setReference(key),
    },
    { id: 'up', label: 'Move up', startsGroup: true, disabled: at <= 0, onChoose: () => comparison.move(key, at - 1) },
    { id: 'down', label: 'Move down', disabled: at >= all.length - 1, onChoose: () => comparison.move(key, at + 2) },
    {
      id: 'hide',
      label: hidden ? 'Show in figures' : 'Hide',
      onChoose: () => comparison.hide(key, !hidden),
    },
    { id: 'remove', label: 'Remove', onChoose: () => comparison.remove([key]) },
    ...inkNames.map(
      (name, i): MenuItem => ({
        id: `ink-${i}`,
        label: name,
        checked: ink === i,
        ...(i === 0 && { heading: 'Colour', startsGroup: true }),
        onChoose: () => comparison.recolour(key, i),
      }),
    ),
  ];
  return (
    <MenuButton
      label={`Row ${shownRowName(shown, all)}`}
      className="compare-swatch center gap-s rounded hoverable"
      items={items}
    >
      <svg width="12" height="12" aria-hidden="true">
        <rect width="12" height="12" rx="2" fill={`var(--series-${ink + 1})`} />
      </svg>
    </MenuButton>
  );
}

function tipOf({ row }: ShownRow): string {
  const differences = row.differences.map(({ what, reference, here }) => `${what}: ${here} (reference: ${reference})`);
  return [provenanceText(row.provenance), ...(row.note === null ? [] : [row.note]), ...differences].join('\n');
}

function Cell({ column, shown }: { readonly column: Column; readonly shown: ShownRow }): ReactElement {
  const { row } = shown;
  const { id } = column;
  const mode = id === 'process' ? id : modes.find((one) => one === id);
  const reason = mode === undefined ? null : modeReason(row, mode);
  return (
    <td
      data-align={column.align}
      data-column={column.id}
      data-wrong={column.wrong?.(row) === true || undefined}
      title={reason ?? undefined}
    >
      {column.text(row)}
    </td>
  );
}

/** Font size of exported figures, CSS pixels. */
const LABEL = 11;

/** The table as a figure; its numeric columns are exported as numbers. */
function figureOf(rows: readonly ShownRow[], shown: readonly Column[]): Figure {
  const names = rows.map((row) => shownRowName(row, rows));
  const provenance = new Set(rows.map(({ row }) => `${row.origin}: ${provenanceText(row.provenance)}`));
  return tableFigure(
    'Comparison',
    [
      { title: '', align: 'left', texts: names, numbers: null },
      ...shown.map(({ id, title, tip, align, unit, text, by }): TableColumn => {
        const values = rows.map(({ row }) => by(row));
        const numeric = values.some((value) => typeof value === 'number');
        const numbers = {
          ...{ name: id, unit: unit ?? '', description: tip },
          values: values.map((value) => (typeof value === 'number' ? value : Number.NaN)),
        };
        return { title, align, texts: rows.map(({ row }) => text(row)), numbers: numeric ? numbers : null };
      }),
    ],
    rows.map(({ isGroupReference }) => ({ strong: isGroupReference })),
    [...provenance].join('. '),
    LABEL,
  );
}

interface ColumnsProps {
  readonly store: CompareStore;
  readonly columns: readonly Column[];
}

/** Menu that shows and hides columns. */
function ColumnsMenu({ store, columns }: ColumnsProps): ReactElement {
  const hidden = useSelected(store, (state) => state.hidden);
  const toggle = (id: string): void =>
    store.setState({ hidden: hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id] });
  return (
    <MenuButton
      label="Columns"
      action="columns"
      className="compare-columns center gap-s rounded"
      items={columns.map(({ id, title, tip }) => ({
        ...{ id, label: title, detail: tip },
        checked: !hidden.includes(id),
        onChoose: () => toggle(id),
      }))}
    >
      <span>Columns</span>
      <Icon name="chevron" size={11} />
    </MenuButton>
  );
}

/** Head of a column; pressing it sorts the rows. */
function ColumnHead({ store, column }: { readonly store: CompareStore; readonly column: Column }): ReactElement {
  const sort = useSelected(store, (state) => state.sort);
  const { id, title, tip, align } = column;
  const active = sort?.column === id;
  const order = !active ? 'none' : sort?.descending ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={order} data-align={align}>
      <button type="button" title={tip} onClick={() => store.setState({ sort: nextSort(id, sort) })}>
        {title}
        {active ? <Icon name={sort?.descending ? 'down' : 'up'} size={10} /> : null}
      </button>
    </th>
  );
}

interface RowProps {
  readonly shown: ShownRow;
  readonly all: readonly ShownRow[];
  readonly columns: readonly Column[];
}

function Row({ shown, all, columns }: RowProps): ReactElement {
  return (
    <tr data-verdict={rowVerdict(shown.row)} data-testid="compare-row">
      <th scope="row" title={tipOf(shown)}>
        <span className="compare-name flex center gap-l">
          <RowMenu shown={shown} all={all} />
          <span>
            {shown.row.title}
            <small className="muted small">{shown.row.origin}</small>
          </span>
        </span>
      </th>
      {columns.map((column) => (
        <Cell key={column.id} column={column} shown={shown} />
      ))}
    </tr>
  );
}

interface GroupProps {
  readonly title: string;
  readonly rows: readonly ShownRow[];
  readonly all: readonly ShownRow[];
  readonly columns: readonly Column[];
}

function Group({ title, rows, all, columns }: GroupProps): ReactElement {
  return (
    <tbody aria-label={title || undefined}>
      {title === '' ? null : (
        <tr data-testid="compare-group">
          <th scope="rowgroup" className="compare-group" colSpan={columns.length + 1}>
            {title}
          </th>
        </tr>
      )}
      {rows.map((shown) => (
        <Row key={shown.key} shown={shown} all={all} columns={columns} />
      ))}
    </tbody>
  );
}

interface BarProps {
  readonly rows: readonly ShownRow[];
  readonly columns: readonly Column[];
  readonly groups: readonly ComparedGroup[];
}

/** Number of rows, and export of the table. */
function TableBar({ rows, columns, groups }: BarProps): ReactElement {
  const { figures } = useWorkbench();
  const exported = () => exportFigure(figureOf(rows, columns), 'comparison', 'Comparison');
  return (
    <div className="compare-bar">
      <span className="panel-readout">
        {rows.length === 1 ? 'One row' : `${rows.length} rows`}
        {groups.length < 2 ? '' : `, in ${groups.length} groups: times can be compared only within a group`}
      </span>
      <ExportMenu what="the table" onChoose={(format) => void figures.save(exported(), format)} />
    </div>
  );
}

interface TableProps {
  readonly store: CompareStore;
  readonly rows: readonly ShownRow[];
  readonly words: SessionTerms | null;
  readonly groups: readonly ComparedGroup[];
}

export function TableView({ store, rows, words, groups }: TableProps): ReactElement {
  const { hidden, sort } = useSelected(store, (state) => state);
  const columns = useMemo(
    () =>
      sessionColumns(
        rows.map(({ row }) => row),
        words,
      ),
    [rows, words],
  );
  const shownColumns = columns.filter(({ id }) => !hidden.includes(id));
  const byRow = new Map(rows.map((shown) => [shown.row, shown]));
  const visible = rows.flatMap((shown) => (shown.hidden ? [] : [shown.row]));
  const ordered = sortRows(visible, sort, columns).flatMap((row) => byRow.get(row) ?? []);
  return (
    <>
      <TableAdvice rows={rows} ordered={ordered} groups={groups} />
      <TableBar rows={ordered} columns={shownColumns} groups={groups} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
      <section className="compare-scroll" aria-label="Comparison" tabIndex={0}>
        <table className="table compare-table" data-testid="compare-table">
          <thead>
            <tr>
              <th scope="col">
                <ColumnsMenu store={store} columns={columns} />
              </th>
              {shownColumns.map((column) => (
                <ColumnHead key={column.id} store={store} column={column} />
              ))}
            </tr>
          </thead>
          {groups.map(({ title }, group) => (
            <Group
              key={title}
              title={title}
              rows={ordered.filter(({ row }) => row.group === group)}
              all={rows}
              columns={shownColumns}
            />
          ))}
        </table>
        <TableNotes rows={rows} ordered={ordered} />
      </section>
    </>
  );
}
