/** Number and energy balance of the shown run over the steps. */
import '../../widgets/plots/plots.css';
import './ledger-steps-panel.css';
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { formatError, percent } from '../../../electron/domain/numbers.ts';
import { SHOWN_KEY } from '../../data/run-data.ts';
import { ChartView } from '../../drawing/charts/chart-view.ts';
import type { Figure } from '../../drawing/export/figure.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { ExportMenu } from '../../widgets/floating/menu.tsx';
import { ChartFailure, ChartPlot } from '../../widgets/plots/chart-plot.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { PanelOffer, RunOffer } from '../../workbench/offers.tsx';
import type { Workbench } from '../../workbench/workbench.ts';
import {
  createLedgerStepsStore,
  errorCurve,
  frameOfStep,
  type LedgerStepsStore,
  ledgerChart,
  ledgerSeries,
  rowOfStep,
} from './series.ts';

// Connects the two ledger plots to the data, the pointer and the playback. Paints outside React.

/** Step under the pointer; null if it is elsewhere. */
type PointedStep = StoreApi<{ readonly step: number | null }>;

interface DrivenPlots {
  stop(): void;
  /** Figure of both plots for export. */
  figure(): Figure | null;
}

function driveLedgerSteps(
  { stores, data, scheduler }: Workbench,
  store: LedgerStepsStore,
  pointed: PointedStep,
  host: HTMLElement,
  failed: (reason: string) => void,
): DrivenPlots {
  const view = new ChartView(host, scheduler, {
    hover: (step) => pointed.setState({ step }),
    pick: (step) => {
      const { frames } = stores.playback.getState();
      if (frames.length > 0) stores.playback.go(frameOfStep(frames, step));
    },
    failed,
  });
  const show = (): void => {
    const table = data.ledger.get(SHOWN_KEY);
    const { balance, scale } = store.getState();
    view.show(table !== null && table.step.length > 0 ? ledgerChart(table, balance, scale) : null);
  };
  const mark = (): void => {
    const { frames, index } = stores.playback.getState();
    view.setCursor(pointed.getState().step, frames[index]?.step ?? null);
  };
  const stops = [
    data.ledger.subscribe(SHOWN_KEY, show),
    store.subscribe(show),
    pointed.subscribe(mark),
    stores.playback.subscribe(mark),
  ];
  show();
  mark();
  return {
    figure: () => {
      const run = runOf(stores.runs.getState(), stores.selection.getState().run);
      const { balance } = store.getState();
      const name = run?.name ?? 'run';
      const what = balance === 'number' ? 'protons' : 'energy';
      const title = `${name}: ledger by step, ${what}: distribution, and the relative error`;
      return view.figure({ name: `${name}-ledger`, title, notes: { ...runNotes(run), balance } });
    },
    stop: () => {
      for (const stop of stops) stop();
      view.dispose();
    },
  };
}

const balances = [
  { value: 'number', label: 'protons' },
  { value: 'energy', label: 'energy' },
] as const;

const scales = [
  { value: 'linear', label: 'lin', title: 'Linear scale' },
  { value: 'log', label: 'log', title: 'Logarithmic scale' },
] as const;

interface LegendProps {
  readonly balance: 'number' | 'energy';
  readonly pointed: PointedStep;
}

/** Names of the curves with their values at the pointer, at the shown stored step, or at the end. */
function Legend({ balance, pointed }: LegendProps): ReactElement | null {
  const { stores, data } = useWorkbench();
  const table = useCached(data.ledger, SHOWN_KEY);
  const under = useSelected(pointed, ({ step }) => step);
  const savedStep = useSelected(stores.playback, ({ frames, index }) => frames[index]?.step ?? null);
  const series = useMemo(() => (table === null ? [] : ledgerSeries(table, balance)), [table, balance]);
  const error = useMemo(() => (table === null ? null : errorCurve(table, balance)), [table, balance]);
  if (table === null || table.step.length === 0) return null;
  const row = rowOfStep(table.step, under ?? savedStep ?? Number.POSITIVE_INFINITY);
  return (
    <table className="ledger-steps__legend rigid" data-testid="ledger-legend">
      <thead>
        <tr>
          <th className="muted nowrap" scope="row">
            Step
          </th>
          <td className="nowrap text-right">{table.step[row]}</td>
        </tr>
      </thead>
      <tbody>
        {series.map(({ column, name, curve, present }) => (
          <tr key={column} data-absent={!present}>
            <th className="muted nowrap" scope="row">
              <svg width="22" height="6" aria-hidden="true">
                <line
                  x1="0"
                  x2="22"
                  y1="3"
                  y2="3"
                  stroke={present ? `var(--${curve.ink})` : 'none'}
                  strokeWidth="2"
                  strokeDasharray={curve.dash.join(' ')}
                />
              </svg>
              {name}
            </th>
            <td className="nowrap text-right">{percent(curve.y[row] ?? 0)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th className="muted nowrap" scope="row">
            Relative error
          </th>
          <td className="nowrap text-right">{formatError(error?.y[row])}</td>
        </tr>
      </tfoot>
    </table>
  );
}

export default function LedgerStepsPanel(): ReactElement {
  const workbench = useWorkbench();
  const { stores, data, storage, settingsReset } = workbench;
  const store = useMemo(() => createLedgerStepsStore(storage, settingsReset), [storage, settingsReset]);
  const pointed = useMemo((): PointedStep => createStore(() => ({ step: null as number | null })), []);
  const config = useSelected(store, (state) => state);
  const host = useRef<HTMLDivElement>(null);
  const driven = useRef<DrivenPlots>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    if (host.current === null) return;
    driven.current = driveLedgerSteps(workbench, store, pointed, host.current, setFailure);
    return () => driven.current?.stop();
  }, [workbench, store, pointed]);

  const table = useCached(data.ledger, SHOWN_KEY);
  const selected = useSelected(stores.selection, (state) => state.run);
  const running = useSelected(stores.runs, (state) => runOf(state, selected)?.state === 'running');
  const what = config.balance === 'number' ? 'Protons' : 'Energy';

  return (
    <div className="plot-panel">
      <div className="panel-bar">
        <span className="panel-readout panel-readout--none">
          {table === null ? 'Ledger by step' : 'Click a step to see its phase space'}
        </span>
        <div className="panel-bar__tools">
          <Segmented
            label="Balance of"
            value={config.balance}
            options={balances}
            onChange={(balance) => store.setState({ balance })}
          />
          <Segmented
            label="Scale"
            value={config.scale}
            options={scales}
            onChange={(scale) => store.setState({ scale })}
          />
          <ExportMenu
            what="the ledger by step"
            disabled={table === null}
            onChoose={(format) => void workbench.figures.save(driven.current?.figure() ?? null, format)}
          />
        </div>
      </div>
      <div className="ledger-steps flex gap-l grow relative">
        <div className="grow relative">
          <ChartPlot host={host} label={`${what} by step: distribution, and the relative error of the ledger`} />
          <ChartFailure reason={failure} />
        </div>
        <Legend balance={config.balance} pointed={pointed} />
        {table === null ? (
          <div className="plot-panel__cover">
            <EmptyState
              icon="ledger"
              title={running ? 'The ledger is computed at the end of the run' : 'No ledger yet'}
              action={running ? <PanelOffer panel="run" icon="gauge" label="Show the progress" /> : <RunOffer />}
            >
              {running
                ? 'The panel Run shows its error at every step.'
                : 'After a run, this panel shows how many protons are in flight, stopped and lost at every step.'}
            </EmptyState>
          </div>
        ) : null}
      </div>
    </div>
  );
}
