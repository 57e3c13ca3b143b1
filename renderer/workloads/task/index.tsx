/**
 * Small measured workloads in the page. All share one structure. The summary of a finished run is a few numbers, and
 * the Results panel shows the rest.
 */
import type { ReactElement } from 'react';
import { isUnproven } from '../../../electron/contract/bench/bench-session.ts';
import type { MeasuredSessionEntry } from '../../../electron/contract/bench/session.ts';
import type { TaskKind } from '../../../electron/contract/scenario/kinds.ts';
import type { ResolvedTask, TaskProgress } from '../../../electron/contract/task.ts';
import { factorText, measuredTime, noiseText, speedupOf } from '../../../electron/domain/measured.ts';
import { count, NO_VALUE } from '../../../electron/domain/numbers.ts';
import { SHOWN_KEY } from '../../data/run-data.ts';
import { TaskFeed } from '../../data/task-feed.ts';
import { Readouts } from '../../widgets/plots/readout.tsx';
import { useCached, useWorkbench } from '../../workbench/context.ts';
import type { PageWorkload } from '../../workbench/workload.ts';
import { NoResultsYet } from '../no-results.tsx';

function FastestReadouts({ entry }: { readonly entry: MeasuredSessionEntry }): ReactElement {
  const gain = speedupOf(entry.ratio);
  return (
    <dl className="range-head grid rounded sunken">
      <div
        className="range-head__main"
        title={`The fastest correct variant, relative to the first: ${factorText(gain)}`}
      >
        <dt>Best</dt>
        <dd className="selectable" data-testid="best-gain">
          {factorText({ ...gain, interval: null })}
        </dd>
      </div>
      <div>
        <dt>With</dt>
        <dd className="selectable">{entry.label}</dd>
      </div>
      <div>
        <dt>Time</dt>
        <dd className="selectable">{measuredTime(entry.time_s)}</dd>
      </div>
    </dl>
  );
}

/**
 * Numbers of variants whose answer is not proven correct. Unchecked variants are counted separately from wrong ones.
 */
export function unprovenReadouts(measured: readonly Pick<MeasuredSessionEntry, 'verdict'>[]) {
  const unproven = measured.filter(({ verdict }) => isUnproven(verdict));
  const unchecked = unproven.filter(({ verdict }) => verdict === 'not checked').length;
  const wrong = {
    name: 'Wrong',
    value: String(unproven.length - unchecked),
    title: 'Variants whose result differs from the reference, or whose time is impossible',
  };
  const notChecked = {
    name: 'Not checked',
    value: String(unchecked),
    title: 'Variants whose result was not checked, or whose check did not reach a decision',
  };
  return unchecked === 0 ? [wrong] : [wrong, notChecked];
}

function TaskResults(): ReactElement {
  const tasks = useWorkbench().feeds.of(TaskFeed);
  const report = useCached(tasks.session, SHOWN_KEY)?.session.reports[0];
  if (report === undefined) return <NoResultsYet feed={tasks} />;
  const measured = report.entries.filter((entry) => entry.status === 'measured');
  const right = measured.filter(({ verdict }) => !isUnproven(verdict));
  const [best] = [...right].sort((a, b) => a.time_s - b.time_s);
  const { noise } = report;
  return (
    <div className="run-results grid">
      {best === undefined ? (
        <p className="muted">No variant could be measured on this machine.</p>
      ) : (
        <FastestReadouts entry={best} />
      )}
      <Readouts
        items={[
          { name: 'Rounds', value: String(report.rounds), title: `Ended: ${report.stopped}` },
          {
            name: 'A/A',
            value: noise.ratio === null ? NO_VALUE : factorText(noise.ratio),
            title: `The first variant compared with itself. ${noiseText(noise)}`,
          },
          ...unprovenReadouts(measured),
          {
            name: 'Not runnable',
            value: String(report.entries.length - measured.length),
            title: 'Variants that this machine cannot run',
          },
        ]}
      />
    </div>
  );
}

export function taskWorkload(kind: TaskKind) {
  return {
    panels: ['results'],
    mainPanel: 'results',
    feed: (feeds) => feeds.of(TaskFeed).followerOf(kind),
    words: ({ phase, what, round }: TaskProgress) =>
      phase === 'rounds' ? [`round ${round + 1}`, what] : [phase, what],
    progress: ({ phase, what, round, rounds }: TaskProgress) => [
      { name: 'Now', value: phase },
      { name: 'Variant', value: what },
      { name: 'Round', value: count(round), title: `At most ${rounds}: the session ends when all ratios are known` },
    ],
    facts: ({ title, available, variants }: ResolvedTask) => [
      { name: 'Measures', value: title },
      { name: 'Variants', value: `${available} of ${variants.length}`, title: 'Variants that this machine can run' },
    ],
    Results: TaskResults,
    plane: null,
    Extra: null,
  } satisfies PageWorkload<TaskKind>;
}
