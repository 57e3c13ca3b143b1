/** What each timeline says at a glance. */
import type { ReactElement } from 'react';
import type { TraceSummary } from '../../../electron/contract/timeline.ts';
import { compact, count, percent } from '../../base/numbers.ts';
import { timeText } from '../../drawing/timeline/time-text.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import type { TimelineController } from './controller.ts';
import { type Fact, Facts, NamedTimes } from './facts.tsx';
import { HostTimes } from './host-times.tsx';
import { IdleTimes } from './idle-times.tsx';
import type { TimelineStateStore } from './store.ts';

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
    { name: 'Copies and fills', value: `${count(copies.count)}, ${compact(copies.bytes)}B` },
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

export function Summaries({ controller, state }: SummariesProps): ReactElement {
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
              <NamedTimes title="Kernels by time" rows={summary.kernels.top} />
            )}
            {summary === undefined || summary.idle === null ? null : (
              <IdleTimes idle={summary.idle} show={(span) => void controller?.choose(info.id, span, true)} />
            )}
            {summary === undefined ? null : <HostTimes host={summary.host} ours={info.source === 'run'} />}
            {info.notes.length === 0 ? null : (
              <ul className="timeline-side__notes">
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
