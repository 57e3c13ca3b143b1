/** A study: progress, advice, and its points as a table or plot. */
import { type ReactElement, useCallback, useEffect, useMemo, useState } from 'react';
import {
  defaultViewSettings,
  type StudyColumnInfo,
  type StudyEntry,
  type StudyViewSettings,
} from '../../../electron/contract/study/calls.ts';
import { count } from '../../../electron/domain/numbers.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { MenuButton } from '../../widgets/floating/menu.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import { offerFile } from '../../workbench/actions/save-file.ts';
import { useWorkbench } from '../../workbench/context.ts';
import { Advice } from './advice.tsx';
import { ChosenPoints } from './chosen-points.tsx';
import { TargetChoice } from './clusters-dialog.tsx';
import { ResultsPlot } from './results-plot.tsx';
import { ResultsTable, TransposedTable } from './results-table.tsx';
import type { Part } from './use-rows.ts';
import { ViewsMenu } from './views-menu.tsx';
import { columnTitle, stateText } from './words.ts';

interface ProgressProps {
  readonly entry: StudyEntry;
  readonly onChanged: () => void;
}

/** Progress of a study, and its failed points. */
function Progress({ entry, onChanged }: ProgressProps): ReactElement {
  const { client, stores } = useWorkbench();
  const { id, points, done, failed, state, failures } = entry;
  const [on, setOn] = useState(entry.on);
  const doing = (work: Promise<unknown>): void => {
    work.then(onChanged, (error: unknown) => stores.notices.fail(`${entry.name} was not changed`, error));
  };
  const left = points - done - failed;
  return (
    <>
      <div className="studies__progress flex center wrap">
        <progress max={Math.max(1, points)} value={done + failed} aria-label={`Progress of ${entry.name}`} />
        <span role="status" data-testid="study-state">
          {stateText(entry)}
        </span>
        {state === 'running' ? (
          <Button icon="stop" onPress={() => doing(client.call('study.stop', { study: id }))}>
            Stop
          </Button>
        ) : null}
        {state === 'open' && left > 0 && !entry.searches ? <TargetChoice on={on} onChange={setOn} /> : null}
        {state === 'open' && left > 0 ? (
          <Button icon="run" onPress={() => doing(client.call('study.resume', { study: id, retry: false, on }))}>
            Go on
          </Button>
        ) : null}
        {(state === 'open' || state === 'whole') && failed > 0 ? (
          <Button icon="reset" onPress={() => doing(client.call('study.resume', { study: id, retry: true, on }))}>
            Try failed points again
          </Button>
        ) : null}
      </div>
      {failures.length === 0 ? null : (
        <details className="studies__failures">
          <summary>{count(failed)} failed</summary>
          <ul>
            {failures.map((failure) => (
              <li key={failure.id}>
                {failure.id.slice(0, 8)}: {failure.message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** Delay in ms after typing, because a half-typed condition is invalid. */
const TYPED_MS = 400;
const NO_CHOICE = '';

const formats = [
  { id: 'csv', label: 'CSV' },
  { id: 'parquet', label: 'Parquet' },
  { id: 'h5', label: 'HDF5' },
  { id: 'json', label: 'JSON' },
] as const;

interface StudyViewProps {
  readonly entry: StudyEntry;
  readonly onChanged: () => void;
}

interface GroupingProps {
  readonly columns: readonly StudyColumnInfo[];
  readonly look: StudyViewSettings;
  readonly onLook: (look: StudyViewSettings) => void;
}

/** Groups by one column or by two. */
function Grouping({ columns, look, onLook }: GroupingProps): ReactElement {
  const [first = NO_CHOICE, second = NO_CHOICE] = look.groups;
  const varied = columns.filter(
    ({ key, of, equal, numeric }) =>
      look.groups.includes(key) || (!equal && key !== 'point point' && (of === 'axis' || (!numeric && of !== 'group'))),
  );
  const options = varied.map((column) => ({ value: column.key, label: columnTitle(column) }));
  const choose = (groups: readonly string[]): void =>
    onLook({ ...look, sort: null, groups: groups.filter((key) => key !== NO_CHOICE) });
  return (
    <>
      <Select
        label="Group by"
        value={first}
        options={[{ value: NO_CHOICE, label: 'no groups' }, ...options]}
        onChange={(key) => choose(key === NO_CHOICE ? [] : [key, key === second ? NO_CHOICE : second])}
      />
      {first === NO_CHOICE ? null : (
        <Select
          label="And by"
          value={second}
          options={[{ value: NO_CHOICE, label: 'alone' }, ...options.filter(({ value }) => value !== first)]}
          onChange={(key) => choose([first, key])}
        />
      )}
    </>
  );
}

/** Columns of the ungrouped table, retained while groups are shown. */
function useColumns(part: Part | null, grouped: boolean): readonly StudyColumnInfo[] {
  const [columns, setColumns] = useState<readonly StudyColumnInfo[]>([]);
  useEffect(() => {
    if (part !== null && !grouped && part.spans.length === 0) setColumns(part.columns);
  }, [part, grouped]);
  return columns;
}

export function StudyView({ entry, onChanged }: StudyViewProps): ReactElement {
  const { client, stores } = useWorkbench();
  const { id } = entry;
  const [look, setLook] = useState<StudyViewSettings>(defaultViewSettings);
  const [settled, setSettled] = useState('');
  const [part, setPart] = useState<Part | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(look.filter), TYPED_MS);
    return () => clearTimeout(timer);
  }, [look.filter]);
  const requested = useMemo(() => ({ ...look, filter: settled }), [look, settled]);
  const columns = useColumns(part, look.groups.length > 0);
  const change = (changed: Partial<StudyViewSettings>): void => setLook((now) => ({ ...now, ...changed }));
  // At most two points are selected: a third replaces the first.
  const choose = useCallback(
    (point: string): void =>
      setChosen((now) => (now.includes(point) ? now.filter((one) => one !== point) : [...now, point].slice(-2))),
    [],
  );
  const toGroup = (condition: string): void =>
    change({
      groups: [],
      sort: null,
      filter: look.filter.trim() === '' ? condition : `(${look.filter}) && ${condition}`,
    });
  const give = (format: (typeof formats)[number]['id']): void => {
    client
      .call('study.export', { study: id, format })
      .then((file) => offerFile({ client, stores }, file))
      .catch((error: unknown) => stores.notices.fail('The table could not be written', error));
  };
  const table = {
    ...{ entry, look: requested, chosen, onChoose: choose, onGroup: toGroup, onRows: setPart, onError: setFault },
    onSort: (sort: StudyViewSettings['sort']) => change({ sort }),
  };
  const inTable = look.tab === 'table';
  return (
    <>
      <Progress entry={entry} onChanged={onChanged} />
      <Advice entry={entry} refines={columns.some(({ of }) => of === 'error')} />
      <div className="studies__bar flex center wrap">
        <Segmented
          label="Shown as"
          value={look.tab}
          options={[
            { value: 'table', label: 'Table' },
            { value: 'plot', label: 'Plot' },
          ]}
          onChange={(tab) => change({ tab })}
        />
        <span className="studies__filter grow">
          <TextField
            label="Filter"
            placeholder="beam.energy_MeV > 100 && r80_mm < 80"
            value={look.filter}
            invalid={fault !== null}
            onChange={(filter) => change({ filter })}
          />
        </span>
        {inTable ? (
          <>
            <Grouping columns={columns} look={look} onLook={setLook} />
            <label>
              <input
                type="checkbox"
                checked={look.hideEqual}
                onChange={({ target }) => change({ hideEqual: target.checked })}
              />
              Hide equal columns
            </label>
            <label>
              <input
                type="checkbox"
                checked={look.transposed}
                onChange={({ target }) => change({ transposed: target.checked })}
              />
              Transpose
            </label>
          </>
        ) : null}
        <ViewsMenu study={id} look={look} onLook={setLook} />
        <span className="panel-readout" data-testid="study-matching">
          {part === null
            ? ''
            : look.groups.length > 0 && part.shown !== part.matching
              ? `${count(part.shown)} groups of ${count(part.matching)} of ${count(part.all)} rows`
              : `${count(part.matching)} of ${count(part.all)} rows`}
        </span>
        <MenuButton
          label={`Export ${entry.name}`}
          title={`Export ${entry.name}`}
          align="end"
          className="icon-button"
          items={formats.map(({ id: format, label }) => ({ id: format, label, onChoose: () => give(format) }))}
        >
          <Icon name="download" size={14} />
        </MenuButton>
      </div>
      {fault === null ? null : (
        <p role="alert" className="studies__fault">
          {fault}
        </p>
      )}
      {part === null || part.notes.length === 0 ? null : (
        <details className="studies__notes">
          <summary>{part.notes.length === 1 ? 'A note' : `${part.notes.length} notes`} on these numbers</summary>
          <ul>
            {part.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
      <div className="studies__shown" hidden={!inTable}>
        {look.transposed ? <TransposedTable {...table} /> : <ResultsTable {...table} />}
      </div>
      {inTable ? null : (
        <ResultsPlot
          entry={entry}
          isRead={part !== null || fault !== null}
          filter={settled}
          columns={columns}
          plot={look.plot}
          onPlot={(plot) => change({ plot })}
          onTable={() => change({ tab: 'table' })}
          onChoose={choose}
        />
      )}
      <ChosenPoints study={id} chosen={chosen} onChange={setChosen} />
    </>
  );
}
