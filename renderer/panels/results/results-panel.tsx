/** Gain, correctness and claims of the variants of a small workload; stored sessions need no GPU. */
import '../../widgets/plots/plots.css';
import './results-panel.css';
import { type ReactElement, useEffect, useState } from 'react';
import type { Session } from '../../../electron/contract/bench/session.ts';
import { kindOfDocument } from '../../../electron/contract/scenario/index.ts';
import type { StoredTask } from '../../../electron/contract/task.ts';
import type { WorkloadName } from '../../../electron/contract/workload.ts';
import { SHOWN_KEY } from '../../data/run-data.ts';
import { TaskFeed } from '../../data/task-feed.ts';
import { errorText } from '../../state/notices.ts';
import { runOf } from '../../state/runs.ts';
import { Select } from '../../widgets/controls/select.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { PanelOffer, RunOffer } from '../../workbench/offers.tsx';
import { SessionView } from './session-view.tsx';

// Sources of the panel: the selected run, and stored sessions.

/** Stored sessions of a workload; read again when a run is saved. */
function useStoredSessions(workload: WorkloadName): readonly StoredTask[] {
  const { client, stores } = useWorkbench();
  const [sessions, setSessions] = useState<readonly StoredTask[]>([]);
  const saved = useSelected(stores.runs, ({ runs }) => runs.filter(({ file }) => file !== null).length);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a saved run becomes a stored session
  useEffect(() => {
    let current = true;
    client.call('task.stored', { workload }).then(
      (answer) => current && setSessions(answer.sessions),
      () => current && setSessions([]),
    );
    return () => {
      current = false;
    };
  }, [client, workload, saved]);
  return sessions;
}

type OpenedSession =
  | Readonly<{ kind: 'none' }>
  | Readonly<{ kind: 'session'; session: Session }>
  | Readonly<{ kind: 'failed'; reason: string }>;

function useOpenedSession(id: string | null): OpenedSession {
  const { client } = useWorkbench();
  const [opened, setOpened] = useState<OpenedSession>({ kind: 'none' });
  useEffect(() => {
    setOpened({ kind: 'none' });
    if (id === null) return;
    let current = true;
    client.call('task.open', { id }).then(
      (session) => current && setOpened({ kind: 'session', session }),
      (error: unknown) => current && setOpened({ kind: 'failed', reason: errorText(error) }),
    );
    return () => {
      current = false;
    };
  }, [client, id]);
  return opened;
}

/** Option for the selected run, rather than a stored session. */
const RUN = 'run';

const storedText = ({ name, machine, recorded }: StoredTask): string =>
  `${name} (${machine}, ${recorded ? 'recorded' : 'saved'})`;

/**
 * The displayed measurement: the user's choice, or else the selected run, or else a session of the scenario's
 * benchmark.
 */
function useMeasurements() {
  const { stores, feeds } = useWorkbench();
  const selected = useSelected(stores.selection, (state) => state.run);
  const run = useSelected(stores.runs, (state) => runOf(state, selected));
  const kind = useSelected(stores.scenario, (state) => kindOfDocument(state.draft));
  const name = useSelected(stores.scenario, (state) => state.draft['name']);
  const resolved = useSelected(stores.scenario, (state) => state.lastResolved);
  const measured = useCached(feeds.of(TaskFeed).session, SHOWN_KEY);
  const all = useStoredSessions(run?.workload ?? kind);
  const bench = resolved !== null && 'bench' in resolved ? resolved.bench : '';
  // Sort sessions of the scenario's benchmark first.
  const near = (one: StoredTask): number => Number(one.bench === bench) + Number(one.scenario === name);
  const stored = [...all].sort((a, b) => near(b) - near(a));
  const [wanted, setWanted] = useState<string | null>(null);
  const known = wanted !== null && (wanted === RUN ? run !== null : all.some(({ id }) => id === wanted));
  const usual = run === null ? (stored.find((one) => one.bench === bench)?.id ?? null) : RUN;
  const chosen = known ? wanted : usual;
  const opened = useOpenedSession(chosen === RUN ? null : chosen);
  const openedSession = opened.kind === 'session' ? opened.session : null;
  const session = chosen === RUN ? (measured?.session ?? null) : openedSession;
  const options = [
    ...(run === null ? [] : [{ value: RUN, label: `${run.name} (this run)` }]),
    ...stored.map((one) => ({ value: one.id, label: storedText(one) })),
  ];
  // A measured run has a session whose id is derived from the run's.
  const benchId = chosen === RUN ? (run === null ? null : `run~${run.id}`) : chosen;
  return { run, options, chosen, choose: setWanted, opened, session, benchId, isRun: chosen === RUN };
}

export default function ResultsPanel(): ReactElement {
  const { benches, feeds } = useWorkbench();
  const status = useSelected(feeds.of(TaskFeed).status, (state) => state.status);
  const { run, options, chosen, choose, opened, session, benchId, isRun } = useMeasurements();
  const failed = status.kind === 'failed';
  return (
    <div className="plot-panel">
      <div className="panel-bar">
        {options.length === 0 ? (
          <span className="panel-readout panel-readout--none">No measurements yet</span>
        ) : (
          <Select label="Measurements" value={chosen ?? ''} options={options} onChange={choose} />
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
      <section className="results panel-page grow scroll" tabIndex={0} aria-label="Results of the measurement">
        {session === null || benchId === null ? null : (
          <SessionView
            key={`${chosen} ${session.created}`}
            session={session}
            onCompare={(report) => void benches.compare(benchId, report)}
          />
        )}
        {opened.kind === 'failed' ? (
          <EmptyState
            icon="error"
            tone="error"
            title="The session could not be read"
            action={<PanelOffer panel="library" icon="library" label="Search for it in the library" />}
          >
            {opened.reason}
          </EmptyState>
        ) : null}
        {session === null && isRun ? (
          <EmptyState
            icon="gauge"
            title={failed ? 'There are no measurements' : 'Being measured…'}
            action={failed ? <RunOffer /> : <PanelOffer panel="run" icon="gauge" label="Show the progress" />}
          >
            {failed ? (run?.error?.message ?? status.reason) : 'Every variant, in interleaved rounds.'}
          </EmptyState>
        ) : null}
        {chosen === null ? (
          <EmptyState icon="ladder" title="Nothing measured yet" action={<RunOffer />}>
            Run the scenario: every available variant is measured and checked.
          </EmptyState>
        ) : null}
      </section>
    </div>
  );
}
