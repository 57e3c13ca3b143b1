/** The run that is shown: progress while it computes, readouts afterwards. */

import type { ReactElement } from 'react';
import type { RunInfo } from '../../../electron/contract/run.ts';
import { asOfToday } from '../../../electron/contract/scenario/index.ts';
import { sameJson } from '../../base/same-json.ts';
import { SHOWN } from '../../data/run-data.ts';
import { hasResult, isOver, runOf } from '../../state/runs.ts';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { IssueList } from '../../widgets/words/issue-list.tsx';
import { StateBadge } from '../../widgets/words/state-badge.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { LiveNote } from './live-note.tsx';
import { RunProgressView } from './progress.tsx';
import './run-panel.css';
import { RunOffer } from '../../workbench/offers.tsx';

function RunHead({ run }: { readonly run: RunInfo }): ReactElement {
  const facts = [run.variant, run.precision.toUpperCase(), run.device].filter((fact) => fact !== '');
  return (
    <header className="run-head" data-run={run.id}>
      <h2 title={run.name}>{run.name}</h2>
      {run.live === true ? null : <StateBadge state={run.state} />}
      <p>{facts.join(' · ')}</p>
    </header>
  );
}

/** Says when the form no longer holds the scenario of this run. */
function EditedNote(): ReactElement | null {
  const { stores, data } = useWorkbench();
  const reference = useCached(data.reference, SHOWN);
  const draft = useSelected(stores.scenario, (state) => state.draft);
  if (reference === null || sameJson(asOfToday(reference.scenario), asOfToday(draft))) return null;
  return <p className="run-panel__note">The form has changed since this run.</p>;
}

function Failure({ run }: { readonly run: RunInfo }): ReactElement {
  return (
    <div className="run-panel__failure" role="alert">
      <p>{run.error?.message ?? 'The run failed.'}</p>
      {run.error === null || run.error.issues.length === 0 ? null : <IssueList issues={run.error.issues} />}
      {hasResult(run) ? <p>What was finished before is kept: it is what there was by then.</p> : null}
    </div>
  );
}

function RunBody({ run }: { readonly run: RunInfo }): ReactElement | null {
  const { stores, workloads } = useWorkbench();
  const progress = useSelected(stores.runs, (state) => state.progress[run.id] ?? null);
  if (run.state === 'failed' && !hasResult(run)) return null;
  if (!isOver(run.state)) return <RunProgressView run={run} progress={progress} />;
  const { Results } = workloads[run.workload];
  return <Results />;
}

export default function RunPanel(): ReactElement {
  const { stores } = useWorkbench();
  const selected = useSelected(stores.selection, (state) => state.run);
  const run = useSelected(stores.runs, (state) => runOf(state, selected));
  const canStart = useSelected(
    stores.scenario,
    ({ check }) => check?.issues.every((issue) => issue.severity !== 'error') ?? true,
  );
  if (run === null) {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the keyboard's focus
      <section className="run-panel" aria-label="Results of the run" tabIndex={0}>
        <EmptyState icon="gauge" title="No run yet" action={<RunOffer />}>
          {canStart
            ? 'Progress and readouts appear here.'
            : 'Correct the scenario first: the form marks what is wrong.'}
        </EmptyState>
      </section>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the keyboard's focus
    <section className="run-panel" aria-label="Results of the run" tabIndex={0}>
      <RunHead run={run} />
      {run.state === 'cancelled' ? (
        <p className="run-panel__note">Stopped before its end: what is shown is what there was by then.</p>
      ) : null}
      {run.state === 'failed' ? <Failure run={run} /> : null}
      {run.live === true ? <LiveNote /> : <EditedNote />}
      <RunBody run={run} />
    </section>
  );
}
