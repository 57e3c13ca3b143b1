/** Texts above and below the table of a comparison: advice, hidden rows, remarks, provenance and conditions. */
import type { ReactElement } from 'react';
import type { BenchInfo } from '../../../electron/contract/bench/benches.ts';
import type { ComparedGroup } from '../../../electron/contract/bench/comparison.ts';
import { advice } from '../../../electron/domain/advice.ts';
import { provenanceText } from '../../../electron/domain/provenance.ts';
import { adviceInput } from '../../../electron/domain/session-table.ts';
import { IconButton } from '../../widgets/controls/button.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { type ShownRow, shownRowName } from './store.ts';

interface RowsProps {
  readonly rows: readonly ShownRow[];
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
      adviceInput(
        rows.map(({ row }) => row),
        where,
      ),
      context,
    ) ?? []
  );
}

/**
 * Whether all rows are bundled results. After a reload, suggested rows may also be measurements from this computer.
 */
function useAllRecorded(rows: readonly ShownRow[]): boolean {
  const { stores } = useWorkbench();
  return useSelected(stores.comparison, ({ live }) =>
    rows.every(
      ({ offered, subject }) =>
        offered === true && subject.kind !== 'run' && live.every(({ id }) => id !== subject.bench),
    ),
  );
}

interface AdviceProps extends RowsProps {
  /** The rows in the table, in its order. */
  readonly ordered: readonly ShownRow[];
  readonly groups: readonly ComparedGroup[];
}

/** Answers which variant is fastest, with reasons, and adds a remark if all rows are recorded results. */
export function TableAdvice({ rows, ordered, groups }: AdviceProps): ReactElement {
  const { stores } = useWorkbench();
  const recorded = useAllRecorded(rows);
  const gpu = useSelected(stores.connection, ({ capabilities }) =>
    capabilities.devices.cuda.devices.some(({ usable }) => usable),
  );
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
    </>
  );
}

/** Requested measurements that the sessions of the rows could not make. */
function useRejectedMeasurements(rows: readonly ShownRow[]): BenchInfo['refused'] {
  const { stores } = useWorkbench();
  const live = useSelected(stores.comparison, (state) => state.live);
  const stored = useSelected(stores.comparison, (state) => state.stored);
  const shown = new Set(rows.flatMap(({ row: { subject } }) => (subject.kind === 'run' ? [] : [subject.bench])));
  return [...live, ...stored].filter(({ id }) => shown.has(id)).flatMap((bench) => bench.refused);
}

function HiddenRows({ rows }: RowsProps): ReactElement | null {
  const { comparison } = useWorkbench().stores;
  if (rows.length === 0) return null;
  return (
    <p className="compare-notes">
      Hidden:{' '}
      {rows.map(({ key, row: { title } }) => (
        <span key={key} className="compare-hidden center">
          {title}
          <IconButton icon="plus" size={11} label={`Show ${title}`} onPress={() => comparison.hide(key, false)} />
        </span>
      ))}
    </p>
  );
}

interface NotesProps {
  readonly texts: readonly string[];
  readonly label?: string;
}

function Notes({ texts, label }: NotesProps): ReactElement | null {
  if (texts.length === 0) return null;
  return (
    <ul className="compare-notes" aria-label={label}>
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

/** Conditions recorded only on request. If one is present, the list of conditions starts expanded. */
const requestedConditions: ReadonlySet<string> = new Set(['GPU clock', 'Cooling', 'Energy']);

/** Measurement conditions of the rows, listed once per session. */
function Conditions({ rows }: { readonly rows: readonly ShownRow[] }): ReactElement | null {
  const recorded = rows.filter(({ row }) => row.conditions.length > 0);
  const each = [...new Map(recorded.map(({ row }) => [JSON.stringify([row.origin, row.conditions]), row])).entries()];
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

export function TableNotes({ rows, ordered }: Omit<AdviceProps, 'groups'>): ReactElement {
  const refused = useRejectedMeasurements(rows);
  const remarks = ordered.flatMap((shown) =>
    shown.row.note === null ? [] : `${shownRowName(shown, rows)}: ${shown.row.note}`,
  );
  const origins = new Set(ordered.map(({ row }) => `${row.origin}: ${provenanceText(row.provenance)}`));
  return (
    <>
      <HiddenRows rows={rows.filter(({ hidden }) => hidden)} />
      <Notes texts={remarks} />
      <Notes texts={refused.map(({ title, reason }) => `${title}: not run, ${reason}`)} label="Not run" />
      <Notes texts={[...origins]} />
      <Conditions rows={ordered} />
    </>
  );
}
