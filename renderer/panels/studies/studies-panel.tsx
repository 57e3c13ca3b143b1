/** Studies: planned from the scenario in the form, solved beside everything else, and looked at as one table. */
import { type ReactElement, useCallback, useEffect, useState } from 'react';
import type { StudyColumnInfo, StudyEntry, StudyId, StudyRows } from '../../../electron/contract/study/calls.ts';
import { handOut } from '../../actions/hand-out.ts';
import { count } from '../../base/numbers.ts';
import { errorText } from '../../state/notices.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { MenuButton } from '../../widgets/floating/menu.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import '../../widgets/plots/plot-panel.css';
import { NewStudy } from './new-study.tsx';
import { ResultsPlot } from './results-plot.tsx';
import { ResultsTable } from './results-table.tsx';
import './studies-panel.css';
import { RetryOffer } from '../../workbench/offers.tsx';
import { stateText } from './words.ts';

/** While points are solved; and to see what the command line begins. */
const [BUSY_MS, IDLE_MS] = [1000, 10_000];

/** Half a condition is none: it is looked at once the typing has paused. */
const TYPED_MS = 400;

const formats = [
  { id: 'csv', label: 'CSV' },
  { id: 'parquet', label: 'Parquet' },
  { id: 'h5', label: 'HDF5' },
  { id: 'json', label: 'JSON' },
] as const;

interface Listed {
  readonly studies: readonly StudyEntry[] | null;
  readonly failure: string | null;
}

/** The studies of the library, asked for again and again. */
function useStudies(): Listed & { readonly refresh: () => void } {
  const { client } = useWorkbench();
  const [listed, setListed] = useState<Listed>({ studies: null, failure: null });
  const [turn, setTurn] = useState(0);
  const busy = (listed.studies ?? []).some(({ state }) => state !== 'whole' && state !== 'open');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn asks again
  useEffect(() => {
    let current = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (): void => {
      if (current) timer = setTimeout(() => setTurn((last) => last + 1), busy ? BUSY_MS : IDLE_MS);
    };
    client.call('study.list', {}).then(
      ({ studies }) => {
        if (current) setListed({ studies, failure: null });
        again();
      },
      (error: unknown) => {
        if (current) setListed((before) => ({ ...before, failure: errorText(error) }));
        again();
      },
    );
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [client, turn, busy]);
  const refresh = useCallback(() => setTurn((last) => last + 1), []);
  return { ...listed, refresh };
}

interface StudyViewProps {
  readonly entry: StudyEntry;
  readonly onChanged: () => void;
}

type Told = Pick<StudyRows, 'columns' | 'notes' | 'matching' | 'all'>;

function Progress({ entry, onChanged }: StudyViewProps): ReactElement {
  const { client, stores } = useWorkbench();
  const { id, points, done, failed, state, failures } = entry;
  const doing = (work: Promise<unknown>): void => {
    work.then(onChanged, (error: unknown) => stores.notices.fail(`${entry.name} was left as it was`, error));
  };
  const left = points - done - failed;
  return (
    <>
      <div className="studies__progress">
        <progress max={Math.max(1, points)} value={done + failed} aria-label={`Progress of ${entry.name}`} />
        <span role="status" data-testid="study-state">
          {stateText(entry)}
        </span>
        {state === 'running' ? (
          <Button icon="stop" onPress={() => doing(client.call('study.stop', { study: id }))}>
            Stop
          </Button>
        ) : null}
        {state === 'open' && left > 0 ? (
          <Button icon="run" onPress={() => doing(client.call('study.resume', { study: id, retry: false }))}>
            Go on
          </Button>
        ) : null}
        {(state === 'open' || state === 'whole') && failed > 0 ? (
          <Button icon="reset" onPress={() => doing(client.call('study.resume', { study: id, retry: true }))}>
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

function StudyView({ entry, onChanged }: StudyViewProps): ReactElement {
  const { client, stores, documents } = useWorkbench();
  const { id } = entry;
  const [tab, setTab] = useState<'table' | 'plot'>('table');
  const [filter, setFilter] = useState('');
  const [settled, setSettled] = useState('');
  const [hideEqual, setHideEqual] = useState(true);
  const [told, setTold] = useState<Told | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(filter), TYPED_MS);
    return () => clearTimeout(timer);
  }, [filter]);
  const columns: readonly StudyColumnInfo[] = told?.columns ?? [];
  const open = (point: string): void => {
    client.call('study.point', { study: id, point }).then(
      async ({ scenario, name }) => {
        const text = `${JSON.stringify({ ...scenario, name }, null, 2)}\n`;
        if (await documents.openText(`${name}.json`, text)) stores.layout.reveal('scenario');
      },
      (error: unknown) => stores.notices.fail('The point was not opened', error),
    );
  };
  const give = (format: (typeof formats)[number]['id']): void => {
    client
      .call('study.export', { study: id, format })
      .then((file) => handOut({ client, stores }, file))
      .catch((error: unknown) => stores.notices.fail('The table was not written', error));
  };
  return (
    <>
      <Progress entry={entry} onChanged={onChanged} />
      <div className="studies__bar">
        <Segmented
          label="Shown as"
          value={tab}
          options={[
            { value: 'table', label: 'Table' },
            { value: 'plot', label: 'Plot' },
          ]}
          onChange={setTab}
        />
        <span className="studies__filter">
          <TextField
            label="Filter"
            placeholder="beam.energy_MeV > 100 && r80_mm < 80"
            value={filter}
            invalid={fault !== null}
            onChange={setFilter}
          />
        </span>
        <label>
          <input type="checkbox" checked={hideEqual} onChange={({ target }) => setHideEqual(target.checked)} />
          Hide equal columns
        </label>
        <span className="panel-readout" data-testid="study-matching">
          {told === null ? '' : `${count(told.matching)} of ${count(told.all)} rows`}
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
      {told === null || told.notes.length === 0 ? null : (
        <details className="studies__notes">
          <summary>{told.notes.length === 1 ? 'A note' : `${told.notes.length} notes`} on these numbers</summary>
          <ul>
            {told.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
      <div className="studies__shown" hidden={tab !== 'table'}>
        <ResultsTable
          entry={entry}
          filter={settled}
          hideEqual={hideEqual}
          onOpen={open}
          onRows={setTold}
          onFault={setFault}
        />
      </div>
      {tab === 'plot' ? (
        <ResultsPlot entry={entry} filter={settled} columns={columns} onTable={() => setTab('table')} />
      ) : null}
    </>
  );
}

export default function StudiesPanel(): ReactElement {
  const { studies, failure, refresh } = useStudies();
  const [chosen, setChosen] = useState<StudyId | null>(null);
  const [making, setMaking] = useState(false);
  const all = studies ?? [];
  const entry = all.find(({ id }) => id === chosen) ?? all[0] ?? null;
  const isNew = making || (studies !== null && entry === null);
  return (
    <div className="plot-panel studies">
      {all.length === 0 ? null : (
        <div className="panel-bar">
          <Select
            label="Study"
            value={entry?.id ?? ''}
            options={all.map(({ id, points, done }) => ({ value: id, label: `${id} (${done} of ${points})` }))}
            onChange={(id) => {
              setChosen(id);
              setMaking(false);
            }}
          />
          {isNew ? null : (
            <Button icon="plus" onPress={() => setMaking(true)}>
              New study
            </Button>
          )}
        </div>
      )}
      {failure === null ? null : (
        <EmptyState
          icon="error"
          tone="error"
          title="The studies could not be listed"
          action={<RetryOffer onPress={refresh} />}
        >
          {failure}
        </EmptyState>
      )}
      {isNew ? (
        <NewStudy
          onStarted={(id) => {
            setChosen(id);
            setMaking(false);
            refresh();
          }}
          onBack={entry === null ? null : () => setMaking(false)}
        />
      ) : null}
      {!isNew && entry !== null ? <StudyView key={entry.id} entry={entry} onChanged={refresh} /> : null}
    </div>
  );
}
