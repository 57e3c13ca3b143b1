/** What variants of a small workload gain, whether they are right, and what was claimed of them; kept sessions need no GPU. */
import { type ReactElement, useState } from 'react';
import { kindOfDocument } from '../../../electron/contract/scenario/index.ts';
import type { StoredTask } from '../../../electron/contract/task.ts';
import { SHOWN } from '../../data/run-data.ts';
import { runOf } from '../../state/runs.ts';
import { Select } from '../../widgets/controls/select.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { SessionView } from './session-view.tsx';
import { useOpened, useStored } from './sources.ts';
import '../../widgets/plots/plot-panel.css';
import './results-panel.css';
import { TaskFeed } from '../../data/task-feed.ts';
import { PanelOffer, RunOffer } from '../../workbench/offers.tsx';

/** The choice of the selected run, rather than a kept session. */
const RUN = 'run';

const storedText = ({ name, machine, recorded }: StoredTask): string =>
  `${name} (${machine}, ${recorded ? 'recorded' : 'saved'})`;

export default function ResultsPanel(): ReactElement {
  const { stores, benches, feeds } = useWorkbench();
  const tasks = feeds.of(TaskFeed);
  const selected = useSelected(stores.selection, (state) => state.run);
  const run = useSelected(stores.runs, (state) => runOf(state, selected));
  const kind = useSelected(stores.scenario, (state) => kindOfDocument(state.draft));
  const name = useSelected(stores.scenario, (state) => state.draft['name']);
  const resolved = useSelected(stores.scenario, (state) => state.lastResolved);
  const status = useSelected(tasks.status, (state) => state.status);
  const measured = useCached(tasks.session, SHOWN);
  const all = useStored(run?.workload ?? kind);
  const bench = resolved !== null && 'bench' in resolved ? resolved.bench : '';
  // What is about the scenario's own benchmark comes first.
  const near = (one: StoredTask): number => Number(one.bench === bench) + Number(one.scenario === name);
  const stored = [...all].sort((a, b) => near(b) - near(a));
  const [wanted, setWanted] = useState<string | null>(null);
  const known = wanted !== null && (wanted === RUN ? run !== null : all.some(({ id }) => id === wanted));
  const usual = run === null ? (stored.find((one) => one.bench === bench)?.id ?? null) : RUN;
  const chosen = known ? wanted : usual;
  const opened = useOpened(chosen === RUN ? null : chosen);
  const kept = opened.kind === 'session' ? opened.session : null;
  const session = chosen === RUN ? (measured?.session ?? null) : kept;
  const options = [
    ...(run === null ? [] : [{ value: RUN, label: `${run.name} (this run)` }]),
    ...stored.map((one) => ({ value: one.id, label: storedText(one) })),
  ];
  // A run that is a measurement is a session of its own.
  const benchId = chosen === RUN ? (run === null ? null : `run~${run.id}`) : chosen;
  const failed = status.kind === 'failed';
  return (
    <div className="plot-panel">
      <div className="panel-bar">
        {options.length === 0 ? (
          <span className="panel-readout panel-readout--none">No measurements yet</span>
        ) : (
          <Select label="Measurements" value={chosen ?? ''} options={options} onChange={setWanted} />
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard */}
      <section className="results" tabIndex={0} aria-label="Results of the measurement">
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
            action={<PanelOffer panel="library" icon="library" label="Look for it in the library" />}
          >
            {opened.reason}
          </EmptyState>
        ) : null}
        {session === null && chosen === RUN ? (
          <EmptyState
            icon="gauge"
            title={failed ? 'Nothing was measured' : 'Being measured…'}
            action={failed ? <RunOffer /> : <PanelOffer panel="run" icon="gauge" label="Show the progress" />}
          >
            {failed ? (run?.error?.message ?? status.reason) : 'Every variant, in interleaved rounds.'}
          </EmptyState>
        ) : null}
        {chosen === null ? (
          <EmptyState icon="ladder" title="Nothing measured yet" action={<RunOffer />}>
            Run the scenario: every variant that this machine has is measured and checked.
          </EmptyState>
        ) : null}
      </section>
    </div>
  );
}
