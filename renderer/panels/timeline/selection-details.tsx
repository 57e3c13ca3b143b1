/**
 * Details of the chosen span and of the selected time, with the lists that the side panel shares: names with values,
 * and bars of the time per name.
 */
import type { ReactElement, ReactNode } from 'react';
import type { NamedTime, PlacedSpan, SpanDetails } from '../../../electron/contract/timeline.ts';
import { count, NO_VALUE, percent, significant } from '../../../electron/domain/numbers.ts';
import { formatBytes } from '../../../electron/domain/values/units.ts';
import { exactTime, timeText } from '../../drawing/timeline/time-text.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { useSelected } from '../../workbench/context.ts';
import type { TimelineController } from './controller.ts';
import { DifferenceTable } from './difference-table.tsx';
import type { SelectedLane, TimelineStateStore } from './store.ts';

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
  readonly unit?: string;
}

export function Facts({ facts }: { readonly facts: readonly Fact[] }): ReactElement {
  return (
    <dl className="timeline-facts">
      {facts.map(({ name, value, unit }) => (
        <div className="flex line-below between" key={name}>
          <dt>{name}</dt>
          <dd className="break-anywhere text-right">
            {value}
            {unit === undefined || unit === '' ? null : <span className="muted"> {unit}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function TimesByName({
  title,
  rows,
}: {
  readonly title: string;
  readonly rows: readonly NamedTime[];
}): ReactElement {
  return (
    <table className="timeline-times">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">Count</th>
          <th scope="col">Min</th>
          <th scope="col">Mean</th>
          <th scope="col">p95</th>
          <th scope="col">Sum</th>
          <th scope="col">Share</th>
        </tr>
      </thead>
      {rows.map((row) => (
        <tbody key={row.name}>
          <tr>
            {/* Long names differ at their end, so each has a separate line. */}
            <th scope="rowgroup" colSpan={6}>
              {row.name}
            </th>
          </tr>
          <tr>
            <td>{count(row.count)}</td>
            <td>{timeText(row.min_ns)}</td>
            <td>{timeText(row.mean_ns)}</td>
            <td>{timeText(row.p95_ns)}</td>
            <td>{timeText(row.sum_ns)}</td>
            <td>{percent(row.share)}</td>
          </tr>
        </tbody>
      ))}
    </table>
  );
}

// All available details of the chosen span.

/** Maximum number of listed links, because a graph launches thousands. */
const MAX_LINKS = 8;

function factsOf(details: SpanDetails): readonly Fact[] {
  const { bytes, bytes_per_s, shareOfCeiling, step, launched } = details;
  // Delay from the call to the first work that it launched: the launch latency.
  const delay = launched[0] === undefined ? null : launched[0].start_ns - details.start_ns;
  return [
    { name: 'Duration', value: timeText(details.duration_ns, 4) },
    { name: 'Starts at', value: exactTime(details.start_ns) },
    { name: 'Lane', value: details.lane },
    { name: 'Process', value: details.process },
    ...(step === null ? [] : [{ name: 'Step', value: count(step) }]),
    ...(bytes === null ? [] : [{ name: 'Size', value: formatBytes(bytes) }]),
    ...(bytes_per_s === null ? [] : [{ name: 'Rate', value: significant(bytes_per_s / 1e9, 4), unit: 'GB/s' }]),
    ...(shareOfCeiling === null
      ? []
      : [{ name: 'Share of copy bandwidth', value: percent(shareOfCeiling), unit: 'measured' }]),
    ...details.fields,
    ...(delay === null ? [] : [{ name: 'To its first work', value: timeText(delay, 4) }]),
  ];
}

interface LinksProps {
  readonly title: string;
  readonly spans: readonly PlacedSpan[];
  readonly total: number;
  readonly onChoose: (span: number) => void;
}

function Links({ title, spans, total, onChoose }: LinksProps): ReactElement | null {
  if (spans.length === 0) return null;
  return (
    <section className="timeline-links">
      <h3>{title}</h3>
      <ul>
        {spans.slice(0, MAX_LINKS).map((span) => (
          <li key={span.span}>
            <button
              type="button"
              className="hoverable flex gap-l wide break-anywhere rounded between"
              onClick={() => onChoose(span.span)}
            >
              <span>{span.name}</span>
              <span>{timeText(span.duration_ns)}</span>
            </button>
          </li>
        ))}
      </ul>
      {total > MAX_LINKS ? <p>and {count(total - MAX_LINKS)} more</p> : null}
    </section>
  );
}

export function ChosenDetails({
  controller,
  state,
}: {
  readonly controller: TimelineController | null;
  readonly state: TimelineStateStore;
}): ReactElement {
  const chosen = useSelected(state, (now) => now.chosen);
  if (chosen === null) return <p className="timeline-side__none">Click a span to see its details.</p>;
  const { details, sameName, trace } = chosen;
  const choose = (span: number): void => void controller?.choose(trace, span, true);
  return (
    <div data-testid="span-details">
      <h2 className="timeline-side__title">{details.name}</h2>
      <Facts facts={factsOf(details)} />
      <Links title="Launched by" spans={details.launchedBy} total={details.launchedBy.length} onChoose={choose} />
      <Links title="Launches" spans={details.launched} total={details.launchedCount} onChoose={choose} />
      {sameName === null ? null : (
        <section className="timeline-links">
          <h3>All with this name</h3>
          <Facts
            facts={[
              { name: 'Count', value: count(sameName.count) },
              { name: 'Sum', value: timeText(sameName.sum_ns, 4) },
              { name: 'Median', value: timeText(sameName.median_ns, 4) },
              { name: 'Shortest, longest', value: `${timeText(sameName.min_ns)}, ${timeText(sameName.max_ns)}` },
              { name: 'Share of the timeline', value: percent(sameName.busyShare) },
            ]}
          />
        </section>
      )}
    </div>
  );
}

const MAX_NAMES = 12;

/** Selected time by lane and stream. */
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
        <p>Drag over the ruler, or with Shift over the lanes, to select a time range.</p>
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
            <TimesByName title="By name" rows={statistics.names.slice(0, MAX_NAMES)} />
          )}
        </section>
      ))}
    </div>
  );
}
