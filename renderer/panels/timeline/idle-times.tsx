/** When no kernel ran, and why. */
import type { ReactElement } from 'react';
import { type IdleTime, idleWords } from '../../../electron/contract/timeline.ts';
import { count, percent } from '../../base/numbers.ts';
import { timeText } from '../../drawing/timeline/time-text.ts';

interface IdleTimesProps {
  readonly idle: IdleTime;
  /** Shows a span in the lanes. */
  readonly show: (span: number) => void;
}

export function IdleTimes({ idle, show }: IdleTimesProps): ReactElement | null {
  const { causes, longest, sum_ns, extent_ns } = idle;
  if (causes.length === 0) return null;
  const share = extent_ns > 0 ? sum_ns / extent_ns : null;
  return (
    <>
      <table className="timeline-times">
        <caption>
          No kernel ran for {timeText(sum_ns, 4)}, {percent(share)} of the time from the first to the last
        </caption>
        <thead>
          <tr>
            <th scope="col">Gaps</th>
            <th scope="col">Sum</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        {causes.map((row) => (
          <tbody key={row.cause}>
            <tr>
              <th scope="rowgroup" colSpan={3}>
                {idleWords[row.cause]}
              </th>
            </tr>
            <tr>
              <td>{count(row.count)}</td>
              <td>{timeText(row.sum_ns)}</td>
              <td>{percent(row.share)}</td>
            </tr>
          </tbody>
        ))}
      </table>
      <div className="timeline-links">
        <h3>Longest gaps</h3>
        <ul>
          {longest.map(({ start_ns, duration_ns, cause, host, next, span }) => (
            <li key={start_ns}>
              <button type="button" onClick={() => show(span)}>
                <span>
                  {idleWords[cause]}
                  {host === null ? '' : ` (${host})`}, then {next}
                </span>
                <span>{timeText(duration_ns)}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
