/** How far the run is. */
import type { ReactElement } from 'react';
import type { RunInfo, RunProgress } from '../../../electron/contract/run.ts';
import { compact, count, errorSize, fixed, percent } from '../../base/numbers.ts';
import { duration, timeLeft } from '../../base/time.ts';
import { Readouts } from '../../widgets/readout.tsx';

/**
 * Share of the way gone. Protons stop together at the end of their range, so
 * the weight says nothing until then: the host's estimate of the time does.
 */
export function shareDone(progress: RunProgress): number | null {
  const { elapsed_s, eta_s } = progress;
  return eta_s === null || elapsed_s + eta_s <= 0 ? null : elapsed_s / (elapsed_s + eta_s);
}

export function RunProgressView({
  run,
  progress,
}: {
  readonly run: RunInfo;
  readonly progress: RunProgress | null;
}): ReactElement {
  if (run.state === 'queued') {
    const ahead = (run.queuePosition ?? 1) - 1;
    return (
      <p className="run-panel__text">
        {ahead === 0
          ? 'Next, after the run that computes now.'
          : `${ahead} more ${ahead === 1 ? 'run waits' : 'runs wait'} before it.`}
      </p>
    );
  }
  const share = progress === null ? null : shareDone(progress);
  return (
    <div className="run-progress">
      <progress
        className="run-progress__bar"
        aria-label={`Progress of ${run.name}`}
        {...(share === null ? {} : { value: share, max: 1 })}
      />
      {progress === null ? null : (
        <Readouts
          items={[
            { name: 'Step', value: count(progress.step), title: `At most ${count(progress.steps_max)} steps` },
            { name: 'Time left', value: timeLeft(progress.eta_s) },
            { name: 'Mean depth', value: fixed(progress.depth_mm, 1), unit: 'mm' },
            { name: 'Elapsed', value: duration(progress.elapsed_s) },
            {
              name: 'Weight left',
              value: percent(progress.weight_left),
              title: 'Share of the protons that is still in flight',
            },
            { name: 'Steps per s', value: compact(progress.steps_per_s) },
            {
              name: 'Ledger error',
              value: errorSize(progress.ledger_error),
              title: 'Larger of the relative errors of the number and the energy balance',
            },
          ]}
        />
      )}
    </div>
  );
}
