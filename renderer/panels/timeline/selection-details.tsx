/** What the selected time holds, timeline by timeline. */
import type { ReactElement } from 'react';
import { count, NO_VALUE, percent } from '../../base/numbers.ts';
import { timeText } from '../../drawing/timeline/time-text.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { useSelected } from '../../workbench/context.ts';
import type { TimelineController } from './controller.ts';
import { Facts, NamedTimes } from './facts.tsx';
import type { SelectedLane, TimelineStateStore } from './store.ts';
import { DifferenceTable } from './told/difference-table.tsx';

const MOST_NAMES = 12;

/** The same time by lane and stream. */
function LaneTimes({ lanes }: { readonly lanes: readonly SelectedLane[] }): ReactElement {
  return (
    <table className="timeline-times" data-testid="selection-lanes">
      <caption>By lane</caption>
      <thead>
        <tr>
          <th scope="col">Lane</th>
          <th scope="col">On</th>
          <th scope="col">Spans</th>
          <th scope="col">Sum</th>
          <th scope="col">Busy</th>
        </tr>
      </thead>
      <tbody>
        {lanes.map(({ title, on, statistics }) => (
          <tr key={title}>
            <th scope="row">{title}</th>
            <td>{on ?? NO_VALUE}</td>
            <td>{count(statistics.count)}</td>
            <td>{timeText(statistics.sum_ns)}</td>
            <td>{percent(statistics.busyShare)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface SelectionDetailsProps {
  readonly controller: TimelineController | null;
  readonly state: TimelineStateStore;
}

export function SelectionDetails({ controller, state }: SelectionDetailsProps): ReactElement {
  const selected = useSelected(state, (now) => now.selected);
  if (selected === null) {
    return (
      <div className="timeline-side__none">
        <p>Drag over the ruler, or with Shift over the lanes, to select a range of time.</p>
        <Button icon="fit" onPress={() => controller?.selectAll()}>
          Select all
        </Button>
      </div>
    );
  }
  return (
    <div data-testid="selection-details">
      <h2 className="timeline-side__title">{timeText(selected.to - selected.from, 4)} selected</h2>
      {selected.parts.length > 1 ? <DifferenceTable parts={selected.parts} /> : null}
      {selected.parts.map(({ trace, title, statistics, lanes }) => (
        <section key={trace}>
          {selected.parts.length > 1 ? <h3>{title}</h3> : null}
          <Facts
            facts={[
              { name: 'Spans', value: count(statistics.count), unit: lanes.length > 0 ? 'on the GPU' : '' },
              { name: 'Sum', value: timeText(statistics.sum_ns, 4) },
              { name: 'Mean', value: timeText(statistics.mean_ns, 4) },
              { name: 'Median', value: timeText(statistics.median_ns, 4) },
              { name: 'p95', value: timeText(statistics.p95_ns, 4) },
              { name: 'Shortest, longest', value: `${timeText(statistics.min_ns)}, ${timeText(statistics.max_ns)}` },
              { name: 'Busy', value: percent(statistics.busyShare), unit: 'of the time' },
              { name: 'Gaps', value: count(statistics.gaps.count) },
              { name: 'In gaps', value: timeText(statistics.gaps.sum_ns, 4) },
              {
                name: 'Gap, median and longest',
                value: `${timeText(statistics.gaps.median_ns)}, ${timeText(statistics.gaps.longest_ns)}`,
              },
            ]}
          />
          {lanes.length === 0 ? null : <LaneTimes lanes={lanes} />}
          {statistics.names.length === 0 ? null : (
            <NamedTimes title="By name" rows={statistics.names.slice(0, MOST_NAMES)} />
          )}
        </section>
      ))}
    </div>
  );
}
