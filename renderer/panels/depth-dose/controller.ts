/** Draws the depth dose and keeps its cursor and window in step with the other plots. Paints outside React. */
import type { Interval } from '../../../electron/contract/fields.ts';
import { SHOWN } from '../../data/run-data.ts';
import type { Chart } from '../../drawing/charts/chart.ts';
import { ChartView } from '../../drawing/charts/chart-view.ts';
import type { Figure } from '../../drawing/export/figure.ts';
import { readDrawingTheme } from '../../drawing/theme.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { shownScenario } from '../../workbench/shown-scenario.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { type BeamAxis, beamAxis, depthAlong, pointAlong } from './beam-axis.ts';
import { depthDoseChart, type OverlaidCurve, showsSpectra, wholeDepth } from './figure.ts';
import type { DepthDoseStore } from './store.ts';

/** While a run goes on the curve follows at this pace, and the map at the full rate. */
const LIVE_EVERY_MS = 120;

export interface DrivenPlot {
  stop(): void;
  /** What the plot shows, for export. */
  figure(): Figure | null;
}

export function driveDepthDose(
  workbench: Workbench,
  store: DepthDoseStore,
  host: HTMLElement,
  failed: (reason: string) => void,
): DrivenPlot {
  const { stores, data, scheduler, overlays } = workbench;
  const resolved = () => shownScenario('transport', workbench);
  const beam = (): BeamAxis => beamAxis(resolved());
  const laidOver = (): readonly OverlaidCurve[] =>
    overlays.list.getState().items.flatMap(({ id, name }, look) => {
      const curve = overlays.curves.get(id);
      return curve === null ? [] : [{ name, ...curve, look }];
    });
  const chart = (): Chart => {
    const { z } = stores.window.getState().windows;
    const { entrance_mm, angle_rad } = beam();
    // Depth along the axis is depth in the map for a straight beam only: then both plots show one window.
    const straight = z !== undefined && angle_rad === 0;
    return depthDoseChart({
      shown: data.depthDose.get(SHOWN),
      resolved: resolved(),
      unit: store.getState().unit,
      beside: store.getState().beside,
      overlays: laidOver(),
      window: straight ? [z[0] - entrance_mm.z, z[1] - entrance_mm.z] : null,
      width: host.clientWidth / readDrawingTheme(host).labelSize,
    });
  };
  const overDepth = (): boolean => !showsSpectra(store.getState().beside, data.depthDose.get(SHOWN));
  const zoom = ([from, to]: Interval): void => {
    const { entrance_mm, angle_rad } = beam();
    if (angle_rad !== 0 || !overDepth()) return;
    const [low, high] = wholeDepth(data.depthDose.get(SHOWN), resolved());
    const z = [Math.max(low, from) + entrance_mm.z, Math.min(high, to) + entrance_mm.z] as const;
    stores.window.zoom({ z: from <= low && to >= high ? null : z });
  };
  const view = new ChartView(host, scheduler, {
    hover: (depth) => stores.selection.point(depth === null || !overDepth() ? null : pointAlong(beam(), depth)),
    pick: (depth) => {
      if (overDepth()) stores.selection.pin(pointAlong(beam(), depth));
    },
    zoom,
    reset: stores.window.reset,
    pace: () => (data.depthDose.get(SHOWN)?.final === null ? LIVE_EVERY_MS : 0),
    failed,
  });
  const show = (): void => view.show(chart());
  const cross = (): void => {
    const at = shownCrosshair(stores.selection.getState());
    const axis = beam();
    view.setCursor(
      at?.z === undefined || !overDepth() ? null : depthAlong(axis, at.z, at.x ?? axis.entrance_mm.x),
      null,
    );
  };
  // Words stand on the side of their line where there is room.
  const resize = new ResizeObserver(show);
  resize.observe(host);
  const stops = [
    data.depthDose.subscribe(SHOWN, show),
    data.reference.subscribe(SHOWN, show),
    stores.window.subscribe(show),
    stores.scenario.subscribe((state, before) => {
      if (state.lastResolved !== before.lastResolved) show();
    }),
    stores.selection.subscribe(cross),
    store.subscribe(show),
    overlays.list.subscribe(show),
  ];
  show();
  cross();
  return {
    figure: () => {
      const run = runOf(stores.runs.getState(), data.depthDose.get(SHOWN)?.run ?? null);
      if (data.depthDose.get(SHOWN) === null) return null;
      const name = run?.name ?? 'run';
      return view.figure({ name: `${name}-depth-dose`, title: `${name}: depth dose`, notes: runNotes(run) });
    },
    stop: () => {
      for (const stop of stops) stop();
      resize.disconnect();
      view.dispose();
    },
  };
}
