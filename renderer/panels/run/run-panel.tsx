/** The shown run: progress while it computes, readouts afterwards. */
import './run-panel.css';
import type { ReactElement } from 'react';
import { completedFraction, type RunInfo, type RunProgress } from '../../../electron/contract/run.ts';
import type { WhatIfMethod } from '../../../electron/contract/scenario/transport/what-if.ts';
import { duration, fixedDigits, significant, timeLeft } from '../../../electron/domain/numbers.ts';
import { SHOWN_KEY } from '../../data/run-data.ts';
import { hasEnded, hasResult, runOf } from '../../state/runs.ts';
import { isFormOf } from '../../state/scenario.ts';
import { Readouts } from '../../widgets/plots/readout.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { IssueList } from '../../widgets/words/issue-list.tsx';
import { StateBadge } from '../../widgets/words/state-badge.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { RunOffer } from '../../workbench/offers.tsx';
import { progressReadouts } from '../../workbench/workload.ts';

/** Progress of the run. */
function RunProgressView({
  run,
  progress,
}: {
  readonly run: RunInfo;
  readonly progress: RunProgress | null;
}): ReactElement {
  const { workloads } = useWorkbench();
  if (run.state === 'queued') {
    const ahead = (run.queuePosition ?? 1) - 1;
    return (
      <p className="muted">
        {ahead === 0
          ? 'Next, after the run in progress.'
          : `${ahead} more ${ahead === 1 ? 'run waits' : 'runs wait'} before it.`}
      </p>
    );
  }
  const share = progress === null ? null : completedFraction(progress);
  return (
    <div className="grid gap-l">
      <progress
        className="run-progress__bar clip wide"
        aria-label={`Progress of ${run.name}`}
        {...(share === null ? {} : { value: share, max: 1 })}
      />
      {progress === null ? null : (
        <Readouts
          items={[
            { name: 'Time left', value: timeLeft(progress.eta_s) },
            { name: 'Elapsed', value: duration(progress.elapsed_s) },
            ...progressReadouts(workloads, progress.detail),
          ]}
        />
      )}
    </div>
  );
}

/** Text of a factor, such as `2 ×`. */
const factorText = (factor: number): string => `${Number(factor.toPrecision(3))} ×`;

/** Text such as `cells of 0.4 × 0.5 mm and 10 mrad (2 × in z, 2 × in x, 2 × in angle)`. */
function gridText({ dz_mm, dx_mm, dtheta_mrad, coarser }: WhatIfMethod): string {
  const { z, x, theta } = coarser;
  const cells = `cells of ${significant(dz_mm, 3)} × ${significant(dx_mm, 3)} mm and ${significant(dtheta_mrad, 3)} mrad`;
  const all = z === x && x === theta;
  const each = all
    ? `${factorText(z)} each`
    : `${factorText(z)} in z, ${factorText(x)} in x, ${factorText(theta)} in angle`;
  return z * x * theta === 1 ? `the scenario's grid, ${cells}` : `a coarser grid, ${cells} (${each})`;
}

/**
 * Text of the solver's method. The moments variant also steps in depth, but is named because its readouts differ from
 * those of all other variants.
 */
const solverText = ({ variant, stepping }: WhatIfMethod): string =>
  variant === 'moments' ? 'moments' : `${stepping} stepping`;

function LiveNote(): ReactElement | null {
  const { stores } = useWorkbench();
  const { on, answer, phase, resting, refusal, perSecond, latency_ms } = useSelected(stores.whatIf, (state) => state);
  if (!on || answer === null) return null;
  const { sequence, full, way, solve_ms } = answer;
  const next =
    resting && phase === 'solving' ? 'The full solution is being computed.' : 'Full resolution when you pause.';
  return (
    <section
      className="live-note grid rounded sunken"
      aria-label="Live"
      data-full={full}
      data-answer={sequence}
      data-phase={phase}
      data-testid="live-note"
    >
      <p>
        <b>{full ? 'At rest' : 'While you drag'}</b>
        {full ? ': solved exactly as by Run.' : `: ${solverText(way)} on ${gridText(way)}. ${next}`}
      </p>
      <p className="live-note__times flex wrap muted">
        <span>{`solved in ${fixedDigits(solve_ms, 0)} ms`}</span>
        {latency_ms === null ? null : <span>{`drawn ${fixedDigits(latency_ms, 0)} ms after the edit`}</span>}
        {perSecond === null ? null : <span>{`${fixedDigits(perSecond, 1)} answers/s`}</span>}
      </p>
      {phase === 'waiting' ? <p role="status">Waiting for another computation; the last result is shown.</p> : null}
      {phase === 'refused' ? (
        <p role="status" className="warning">
          {`The last result is shown. Not solved: ${refusal ?? 'the current scenario'}`}
        </p>
      ) : null}
    </section>
  );
}

function RunHead({ run }: { readonly run: RunInfo }): ReactElement {
  const facts = [run.variant, run.precision.toUpperCase(), run.device].filter((fact) => fact !== '');
  return (
    <header className="run-head center grid" data-run={run.id}>
      <h2 className="break-anywhere">{run.name}</h2>
      {run.live === true ? null : <StateBadge state={run.state} />}
      <p className="clip nowrap faint all-columns">{facts.join(' · ')}</p>
    </header>
  );
}

/** Note that the form no longer contains the scenario of this run. */
function EditedNote(): ReactElement | null {
  const { stores, data } = useWorkbench();
  const reference = useCached(data.reference, SHOWN_KEY);
  const draft = useSelected(stores.scenario, (state) => state.draft);
  const variants = useSelected(stores.connection, ({ capabilities }) => capabilities.variants);
  if (reference === null || isFormOf(reference.scenario, draft, variants)) return null;
  return <p className="run-panel__note warning rounded">The form has changed since this run.</p>;
}

function Failure({ run }: { readonly run: RunInfo }): ReactElement {
  return (
    <div className="run-panel__failure danger rounded" role="alert">
      <p>{run.error?.message ?? 'The run failed.'}</p>
      {run.error === null || run.error.issues.length === 0 ? null : <IssueList issues={run.error.issues} />}
      {hasResult(run) ? <p>The part computed before the failure is saved.</p> : null}
    </div>
  );
}

function RunBody({ run }: { readonly run: RunInfo }): ReactElement | null {
  const { stores, workloads } = useWorkbench();
  const progress = useSelected(stores.runs, (state) => state.progress[run.id] ?? null);
  if (run.state === 'failed' && !hasResult(run)) return null;
  if (!hasEnded(run.state)) return <RunProgressView run={run} progress={progress} />;
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
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
      <section className="run-panel scroll wide" aria-label="Results of the run" tabIndex={0}>
        <EmptyState icon="gauge" title="No run yet" action={<RunOffer />}>
          {canStart ? 'Progress and readouts appear here.' : 'Correct the scenario first: the form marks the errors.'}
        </EmptyState>
      </section>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
    <section className="run-panel scroll wide" aria-label="Results of the run" tabIndex={0}>
      <RunHead run={run} />
      {run.state === 'cancelled' ? (
        <p className="run-panel__note warning rounded">Stopped early: the results are those at that time.</p>
      ) : null}
      {run.state === 'failed' ? <Failure run={run} /> : null}
      {run.live === true ? <LiveNote /> : <EditedNote />}
      <RunBody run={run} />
    </section>
  );
}
