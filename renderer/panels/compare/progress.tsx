/** Progress of the benchmark, upper limit of the remaining time, and ratios measured so far. */
import type { ReactElement } from 'react';
import type { BenchProgress } from '../../../electron/contract/bench/benches.ts';
import { factorText, measuredTime, speedupOf } from '../../../electron/domain/measured.ts';
import { timeLeft } from '../../../electron/domain/numbers.ts';
import { activeBench } from '../../state/comparison.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

/** Progress of the running benchmark; null if there is none or it is queued. */
export function useProgress(): BenchProgress | null {
  const { stores } = useWorkbench();
  const bench = useSelected(stores.comparison, activeBench);
  return useSelected(stores.comparison, (state) => (bench === null ? null : (state.progress[bench.id] ?? null)));
}

/** Rows with intervals measured so far, ordered by time per step. */
export function LiveTable({ latest }: Pick<BenchProgress, 'latest'>): ReactElement {
  const reference = latest[0]?.label ?? '';
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
    <section className="compare-scroll" aria-label="Measured so far" tabIndex={0}>
      <table className="table compare-table" data-testid="compare-live">
        <thead>
          <tr>
            <th scope="col">Variant</th>
            <th scope="col" data-align="right">
              Time so far
            </th>
            <th scope="col" data-align="right">
              Speed relative to {reference}
            </th>
          </tr>
        </thead>
        <tbody>
          {latest.map(({ label, time_s, ratio }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td data-align="right">{measuredTime(time_s)}</td>
              <td data-align="right">{ratio === null || label === reference ? '1' : factorText(speedupOf(ratio))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** `table`: true if the table already shows the results so far. */
export function BenchProgressView({ table }: { readonly table: boolean }): ReactElement | null {
  const { stores } = useWorkbench();
  const bench = useSelected(stores.comparison, activeBench);
  const progress = useProgress();
  if (bench === null) return null;
  if (bench.state === 'queued' || progress === null) {
    return (
      <p className="compare-progress flex center wrap line-below" role="status">
        {bench.name} waiting for an earlier measurement
        {bench.queuePosition === null ? '' : ` (place ${bench.queuePosition})`}.
      </p>
    );
  }
  const { phase, variant, round, elapsed_s, left_s, latest } = progress;
  const share = left_s === null || elapsed_s + left_s === 0 ? 0 : elapsed_s / (elapsed_s + left_s);
  return (
    <div className="compare-progress flex center wrap line-below" data-testid="bench-progress">
      <progress value={share} max={1} aria-label="Progress of the benchmark" />
      <output aria-live="off">
        {phase === 'rounds' ? `round ${round + 1}` : phase}: {variant}
        {left_s === null ? '' : `; at most ${timeLeft(left_s)} left`}
      </output>
      {latest.length === 0 || table ? null : (
        <ul className="flex wrap wide" aria-label="So far">
          {latest.map(({ label, time_s, ratio }) => (
            <li key={label}>
              <b>{label}</b> {measuredTime(time_s)}
              {ratio === null ? '' : `, ${factorText(speedupOf(ratio))}`}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
