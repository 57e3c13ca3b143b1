/** How far the run is. */

import type { ReactElement } from 'react';
import { type ProgressDetail, type RunProgress, shareDone } from '../../../electron/contract/progress.ts';
import type { RunInfo } from '../../../electron/contract/run.ts';
import type { TaskProgress } from '../../../electron/contract/task.ts';
import { eachTask } from '../../../electron/contract/task.ts';
import { compact, count, errorSize, fixed, percent } from '../../base/numbers.ts';
import { duration, timeLeft } from '../../base/time.ts';
import { type ReadoutItem, Readouts } from '../../widgets/plots/readout.tsx';

type Details = {
  readonly [W in ProgressDetail['workload']]: (
    detail: Extract<ProgressDetail, { workload: W }>,
  ) => readonly ReadoutItem[];
};

const rounds = ({ phase, what, round, rounds: most }: TaskProgress): readonly ReadoutItem[] => [
  { name: 'Now', value: phase },
  { name: 'Variant', value: what },
  { name: 'Round', value: count(round), title: `At most ${most}: it ends when the ratios are known` },
];

/** What each workload says of its way; a further one is one entry here. */
const details: Details = {
  transport: ({ step, steps_max, depth_mm, weight_left, steps_per_s, ledger_error }) => [
    { name: 'Step', value: count(step), title: `At most ${count(steps_max)} steps` },
    { name: 'Mean depth', value: fixed(depth_mm, 1), unit: 'mm' },
    {
      name: 'Weight left',
      value: percent(weight_left),
      title: 'Share of the protons that is still in flight',
    },
    { name: 'Steps per s', value: compact(steps_per_s) },
    {
      name: 'Ledger error',
      value: errorSize(ledger_error),
      title: 'Larger of the relative errors of the number and the energy balance',
    },
  ],
  diffraction: ({ done, terms_per_s }) => [
    { name: 'Image', value: percent(done), title: 'Share of the pixels that are there' },
    { name: 'Terms per s', value: compact(terms_per_s), title: 'Lattice factors computed in a second' },
  ],
  ...eachTask(() => rounds),
};

function detailsOf<W extends ProgressDetail['workload']>(detail: Extract<ProgressDetail, { workload: W }>) {
  return details[detail.workload as W](detail);
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
            { name: 'Time left', value: timeLeft(progress.eta_s) },
            { name: 'Elapsed', value: duration(progress.elapsed_s) },
            ...detailsOf(progress.detail),
          ]}
        />
      )}
    </div>
  );
}
