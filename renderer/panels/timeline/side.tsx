/** Panel next to the lanes: the chosen span, the selected time, or a summary of each timeline. */
import type { ReactElement } from 'react';
import {
  type HostOperation,
  type HostTime,
  type IdleTime,
  idleCauseTexts,
  type ThreadUse,
  type TraceSummary,
} from '../../../electron/contract/timeline.ts';
import { compactCount, count, percent, threadUseText } from '../../../electron/domain/numbers.ts';
import { timeText } from '../../drawing/timeline/time-text.ts';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import type { TimelineController } from './controller.ts';
import { NotesTab, StepsTab } from './notes-tab.tsx';
import { ChosenDetails, type Fact, Facts, SelectionDetails, TimesByName } from './selection-details.tsx';
import type { TimelineStateStore } from './store.ts';

/** Host time by operation or CUDA call, with the imbalance between threads. */
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

/** `ours`: true for a run of this program, whose operations are operators of the workload. */
function HostTimes({ host, ours }: { readonly host: HostTime; readonly ours: boolean }): ReactElement {
  const { operations, operationCount, calls, processes } = host;
  const listed =
    operationCount > operations.length ? `, the first ${operations.length} of ${count(operationCount)}` : '';
  return (
    <>
      {operations.length === 0 ? null : (
        <Operations title={`${ours ? 'Operators' : 'Host operations'} by time${listed}`} rows={operations} />
      )}
      {calls.length === 0 ? null : <Operations title="CUDA calls by time" rows={calls} />}
      {processes.map((use) => (
        <Threads key={use.process} use={use} />
      ))}
    </>
  );
}

interface IdleTimesProps {
  readonly idle: IdleTime;
  /** Shows a span in the lanes. */
  readonly show: (span: number) => void;
}

/** Periods in which no kernel runs, with their causes. */
function IdleTimes({ idle, show }: IdleTimesProps): ReactElement | null {
  const { causes, longest, sum_ns, extent_ns } = idle;
  if (causes.length === 0) return null;
  const share = extent_ns > 0 ? sum_ns / extent_ns : null;
  return (
    <>
      <table className="timeline-times">
        <caption>
          No kernel ran for {timeText(sum_ns, 4)}, {percent(share)} of the time from the first kernel to the last
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
                {idleCauseTexts[row.cause]}
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
              <button
                type="button"
                className="hoverable flex gap-l wide break-anywhere rounded between"
                onClick={() => show(span)}
              >
                <span>
                  {idleCauseTexts[cause]}
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

function factsOf(summary: TraceSummary): readonly Fact[] {
  const { kernels, copies, graphs, launches, gpus } = summary;
  const always: readonly Fact[] = [
    { name: 'Length', value: timeText(summary.duration_ns, 4) },
    { name: 'Spans', value: count(summary.spans) },
  ];
  if (summary.device_ns === null) return always;
  return [
    ...always,
    { name: 'Device time', value: timeText(summary.device_ns, 4), unit: 'first to last' },
    { name: 'Kernels', value: `${count(kernels.count)}, ${count(kernels.unique)} different` },
    { name: 'In kernels', value: timeText(kernels.sum_ns, 4) },
    { name: 'Copies and fills', value: `${count(copies.count)}, ${compactCount(copies.bytes)}B` },
    { name: 'Replayed in graphs', value: percent(graphs.share), unit: 'of kernel time' },
    { name: 'CPU in launch calls', value: percent(launches.share), unit: 'of device time' },
    ...(gpus.length > 1
      ? gpus.map(({ name, idleShare }, i) => ({ name: `GPU ${i} idle`, value: percent(idleShare), unit: name }))
      : [{ name: 'GPU idle', value: percent(summary.idleShare), unit: 'of device time' }]),
  ];
}

interface SummariesProps {
  readonly controller: TimelineController | null;
  readonly state: TimelineStateStore;
}

function Summaries({ controller, state }: SummariesProps): ReactElement {
  const { stores } = useWorkbench();
  const open = useSelected(stores.timelines, (now) => now.open);
  const summaries = useSelected(state, (now) => now.summaries);
  return (
    <div data-testid="timeline-summaries">
      {open.map((info) => {
        const summary = summaries[info.id];
        return (
          <section key={info.id}>
            <h2 className="timeline-side__title">{info.name}</h2>
            {info.about === '' ? null : <p className="timeline-side__about">{info.about}</p>}
            {summary === undefined ? null : <Facts facts={factsOf(summary)} />}
            {summary === undefined || summary.kernels.top.length === 0 ? null : (
              <TimesByName title="Kernels by time" rows={summary.kernels.top} />
            )}
            {summary === undefined || summary.idle === null ? null : (
              <IdleTimes idle={summary.idle} show={(span) => void controller?.choose(info.id, span, true)} />
            )}
            {summary === undefined ? null : <HostTimes host={summary.host} ours={info.source === 'run'} />}
            {info.notes.length === 0 ? null : (
              <ul className="timeline-side__notes muted">
                {info.notes.map((note) => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            )}
          </section>
        );
      })}
    </div>
  );
}

interface SidePanelProps {
  readonly controller: TimelineController | null;
  readonly state: TimelineStateStore;
}

export function SidePanel({ controller, state }: SidePanelProps): ReactElement {
  const tab = useSelected(state, (now) => now.tab);
  return (
    <aside className="timeline-side stack gap-s" aria-label="About the timeline">
      <Segmented
        label="About the timeline"
        value={tab}
        options={[
          { value: 'span', label: 'Span' },
          { value: 'selection', label: 'Selection' },
          { value: 'steps', label: 'Steps' },
          { value: 'notes', label: 'Notes' },
          { value: 'summary', label: 'Summary' },
        ]}
        onChange={(value) => state.setState({ tab: value })}
      />
      {/* Also scrolled by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable */}
      <section className="timeline-side__body grow scroll" tabIndex={0} aria-label={`Timeline: ${tab}`}>
        {tab === 'span' ? (
          <ChosenDetails controller={controller} state={state} />
        ) : tab === 'selection' ? (
          <SelectionDetails controller={controller} state={state} />
        ) : tab === 'steps' ? (
          <StepsTab controller={controller} state={state} />
        ) : tab === 'notes' ? (
          <NotesTab controller={controller} state={state} />
        ) : (
          <Summaries controller={controller} state={state} />
        )}
      </section>
    </aside>
  );
}
