/** The line that a run draws while it works. */

import { type ProgressDetail, type ProgressOf, type RunProgress, shareDone } from '../contract/progress.ts';
import { duration } from './numbers.ts';
import { bar } from './progress-bar.ts';

/** A workload's texts about its progress. */
export type ProgressWords<W extends ProgressDetail['workload']> = (detail: ProgressOf<W>) => readonly string[];

/**
 * Progress line, most important parts first: a narrow terminal truncates the rest. Null if the run is not under way.
 */
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
