/** Comparison of the selected time in two timelines. */
import { type ReactElement, useMemo, useState } from 'react';
import type { NamedTime, TimelineStatistics, TraceId } from '../../../electron/contract/timeline.ts';
import { count, significant } from '../../../electron/domain/numbers.ts';
import { timeText } from '../../drawing/timeline/time-text.ts';
import { Select } from '../../widgets/controls/select.tsx';
import type { SelectedTime } from './store.ts';

/** Difference between two timelines in the same selection, by span name. */
interface NamedDifference {
  readonly name: string;
  /** Null if the timeline has no span with this name. */
  readonly first: NamedTime | null;
  readonly second: NamedTime | null;
  /** Total of the second minus total of the first. */
  readonly difference_ns: number;
  /** Mean of the second over mean of the first; null if either is missing. */
  readonly ratio: number | null;
}

/** Differences by name, largest change first. */
export function compareByName(first: TimelineStatistics, second: TimelineStatistics): readonly NamedDifference[] {
  const find = ({ names }: TimelineStatistics): ReadonlyMap<string, NamedTime> =>
    new Map(names.map((one) => [one.name, one]));
  const [a, b] = [find(first), find(second)];
  return [...new Set([...a.keys(), ...b.keys()])]
    .map((name): NamedDifference => {
      const [one, other] = [a.get(name) ?? null, b.get(name) ?? null];
      const ratio = one !== null && other !== null && one.mean_ns > 0 ? other.mean_ns / one.mean_ns : null;
      return { name, first: one, second: other, difference_ns: (other?.sum_ns ?? 0) - (one?.sum_ns ?? 0), ratio };
    })
    .toSorted((x, y) => Math.abs(y.difference_ns) - Math.abs(x.difference_ns));
}

const MAX_NAMES = 40;

type Parts = SelectedTime['parts'];

const signedDuration = (ns: number): string => `${ns < 0 ? '−' : '+'}${timeText(Math.abs(ns), 3)}`;

export function DifferenceTable({ parts }: { readonly parts: Parts }): ReactElement | null {
  const [selectedPair, setSelectedPair] = useState<readonly [TraceId, TraceId] | null>(null);
  const find = (trace: TraceId | undefined, otherwise: number) =>
    parts.find((part) => part.trace === trace) ?? parts[otherwise];
  const [first, second] = [find(selectedPair?.[0], 0), find(selectedPair?.[1], 1)];
  const rows = useMemo(
    () => (first === undefined || second === undefined ? [] : compareByName(first.statistics, second.statistics)),
    [first, second],
  );
  if (first === undefined || second === undefined) return null;
  const options = parts.map(({ trace, title }) => ({ value: trace, label: title }));
  const less = second.statistics.sum_ns - first.statistics.sum_ns;
  return (
    <section className="timeline-difference" aria-label="Difference of two timelines">
      <h3>Difference</h3>
      <div className="timeline-difference__of flex center wrap">
        <Select
          label="Difference to"
          value={second.trace}
          options={options}
          onChange={(trace) => setSelectedPair([first.trace, trace])}
        />
        <span>less</span>
        <Select
          label="Difference from"
          value={first.trace}
          options={options}
          onChange={(trace) => setSelectedPair([trace, second.trace])}
        />
      </div>
      <p className="timeline-side__about">
        {signedDuration(less)} in all: {timeText(first.statistics.sum_ns, 4)}, then{' '}
        {timeText(second.statistics.sum_ns, 4)}.
      </p>
      <h4>By name, the largest change first</h4>
      <ol className="timeline-difference__names" data-testid="timeline-difference">
        {rows.slice(0, MAX_NAMES).map(({ name, first: a, second: b, difference_ns, ratio }) => (
          <li className="grid line-below" key={name}>
            <span className="break-anywhere">{name}</span>
            <b>{signedDuration(difference_ns)}</b>
            <span className="all-columns muted">
              {timeText(a?.sum_ns ?? 0)} in {count(a?.count ?? 0)}, then {timeText(b?.sum_ns ?? 0)} in{' '}
              {count(b?.count ?? 0)}
              {ratio === null ? '' : `; each ${significant(ratio, 3)}×`}
            </span>
          </li>
        ))}
      </ol>
      {rows.length > MAX_NAMES ? (
        <p className="timeline-side__about">{count(rows.length - MAX_NAMES)} names with smaller changes.</p>
      ) : null}
    </section>
  );
}
