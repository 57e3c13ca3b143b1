/** The line that a run draws while it works. */

import { type ProgressDetail, type ProgressOf, type RunProgress, shareDone } from '../contract/progress.ts';
import { duration } from './numbers.ts';
import { bar } from './progress-bar.ts';

/** What a workload says of its way. */
export type ProgressWords<W extends ProgressDetail['workload']> = (detail: ProgressOf<W>) => readonly string[];

/** What matters most comes first: a narrow terminal cuts the rest. Null when the run is not under way. */
export function progressLine<W extends ProgressDetail['workload']>(
  progress: RunProgress,
  words: ProgressWords<W>,
): string | null {
  if (progress.state !== 'running') return null;
  const share = shareDone(progress);
  const parts = [bar(share)];
  if (share !== null && progress.eta_s !== null) {
    parts.push(`${String(Math.floor(share * 100)).padStart(2)} %`, `${duration(progress.eta_s)} left`);
  }
  return [...parts, ...words(progress.detail as ProgressOf<W>)].join('  ');
}
