/** Where the host's time went: operations, calls of CUDA, and how evenly threads are used. */
import type { ReactElement } from 'react';
import type { HostOperation, HostTime, ThreadUse } from '../../../electron/contract/timeline.ts';
import { count, percent } from '../../base/numbers.ts';
import { threadUseText } from '../../base/thread-use.ts';
import { timeText } from '../../drawing/timeline/time-text.ts';

function Operations({
  title,
  rows,
}: {
  readonly title: string;
  readonly rows: readonly HostOperation[];
}): ReactElement {
  const uneven = rows.some(({ imbalance }) => imbalance !== null);
  const columns = ['Calls', 'Time', 'Own time', 'Share', ...(uneven ? ['Uneven'] : [])];
  return (
    <table className="timeline-times">
      <caption>{title}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th scope="col" key={column}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      {rows.map((row) => (
        <tbody key={row.name}>
          <tr>
            <th scope="rowgroup" colSpan={columns.length}>
              {row.name}
            </th>
          </tr>
          <tr>
            <td>{count(row.count)}</td>
            <td>{timeText(row.sum_ns)}</td>
            <td>{timeText(row.own_ns)}</td>
            <td>{percent(row.share)}</td>
            {uneven ? <td>{row.imbalance === null ? '' : `+${percent(row.imbalance)}`}</td> : null}
          </tr>
        </tbody>
      ))}
    </table>
  );
}

function Threads({ use }: { readonly use: ThreadUse }): ReactElement {
  const { threads, threadCount } = use;
  return (
    <>
      <table className="timeline-times timeline-threads">
        <caption>{threadUseText(use)}</caption>
        <tbody>
          {threads.map(({ name, busy_ns, share }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <meter aria-label={`${name} busy`} min={0} max={1} value={share ?? 0} />
              </td>
              <td>{timeText(busy_ns)}</td>
              <td>{percent(share)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {threadCount > threads.length ? <p>{count(threadCount - threads.length)} more</p> : null}
    </>
  );
}

/** `ours`: of a run, whose operations are operators of the workload. */
export function HostTimes({ host, ours }: { readonly host: HostTime; readonly ours: boolean }): ReactElement {
  const { operations, operationCount, calls, processes } = host;
  const listed =
    operationCount > operations.length ? `, the first ${operations.length} of ${count(operationCount)}` : '';
  return (
    <>
      {operations.length === 0 ? null : (
        <Operations title={`${ours ? 'Operators' : 'Host operations'} by time${listed}`} rows={operations} />
      )}
      {calls.length === 0 ? null : <Operations title="Calls of CUDA by time" rows={calls} />}
      {processes.map((use) => (
        <Threads key={use.process} use={use} />
      ))}
    </>
  );
}
