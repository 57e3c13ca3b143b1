/** The line that a run draws while it works. */
import type { RunProgress } from '../contract/run.ts';
import { duration, significant } from './numbers.ts';
import { bar } from './progress-bar.ts';

/** Steps alone do not tell how far a run is: it ends when the protons have stopped. */
function fraction({ elapsed_s, eta_s }: RunProgress): number | null {
  return eta_s === null || !Number.isFinite(eta_s) || elapsed_s + eta_s === 0 ? null : elapsed_s / (elapsed_s + eta_s);
}

/** What matters most comes first: a narrow terminal cuts the rest. Null when the run is not under way. */
export function progressLine(progress: RunProgress): string | null {
  if (progress.state !== 'running') return null;
  const share = fraction(progress);
  const parts = [bar(share)];
  if (share !== null && progress.eta_s !== null) {
    parts.push(`${String(Math.floor(share * 100)).padStart(2)} %`, `${duration(progress.eta_s)} left`);
  }
  parts.push(
    `step ${progress.step}`,
    `depth ${progress.depth_mm.toFixed(1)} mm`,
    `${significant(progress.weight_left * 100, 3)} % in flight`,
    `${significant(progress.steps_per_s, 3)} steps/s`,
  );
  return parts.join('  ');
}
