/** Every variant with its time, how it stands to the first, what it moves, and whether it is right. */
import type { ReactElement } from 'react';
import type { MeasuredSessionEntry, SessionEntry, SessionReport } from '../../../electron/contract/bench/session.ts';
import { gainOf, measuredTime, timeAndSpread, timesText } from '../../base/measured.ts';
import { compact, errorSize, NO_VALUE, percent } from '../../base/numbers.ts';

function rate(value: number | null, share: number | null, unit: string): string {
  if (value === null) return NO_VALUE;
  return `${compact(value)}${unit}${share === null ? '' : ` (${percent(share)})`}`;
}

/** What is wrong, or the error of what holds. */
function checkText({ accuracy }: MeasuredSessionEntry): string {
  const broken = accuracy.find(({ holds }) => !holds);
  if (broken !== undefined) {
    const value = broken.value === null ? 'NaN' : errorSize(broken.value);
    return `${broken.title}: ${value}${broken.bound === null ? '' : `, limit ${errorSize(broken.bound)}`}`;
  }
  const [first] = accuracy;
  return first === undefined ? NO_VALUE : errorSize(first.value);
}

const spreadTip = '± is the median absolute deviation over the median';

/** By which clock the time is. */
function clockTip({ samples }: MeasuredSessionEntry): string {
  const [first] = samples;
  if (first?.host_s == null) return spreadTip;
  const by =
    first.time_s === first.device_s
      ? `By the GPU’s clock; ${measuredTime(first.host_s)} by the host’s`
      : 'By the host’s clock';
  return `${by}. ${spreadTip}`;
}

/** Why samples are doubtful; they are kept. */
function flagTip({ samples }: MeasuredSessionEntry): string | undefined {
  const reasons = [...new Set(samples.flatMap(({ flag }) => flag ?? []))];
  return reasons.length === 0 ? undefined : `Flagged, and kept: ${reasons.join('; ')}`;
}

function Row({ entry }: { readonly entry: SessionEntry }): ReactElement {
  if (entry.status === 'refused') {
    return (
      <tr data-refused>
        <th scope="row" title={entry.title}>
          {entry.label}
        </th>
        <td>{entry.precision}</td>
        <td colSpan={6}>{entry.reason}</td>
      </tr>
    );
  }
  const { label, title, precision, time_s, spread, ratio, verdict, determinism, samples, flagged, roofline } = entry;
  const { bytes_per_s = null, share_of_copy = null, flops_per_s = null, share_of_flops = null } = roofline ?? {};
  return (
    <tr data-verdict={verdict}>
      <th scope="row" title={title}>
        {label}
      </th>
      <td>{precision}</td>
      <td className="selectable" title={clockTip(entry)}>
        {timeAndSpread(time_s, spread, samples.length)}
      </td>
      <td className="selectable">{verdict === 'reference' ? NO_VALUE : timesText(gainOf(ratio))}</td>
      <td className="results__verdict" title={flagTip(entry)}>
        {verdict}
        {(flagged ?? 0) === 0 ? '' : `, ${flagged} of ${samples.length} flagged`}
      </td>
      <td className="selectable" title="Compulsory traffic over the time, and its share of the measured copy bandwidth">
        {rate(bytes_per_s, share_of_copy, 'B/s')}
      </td>
      <td className="selectable" title="Arithmetic over the time, and its share of the measured ceiling">
        {rate(flops_per_s, share_of_flops, 'FLOP/s')}
      </td>
      <td className="selectable" title={entry.accuracy[0]?.tip}>
        {checkText(entry)}
        {determinism === null || determinism.bitwise ? '' : `, bits differ in ${determinism.runs} runs`}
      </td>
    </tr>
  );
}

export function VariantsTable({ report }: { readonly report: SessionReport }): ReactElement {
  return (
    <table className="results__table">
      <caption className="visually-hidden">Variants of {report.title ?? report.scenario}</caption>
      <thead>
        <tr>
          <th scope="col">Variant</th>
          <th scope="col">Precision</th>
          <th scope="col">Time</th>
          <th scope="col">Speed-up</th>
          <th scope="col">Verdict</th>
          <th scope="col">Traffic</th>
          <th scope="col">Arithmetic</th>
          <th scope="col">Error</th>
        </tr>
      </thead>
      <tbody>
        {report.entries.map((entry) => (
          <Row key={entry.label} entry={entry} />
        ))}
      </tbody>
    </table>
  );
}
