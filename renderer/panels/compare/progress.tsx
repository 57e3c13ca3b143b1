/** How far the benchmark is, what is left at most, and the ratios so far. */
import type { ReactElement } from 'react';
import { gainOf, measuredTime, timesText } from '../../base/measured.ts';
import { timeLeft } from '../../base/time.ts';
import { activeBench } from '../../state/comparison.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

export function BenchProgressView(): ReactElement | null {
  const { stores } = useWorkbench();
  const bench = useSelected(stores.comparison, activeBench);
  const progress = useSelected(stores.comparison, (state) =>
    bench === null ? null : (state.progress[bench.id] ?? null),
  );
  if (bench === null) return null;
  if (bench.state === 'queued' || progress === null) {
    return (
      <p className="compare-progress" role="status">
        {bench.name} waits for what runs before it
        {bench.queuePosition === null ? '' : ` (place ${bench.queuePosition})`}.
      </p>
    );
  }
  const { phase, variant, round, rounds, left_s, latest } = progress;
  return (
    <div className="compare-progress" data-testid="bench-progress">
      <progress value={round} max={rounds} aria-label="Progress of the benchmark" />
      <output aria-live="off">
        {phase === 'rounds' ? `round ${round + 1} of at most ${rounds}` : phase}: {variant}
        {left_s === null ? '' : `; ${timeLeft(left_s)} left at most`}
      </output>
      {latest.length === 0 ? null : (
        <ul aria-label="So far">
          {latest.map(({ label, time_s, ratio }) => (
            <li key={label}>
              <b>{label}</b> {measuredTime(time_s)}
              {ratio === null ? '' : `, ${timesText(gainOf(ratio))}`}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
