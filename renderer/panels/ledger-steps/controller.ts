/** Ties the two plots of the ledger to the data, the pointer and the playback. Paints outside React. */
import type { StoreApi } from 'zustand/vanilla';
import { SHOWN } from '../../data/run-data.ts';
import { ChartView } from '../../drawing/charts/chart-view.ts';
import type { Figure } from '../../drawing/export/figure.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { frameOfStep, ledgerChart } from './series.ts';
import type { LedgerStepsStore } from './store.ts';

/** Step under the pointer; null: it is elsewhere. */
export type PointedStep = StoreApi<{ readonly step: number | null }>;

export interface DrivenPlots {
  stop(): void;
  /** Both plots, for export. */
  figure(): Figure | null;
}

export function driveLedgerSteps(
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
    const table = data.ledger.get(SHOWN);
    const { balance, scale } = store.getState();
    view.show(table !== null && table.step.length > 0 ? ledgerChart(table, balance, scale) : null);
  };
  const mark = (): void => {
    const { frames, index } = stores.playback.getState();
    view.setCursor(pointed.getState().step, frames[index]?.step ?? null);
  };
  const stops = [
    data.ledger.subscribe(SHOWN, show),
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
      const title = `${name}: ledger by step, ${what}: where they are, and the relative error`;
      return view.figure({ name: `${name}-ledger`, title, notes: { ...runNotes(run), balance } });
    },
    stop: () => {
      for (const stop of stops) stop();
      view.dispose();
    },
  };
}
