/** What variants of a small workload gain, whether they are right, and what was claimed of them; kept sessions need no GPU. */
import type { ReactElement } from 'react';
import { TaskFeed } from '../../data/task-feed.ts';
import { Select } from '../../widgets/controls/select.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { PanelOffer, RunOffer } from '../../workbench/offers.tsx';
import { useMeasurements } from './measurements.ts';
import { SessionView } from './session-view.tsx';
import '../../widgets/plots/plot-panel.css';
import './results-panel.css';

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
        {session === null && isRun ? (
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
