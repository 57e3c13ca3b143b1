/** What the selected time holds, timeline by timeline. */
import type { ReactElement } from 'react';
import { count, percent } from '../../base/numbers.ts';
import { timeText } from '../../drawing/timeline/time-text.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { useSelected } from '../../workbench/context.ts';
import type { TimelineController } from './controller.ts';
import { Facts, NamedTimes } from './facts.tsx';
import type { TimelineStateStore } from './store.ts';
import { DifferenceTable } from './told/difference-table.tsx';

const MOST_NAMES = 12;

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
      {selected.parts.map(({ trace, title, statistics }) => (
        <section key={trace}>
          {selected.parts.length > 1 ? <h3>{title}</h3> : null}
          <Facts
            facts={[
              { name: 'Spans', value: count(statistics.count) },
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
          {statistics.names.length === 0 ? null : (
            <NamedTimes title="By name" rows={statistics.names.slice(0, MOST_NAMES)} />
          )}
        </section>
      ))}
    </div>
  );
}
