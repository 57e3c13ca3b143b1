/** Names and values below each other, and times by name as bars. */
import type { ReactElement, ReactNode } from 'react';
import type { NamedTime } from '../../../electron/contract/timeline.ts';
import { count, percent } from '../../base/numbers.ts';
import { timeText } from '../../drawing/timeline/time-text.ts';

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
  readonly unit?: string;
}

export function Facts({ facts }: { readonly facts: readonly Fact[] }): ReactElement {
  return (
    <dl className="timeline-facts">
      {facts.map(({ name, value, unit }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {unit === undefined || unit === '' ? null : <span className="timeline-facts__unit"> {unit}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function NamedTimes({
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
            {/* Names are long and differ at their end: they have a line of their own. */}
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
