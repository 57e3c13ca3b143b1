/** Timelines of runs and of traces from other profilers, stacked on a common axis. */
import '../../widgets/plots/plots.css';
import './timeline-panel.css';
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { kindOfDocument } from '../../../electron/contract/scenario/index.ts';
import { compactCount, percent } from '../../../electron/domain/numbers.ts';
import { type StoredRun, storedRuns } from '../../data/stored-runs.ts';
import { hasResult, runOf } from '../../state/runs.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { PlotLayers } from '../../widgets/plots/plot-layers.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { BlockBar } from './block-bar.tsx';
import { TimelineController } from './controller.ts';
import { SidePanel } from './side.tsx';
import { createTimelineSettings, createTimelineState } from './store.ts';
import { Toolbar } from './toolbar.tsx';

/** Finished share of a file; null if its size is unknown. */
const share = (part: number, whole: number): number | null => (whole > 0 ? Math.min(1, part / whole) : null);

function LoadingFiles(): ReactElement | null {
  const { stores } = useWorkbench();
  const reading = useSelected(stores.timelines, (state) => state.reading);
  const sending = useSelected(stores.timelines, (state) => state.sending);
  if (reading.length + sending.length === 0) return null;
  const rows = [
    ...sending.map((file) => ({
      key: `sending ${file.key}`,
      text: `Reading ${file.name}`,
      done: share(file.sent_bytes, file.total_bytes),
      spans: null,
    })),
    ...reading.map((file) => ({
      key: file.id,
      text: `Reading ${file.name}`,
      done: file.read_bytes > 0 ? share(file.read_bytes, file.total_bytes) : null,
      spans: file.spans,
    })),
  ];
  return (
    <ul className="timeline-reading floating" aria-live="polite">
      {rows.map(({ key, text, done, spans }) => (
        <li className="flex center gap-l nowrap" key={key}>
          <span>{text}</span>
          <progress aria-label={text} {...(done === null ? {} : { value: done })} />
          <span>
            {done === null ? '' : percent(done)}
            {spans === null || spans === 0 ? '' : ` ${compactCount(spans)} spans`}
          </span>
        </li>
      ))}
    </ul>
  );
}

// Bundled runs have GPU timelines that can be viewed without a GPU.

/** Bundled runs. Empty until they are listed, or if listing fails. */
function useRecordedRuns(): readonly StoredRun[] {
  const { client } = useWorkbench();
  const [runs, setRuns] = useState<readonly StoredRun[]>([]);
  useEffect(() => {
    let current = true;
    storedRuns(client, 'examples').then(
      (found) => current && setRuns(found),
      // The panel works without bundled runs, and the Library panel reports the error.
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [client]);
  return runs;
}

/** Offers the recorded runs if no timeline is open. */
function RecordedRunsOffer({ recorded }: { readonly recorded: readonly StoredRun[] }): ReactElement | null {
  const { runs } = useWorkbench();
  if (recorded.length === 0) return null;
  return (
    <div className="timeline-recorded flex">
      <p>Recorded runs shipped with the program:</p>
      {recorded.map(({ id, file, fileName, name, facts }) => (
        <Button key={id} onPress={() => void runs.openFile(file, fileName)}>
          {[name, facts.variant, facts.device].filter(Boolean).join(' · ')}
        </Button>
      ))}
    </div>
  );
}

/** Opens the timeline of the selected run, and closes it when the selection changes. */
function useFollowedRun(): void {
  const { stores, timelines } = useWorkbench();
  const selected = useSelected(stores.selection, (state) => state.run);
  const ready = useSelected(stores.runs, (state) => {
    const run = runOf(state, selected);
    return run !== null && hasResult(run) ? run.id : null;
  });
  const listed = useSelected(stores.runs, (state) => state.listed);
  useEffect(() => {
    if (listed) void timelines.followRun(ready);
  }, [timelines, ready, listed]);
}

/** If there is neither a run nor a trace, shows a bundled run of the form's workload until another timeline opens. */
function useSuggestedRun(recorded: readonly StoredRun[], empty: boolean): boolean {
  const { stores, timelines } = useWorkbench();
  const none = useSelected(stores.runs, ({ listed, runs }) => listed && runs.length === 0);
  const kind = useSelected(stores.scenario, (state) => kindOfDocument(state.draft));
  const open = useSelected(stores.timelines, (now) => now.open);
  useEffect(() => {
    const fitting = recorded.find(({ facts }) => facts.workload === kind);
    if (none && empty && fitting !== undefined) void timelines.offer(fitting.file, fitting.name);
  }, [timelines, none, empty, kind, recorded]);
  const offered = useSelected(stores.timelines, (now) => now.offered);
  useEffect(() => {
    if (offered !== null && open.length > 1) void timelines.makeRoom();
  }, [timelines, offered, open]);
  return offered !== null && open.some(({ id }) => id === offered);
}

export default function TimelinePanel(): ReactElement {
  const workbench = useWorkbench();
  const { stores, storage, settingsReset } = workbench;
  const settings = useMemo(() => createTimelineSettings(storage, settingsReset), [storage, settingsReset]);
  const state = useMemo(() => createTimelineState(), []);
  const below = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const [controller, setController] = useState<TimelineController | null>(null);
  const open = useSelected(stores.timelines, (now) => now.open);
  const busy = useSelected(stores.timelines, (now) => now.reading.length + now.sending.length > 0);
  const side = useSelected(settings, (now) => now.side);
  const recorded = useRecordedRuns();
  useFollowedRun();
  const offered = useSuggestedRun(recorded, open.length === 0 && !busy);
  useEffect(() => {
    if (below.current === null || above.current === null) return undefined;
    const made = new TimelineController(workbench, settings, state, below.current, above.current);
    setController(made);
    return () => {
      setController(null);
      made.dispose();
    };
  }, [workbench, settings, state]);

  const empty = open.length === 0;
  return (
    <div className="timeline-panel stack wide">
      <Toolbar controller={controller} settings={settings} state={state} disabled={empty} />
      <BlockBar controller={controller} state={state} recorded={recorded} />
      {!offered ? null : (
        <p className="timeline-panel__offered rigid muted sunken line-below">
          This run was shipped with the program. The timeline of your next run, or of a file that you open, replaces it.
        </p>
      )}
      <div className="timeline-panel__main flex grow">
        <div className="plot-panel__body timeline-panel__body grow">
          <PlotLayers
            below={below}
            above={above}
            label="Timeline; W and S zoom, A and D move, brackets go from span to span, F fits, Home shows all"
            keys
            testId="timeline-canvas"
          />
          {empty && !busy ? (
            <div className="plot-panel__cover">
              <EmptyState icon="lanes" title="No timeline yet" action={<RecordedRunsOffer recorded={recorded} />}>
                Run a scenario, or open a Chrome trace (.json, .json.gz), an SQLite export of Nsight Systems, or a run:
                drop the file on the window.
              </EmptyState>
            </div>
          ) : null}
          <LoadingFiles />
        </div>
        {side && !empty ? <SidePanel controller={controller} state={state} /> : null}
      </div>
    </div>
  );
}
