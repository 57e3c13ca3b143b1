/** How far the run is. */

import type { ReactElement } from 'react';
import { type RunProgress, shareDone } from '../../../electron/contract/progress.ts';
import type { RunInfo } from '../../../electron/contract/run.ts';
import { duration, timeLeft } from '../../base/time.ts';
import { Readouts } from '../../widgets/plots/readout.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { progressReadouts } from '../../workbench/workload.ts';

export function RunProgressView({
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
            ...progressReadouts(workloads, progress.detail),
          ]}
        />
      )}
    </div>
  );
}
