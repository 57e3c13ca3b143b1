/** Variants, sessions and runs side by side, each compared with one reference. */
import '../../widgets/plots/plots.css';
import './compare-panel.css';
import './source.css';
import { type ReactElement, useEffect, useMemo, useRef } from 'react';
import type { BenchInfo } from '../../../electron/contract/bench/benches.ts';
import type { Client } from '../../data/client/client.ts';
import { activeBench, shownRows } from '../../state/comparison.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { ReportMenu } from '../../widgets/floating/menu.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { benchmarkLabels, benchmarkTitle, parseClockLock, parseSweep, requestedPrograms } from './benchmark-request.ts';
import { ChooseView } from './choose-view.tsx';
import { CurvesView, SamplesView } from './curves-view.tsx';
import { type ExpectedTimes, useExpectedTimes } from './expected.ts';
import { KernelsView } from './kernels-view.tsx';
import { MachineCodeView } from './machine-code-view.tsx';
import { MapsView } from './maps-view.tsx';
import { BenchProgressView, LiveTable, useProgress } from './progress.tsx';
import { SourceView } from './source-view.tsx';
import {
  type CompareState,
  type CompareStore,
  createCompareStore,
  type Rows,
  type ScenarioBench,
  selectedVariants,
  useRows,
  useScenarioBench,
  useVariants,
} from './store.ts';
import { TableView } from './table-view.tsx';

// Until something is measured on this computer, the table shows a recorded session that is shipped with the program.

/**
 * Recorded session with the scenario's name, or else of the same benchmark. Of several, the one with the most rows,
 * then the one recorded first. Null if there is none.
 */
export function sessionToOffer(
  stored: readonly BenchInfo[],
  { workload, bench }: ScenarioBench,
  scenario: string,
): BenchInfo | null {
  const fitting = stored.filter(
    (one) => one.recorded && one.workload === workload && one.bench === bench && one.sweep === null,
  );
  const named = fitting.filter((one) => one.scenario === scenario);
  const among = named.length === 0 ? fitting : named;
  return among.reduce<BenchInfo | null>(
    (most, one) => (most === null || one.subjects.length >= most.subjects.length ? one : most),
    null,
  );
}

/** Shows the table with the suggested session, unless the user has chosen a view (`choseView`). */
function useSuggestedSession(store: CompareStore, choseView: Readonly<{ current: boolean }>): void {
  const { stores, benches } = useWorkbench();
  const stored = useSelected(stores.comparison, (state) => state.stored);
  const active = useSelected(stores.comparison, activeBench);
  const rows = useSelected(stores.comparison, shownRows);
  const shown = useSelected(stores.comparison, (state) => state.workload);
  const offered = useSelected(stores.comparison, (state) => state.offered);
  const name = useSelected(stores.scenario, ({ draft }) => (typeof draft['name'] === 'string' ? draft['name'] : ''));
  const place = useScenarioBench();
  const opened = useRef(false);
  useEffect(() => void benches.refresh(), [benches]);
  useEffect(() => {
    if (active !== null || rows.length > 0 || place.workload !== shown || offered.includes(shown)) return;
    const session = sessionToOffer(stored, place, name);
    if (session === null) return;
    stores.comparison.offer(
      shown,
      session.subjects.map(({ subject }) => subject),
    );
    if (!(opened.current || choseView.current) && store.getState().view === 'choose') store.setState({ view: 'table' });
    opened.current = true;
  }, [stores, store, stored, active, rows, shown, offered, place, name, choseView]);
}

const views = [
  { value: 'choose', label: 'Choose', title: 'Variants, sessions and runs to compare' },
  { value: 'table', label: 'Table', title: 'All numbers' },
  { value: 'samples', label: 'Samples', title: 'Every sample, with the measured noise' },
  { value: 'maps', label: 'Maps', title: 'Results side by side, and their differences' },
  { value: 'curves', label: 'Curves', title: 'Curves of the results, and their differences' },
  { value: 'source', label: 'Source', title: 'The code of two variants side by side' },
  { value: 'kernels', label: 'Kernels', title: 'Registers, shared memory, spills, occupancy' },
  { value: 'code', label: 'PTX, SASS', title: 'Machine code next to its source, or of two variants with differences' },
] as const;

type View = (typeof views)[number]['value'];

function CompareView({
  view,
  store,
  rows,
  expected,
}: {
  readonly view: View;
  readonly store: CompareStore;
  readonly rows: Rows;
  readonly expected: ExpectedTimes;
}): ReactElement {
  const progress = useProgress();
  const { stores } = useWorkbench();
  const chosen = useSelected(stores.comparison, (state) => shownRows(state).length);
  if (view === 'choose') return <ChooseView store={store} expected={expected} />;
  if (view === 'table' && progress !== null && progress.latest.length > 0)
    return <LiveTable latest={progress.latest} />;
  if (view === 'source') return <SourceView store={store} rows={rows.rows} />;
  if (view === 'code') return <MachineCodeView store={store} rows={rows.rows} />;
  if (rows.failure !== null) {
    return (
      <EmptyState
        icon="error"
        tone="error"
        title="The comparison failed"
        action={<Button onPress={() => store.setState({ view: 'choose' })}>Choose other rows</Button>}
      >
        {rows.failure}
      </EmptyState>
    );
  }
  if (rows.rows.length === 0) {
    if (progress !== null)
      return <p className="compare-progress flex center wrap line-below">Rows appear after the first round.</p>;
    // The rows were requested but have not arrived.
    if (chosen > 0) return <p className="compare-progress flex center wrap line-below">Reading the rows…</p>;
    return (
      <EmptyState
        icon="ladder"
        title="Nothing to compare yet"
        action={
          <Button icon="list" tone="primary" onPress={() => store.setState({ view: 'choose' })}>
            Choose variants, sessions or runs
          </Button>
        }
      >
        Benchmark measures the ticked variants.
      </EmptyState>
    );
  }
  if (view === 'table') return <TableView store={store} rows={rows.rows} words={rows.words} groups={rows.groups} />;
  if (view === 'samples') return <SamplesView store={store} rows={rows.rows} groups={rows.groups} />;
  if (view === 'maps') return <MapsView store={store} rows={rows.rows} />;
  return view === 'curves' ? (
    <CurvesView store={store} rows={rows.rows} />
  ) : (
    <KernelsView store={store} rows={rows.rows} />
  );
}

interface ActionsProps {
  readonly store: CompareStore;
  readonly expected: ExpectedTimes;
}

function Actions({ store, expected }: ActionsProps): ReactElement {
  const { client, stores, benches } = useWorkbench();
  const active = useSelected(stores.comparison, activeBench);
  const scenario = useScenarioBench();
  const known = useVariants(scenario);
  const gpu = useSelected(stores.connection, ({ capabilities }) =>
    capabilities.devices.cuda.devices.some(({ usable }) => usable),
  );
  const config = useSelected(store, (state) => state);
  const labels = benchmarkLabels(
    { ...config, variants: selectedVariants(config, scenario, known, expected.times) },
    known,
  );
  if (active !== null) {
    return (
      <Button icon="stop" tone="danger" onPress={() => void benches.stop()}>
        Stop benchmark
      </Button>
    );
  }
  const { modes, rounds, time_s, precision, margin, processes, instances, warm_up, energy } = config;
  const sweep = parseSweep(config.sweep);
  // Without a GPU the form does not show the clock.
  const lock_MHz = gpu ? parseClockLock(config.lock) : null;
  const cool_C = gpu ? config.cool_C : null;
  return (
    <Button
      action="benchmark"
      icon="run"
      tone="primary"
      disabled={labels.length === 0 || typeof sweep === 'string' || typeof lock_MHz === 'string'}
      title={benchmarkTitle(labels, expected.known)}
      onPress={() => {
        if (typeof sweep === 'string' || typeof lock_MHz === 'string') return;
        store.setState({ view: 'table' });
        // External programs selected for another workload cannot solve this scenario.
        void programsFor(client, scenario, config).then((programs) =>
          benches.start({
            ...{ variants: labels, external: programs, modes, sweep },
            ...{ rounds, time_s, precision, margin, processes, instances, warm_up },
            ...{ lock_MHz, cool_C, energy },
          }),
        );
      }}
    >
      Benchmark
    </Button>
  );
}

async function programsFor(
  client: Client,
  { workload, bench }: ScenarioBench,
  ticked: Pick<CompareState, 'external' | 'files'>,
) {
  if (ticked.external.length === 0) return [];
  const { programs } = await client.call('bench.external', { workload, bench });
  return requestedPrograms(ticked, programs);
}

/** Title from the compared rows, for the report's heading and file name. */
function titleOf(rows: Rows['rows']): string {
  const names = [...new Set(rows.map(({ row }) => row.scenario))];
  return `Comparison, ${names.slice(0, 3).join(', ')}`;
}

export default function ComparePanel(): ReactElement {
  const { stores, storage, settingsReset, reports } = useWorkbench();
  const { kind } = useSelected(stores.connection, (state) => state.capabilities.shell);
  const store = useMemo(() => createCompareStore(storage, settingsReset), [storage, settingsReset]);
  const view = useSelected(store, (state) => state.view);
  const active = useSelected(stores.comparison, activeBench);
  const rows = useRows();
  const expected = useExpectedTimes();
  const choseView = useRef(false);
  useSuggestedSession(store, choseView);
  const shown = rows.rows.filter(({ hidden, reference }) => !hidden || reference);
  const tableWanted = useSelected(stores.comparison, (state) => state.tableWanted);
  useEffect(() => {
    if (!tableWanted) return;
    stores.comparison.setState({ tableWanted: false });
    store.setState({ view: 'table' });
  }, [stores, store, tableWanted]);
  const measured = useRef<string | null>(null);
  // Switch to the table when the benchmark ends, unless the user has left the chooser.
  useEffect(() => {
    if (active !== null) measured.current = active.id;
    else if (measured.current !== null) {
      measured.current = null;
      if (store.getState().view === 'choose') store.setState({ view: 'table' });
    }
  }, [active, store]);
  return (
    <div className="plot-panel compare">
      <div className="panel-bar">
        <Segmented
          label="View"
          value={view}
          options={views}
          onChange={(next) => store.setState({ view: next })}
          onPressed={() => {
            choseView.current = true;
          }}
        />
        <div className="panel-bar__tools">
          <ReportMenu
            desktop={kind === 'desktop'}
            disabled={shown.length === 0}
            onChoose={(as) => {
              const subjects = shown.map(({ subject }) => subject);
              const reference = Math.max(
                0,
                shown.findIndex((one) => one.reference),
              );
              void reports.save({ title: titleOf(shown), subjects, reference }, as);
            }}
          />
          <Actions store={store} expected={expected} />
        </div>
      </div>
      <BenchProgressView table={view === 'table'} />
      <CompareView view={view} store={store} rows={rows} expected={expected} />
    </div>
  );
}
