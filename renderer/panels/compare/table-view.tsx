/** The comparison as a table: one row per subject. The user can sort, hide, move and colour rows. */
import { type ReactElement, useMemo } from 'react';
import { modes, rowVerdict } from '../../../electron/contract/bench/bench-session.ts';
import type { BenchInfo } from '../../../electron/contract/bench/benches.ts';
import type { ComparedGroup } from '../../../electron/contract/bench/comparison.ts';
import type { SessionTerms } from '../../../electron/contract/bench/session.ts';
import { advice } from '../../../electron/domain/advice.ts';
import { provenanceText } from '../../../electron/domain/provenance.ts';
import {
  advisedRows,
  type Column,
  columnsOf,
  modeReason,
  nextSort,
  sortRows,
} from '../../../electron/domain/session-table.ts';
import { exportFigure } from '../../drawing/figures/exported.ts';
import type { Figure } from '../../drawing/figures/figure.ts';
import { type TableColumn, tableFigure } from '../../drawing/figures/table.ts';
import { IconButton } from '../../widgets/controls/button.tsx';
import { ExportMenu, MenuButton, type MenuItem } from '../../widgets/floating/menu.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { type CompareStore, type ShownRow, shownRowName } from './store.ts';

// Measurement conditions of the rows, listed once per session.

/** Conditions recorded only on request. If one is present, the list of conditions starts expanded. */
const requestedConditions: ReadonlySet<string> = new Set(['GPU clock', 'Cooling', 'Energy']);

function Conditions({ rows }: { readonly rows: readonly ShownRow[] }): ReactElement | null {
  const told = rows.filter(({ row }) => row.conditions.length > 0);
  const each = [...new Map(told.map(({ row }) => [JSON.stringify([row.origin, row.conditions]), row])).entries()];
  if (each.length === 0) return null;
  return (
    <div className="compare-notes">
      {each.map(([key, { origin, conditions }]) => (
        <details key={key} open={conditions.some(([name]) => requestedConditions.has(name))}>
          <summary>{origin}: how it was measured</summary>
          <ul className="compare-conditions" aria-label={`How ${origin} was measured`}>
            {conditions.map(([name, value]) => (
              <li key={name + value}>
                {name}: {value}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
}

const inkNames = ['blue', 'orange', 'green', 'violet', 'brown', 'teal', 'pink', 'grey'] as const;

interface TableProps {
  readonly store: CompareStore;
  readonly rows: readonly ShownRow[];
  readonly words: SessionTerms | null;
  readonly groups: readonly ComparedGroup[];
}

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

/** Advice for the rows' benchmark, from the machine they were measured on. */
function adviceOf(rows: readonly ShownRow[], groups: readonly ComparedGroup[], isRecorded: boolean): readonly string[] {
  const [main] = groups;
  const where = rows.find(({ isGroupReference, row }) => isGroupReference && row.group === 0)?.row;
  if (main === undefined || where === undefined) return [];
  const instances = new Set(where.samples.flatMap(({ instance }) => instance ?? [])).size || null;
  const context = { where: `on ${where.provenance.machine}`, noise: main.noise, isRecorded, instances, longer: '' };
  return (
    advice(
      advisedRows(
        rows.map(({ row }) => row),
        where,
      ),
      context,
    ) ?? []
  );
}

/** Requested measurements that the sessions of the rows could not make. */
function useRefused(rows: readonly ShownRow[]): BenchInfo['refused'] {
  const { stores } = useWorkbench();
  const live = useSelected(stores.comparison, (state) => state.live);
  const stored = useSelected(stores.comparison, (state) => state.stored);
  const shown = new Set(rows.flatMap(({ row: { subject } }) => (subject.kind === 'run' ? [] : [subject.bench])));
  return [...live, ...stored].filter(({ id }) => shown.has(id)).flatMap((bench) => bench.refused);
}

export function TableView({ store, rows, words, groups }: TableProps): ReactElement {
  const config = useSelected(store, (state) => state);
  const { stores, figures } = useWorkbench();
  // After a reload, offered rows may also be measurements from this computer, which are not bundled ones.
  const recorded = useSelected(stores.comparison, ({ live }) =>
    rows.every(
      ({ offered, subject }) =>
        offered === true && subject.kind !== 'run' && live.every(({ id }) => id !== subject.bench),
    ),
  );
  const gpu = useSelected(stores.connection, ({ capabilities }) =>
    capabilities.devices.cuda.devices.some(({ usable }) => usable),
  );
  const refused = useRefused(rows);
  const columns = useMemo(
    () =>
      columnsOf(
        rows.map(({ row }) => row),
        words,
      ),
    [rows, words],
  );
  const shownColumns = columns.filter(({ id }) => !config.hidden.includes(id));
  const byRow = new Map(rows.map((shown) => [shown.row, shown]));
  const ordered = sortRows(
    rows.filter(({ hidden }) => !hidden).map(({ row }) => row),
    config.sort,
    columns,
  ).flatMap((row) => byRow.get(row) ?? []);
  const hiddenRows = rows.filter(({ hidden }) => hidden);
  const notes = ordered.filter(({ row }) => row.note !== null);
  const [answer, ...reasons] = adviceOf(ordered, groups, recorded);
  return (
    <>
      {answer === undefined ? null : (
        <div data-testid="compare-advice">
          <p className="compare-advice">{answer}</p>
          {reasons.map((text) => (
            <p key={text} className="compare-reason muted">
              {text}
            </p>
          ))}
        </div>
      )}
      {recorded ? (
        <p className="compare-advice">
          {gpu ? 'These are recorded results.' : 'No GPU here, so these are recorded results.'} Benchmark replaces them
          with results from this machine.
        </p>
      ) : null}
      <div className="compare-bar">
        <span className="panel-readout">
          {ordered.length === 1 ? 'One row' : `${ordered.length} rows`}
          {groups.length < 2 ? '' : `, in ${groups.length} groups: times can be compared only within a group`}
        </span>
        <ExportMenu
          what="the table"
          onChoose={(format) =>
            void figures.save(exportFigure(figureOf(ordered, shownColumns), 'comparison', 'Comparison'), format)
          }
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the keyboard's focus */}
      <section className="compare-scroll" aria-label="Comparison" tabIndex={0}>
        <table className="table compare-table" data-testid="compare-table">
          <thead>
            <tr>
              <th scope="col">
                <MenuButton
                  label="Columns"
                  action="columns"
                  className="compare-columns center gap-s rounded"
                  items={columns.map(({ id, title, tip }) => ({
                    id,
                    label: title,
                    detail: tip,
                    checked: !config.hidden.includes(id),
                    onChoose: () =>
                      store.setState({
                        hidden: config.hidden.includes(id)
                          ? config.hidden.filter((one) => one !== id)
                          : [...config.hidden, id],
                      }),
                  }))}
                >
                  <span>Columns</span>
                  <Icon name="chevron" size={11} />
                </MenuButton>
              </th>
              {shownColumns.map(({ id, title, tip, align }) => {
                const active = config.sort?.column === id;
                const order = !active ? 'none' : config.sort?.descending ? 'descending' : 'ascending';
                return (
                  <th key={id} scope="col" aria-sort={order} data-align={align}>
                    <button
                      type="button"
                      title={tip}
                      onClick={() => store.setState({ sort: nextSort(id, config.sort) })}
                    >
                      {title}
                      {active ? <Icon name={config.sort?.descending ? 'down' : 'up'} size={10} /> : null}
                    </button>
                  </th>
                );
              })}
            </tr>
          </thead>
          {groups.map(({ title }, group) => (
            <tbody key={title} aria-label={title || undefined}>
              {title === '' ? null : (
                <tr data-testid="compare-group">
                  <th scope="rowgroup" className="compare-group" colSpan={shownColumns.length + 1}>
                    {title}
                  </th>
                </tr>
              )}
              {ordered
                .filter(({ row }) => row.group === group)
                .map((shown) => (
                  <tr key={shown.key} data-verdict={rowVerdict(shown.row)} data-testid="compare-row">
                    <th scope="row" title={tipOf(shown)}>
                      <span className="compare-name row gap-l">
                        <RowMenu shown={shown} all={rows} />
                        <span>
                          {shown.row.title}
                          <small className="muted small">{shown.row.origin}</small>
                        </span>
                      </span>
                    </th>
                    {shownColumns.map((column) => (
                      <Cell key={column.id} column={column} shown={shown} />
                    ))}
                  </tr>
                ))}
            </tbody>
          ))}
        </table>
        {hiddenRows.length === 0 ? null : (
          <p className="compare-notes">
            Hidden:{' '}
            {hiddenRows.map((shown) => (
              <span key={shown.key} className="compare-hidden center">
                {shown.row.title}
                <IconButton
                  icon="plus"
                  size={11}
                  label={`Show ${shown.row.title}`}
                  onPress={() => stores.comparison.hide(shown.key, false)}
                />
              </span>
            ))}
          </p>
        )}
        {notes.length === 0 ? null : (
          <ul className="compare-notes">
            {notes.map((shown) => (
              <li key={shown.key}>
                {shownRowName(shown, rows)}: {shown.row.note}
              </li>
            ))}
          </ul>
        )}
        {refused.length === 0 ? null : (
          <ul className="compare-notes" aria-label="Not run">
            {refused.map(({ title, reason }) => (
              <li key={title + reason}>
                {title}: not run, {reason}
              </li>
            ))}
          </ul>
        )}
        <ul className="compare-notes">
          {[...new Set(ordered.map(({ row }) => `${row.origin}: ${provenanceText(row.provenance)}`))].map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
        <Conditions rows={ordered} />
      </section>
    </>
  );
}
