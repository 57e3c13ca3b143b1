/** Ties the two plots of the ledger to the data, the pointer and the playback. Paints outside React. */
import type { StoreApi } from 'zustand/vanilla';
import { SHOWN } from '../../data/run-data.ts';
import { type Figure, joined } from '../../drawing/export/figure.ts';
import { paintHeading } from '../../drawing/export/raster.ts';
import { LineView } from '../../drawing/line-view.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { errorScene, frameOfStep, shareScene } from './series.ts';
import type { LedgerStepsStore } from './store.ts';

/** Step under the pointer; null: it is elsewhere. */
export type PointedStep = StoreApi<{ readonly step: number | null }>;

export interface PlotCanvases {
  readonly below: HTMLCanvasElement;
  readonly above: HTMLCanvasElement;
}

export interface DrivenPlots {
  stop(): void;
  /** Both plots, for export. */
  figure(): Figure | null;
}

export function driveLedgerSteps(
  { stores, data, scheduler }: Workbench,
  store: LedgerStepsStore,
  pointed: PointedStep,
  shares: PlotCanvases,
  errors: PlotCanvases,
): DrivenPlots {
  const plots = [shares, errors].map(({ below, above }) => ({ view: new LineView(below, above, scheduler), above }));
  const show = (): void => {
    const table = data.ledger.get(SHOWN);
    const { balance, scale } = store.getState();
    const usable = table !== null && table.step.length > 0;
    plots[0]?.view.show(usable ? shareScene(table, balance, scale) : null);
    plots[1]?.view.show(usable ? errorScene(table, balance) : null);
  };
  const mark = (): void => {
    const { frames, index } = stores.playback.getState();
    for (const { view } of plots) view.setCursor(pointed.getState().step, frames[index]?.step ?? null);
  };
  const listening = new AbortController();
  for (const { view, above } of plots) {
    const options = { signal: listening.signal };
    const stepAt = (event: MouseEvent): number | null => view.valueAt(event.offsetX, event.offsetY);
    above.addEventListener('pointermove', (event) => pointed.setState({ step: stepAt(event) }), options);
    above.addEventListener('pointerleave', () => pointed.setState({ step: null }), options);
    above.addEventListener(
      'click',
      (event) => {
        const step = stepAt(event);
        const { frames } = stores.playback.getState();
        if (step !== null && frames.length > 0) stores.playback.go(frameOfStep(frames, step));
      },
      options,
    );
  }
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
      const about = { name: `${name}-ledger`, title: `${name}: ledger`, notes: { ...runNotes(run), balance } };
      const parts = plots.flatMap(({ view }) => view.figure(about) ?? []);
      if (parts.length < plots.length) return null;
      const what = balance === 'number' ? 'Protons' : 'Energy';
      const labels = [`${what}: where they are`, `${what}: relative error`];
      return joined(parts, { name: about.name, title: `${name}: ledger by step`, columns: 1, labels }, paintHeading);
    },
    stop: () => {
      listening.abort();
      for (const stop of stops) stop();
      for (const { view } of plots) view.dispose();
    },
  };
}
