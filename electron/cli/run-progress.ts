/** The line that a run draws while it works. */

import { type ProgressDetail, type RunProgress, shareDone } from '../contract/progress.ts';
import type { TaskProgress } from '../contract/task.ts';
import { eachTask } from '../contract/task.ts';
import { duration, metric, significant } from './numbers.ts';
import { bar } from './progress-bar.ts';

type Words = {
  readonly [W in ProgressDetail['workload']]: (detail: Extract<ProgressDetail, { workload: W }>) => string[];
};

const rounds = ({ phase, what, round, rounds: most }: TaskProgress): string[] => [
  phase === 'rounds' ? `round ${round + 1} of at most ${most}` : phase,
  what,
];

/** What each workload says of its way. */
const words: Words = {
  transport: ({ step, depth_mm, weight_left, steps_per_s }) => [
    `step ${step}`,
    `depth ${depth_mm.toFixed(1)} mm`,
    `${significant(weight_left * 100, 3)} % in flight`,
    `${significant(steps_per_s, 3)} steps/s`,
  ],
  diffraction: ({ terms_per_s }) => [`${metric(terms_per_s)} terms/s`],
  ...eachTask(() => rounds),
};

function wordsOf<W extends ProgressDetail['workload']>(detail: Extract<ProgressDetail, { workload: W }>): string[] {
  return words[detail.workload as W](detail);
}

/** What matters most comes first: a narrow terminal cuts the rest. Null when the run is not under way. */
export function progressLine(progress: RunProgress): string | null {
  if (progress.state !== 'running') return null;
  const share = shareDone(progress);
  const parts = [bar(share)];
  if (share !== null && progress.eta_s !== null) {
    parts.push(`${String(Math.floor(share * 100)).padStart(2)} %`, `${duration(progress.eta_s)} left`);
  }
  return [...parts, ...wordsOf(progress.detail)].join('  ');
}
