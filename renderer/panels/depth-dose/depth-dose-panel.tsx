/** Dose along the beam, with R80 and the range from the tables. */
import '../../widgets/plots/plots.css';
import './depth-dose-panel.css';
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import type { Interval } from '../../../electron/contract/fields.ts';
import { narrowResolvedScenario } from '../../../electron/contract/scenarios.ts';
import { fixedDigits, significant } from '../../../electron/domain/numbers.ts';
import { SHOWN_KEY } from '../../data/run-data.ts';
import type { Chart } from '../../drawing/charts/chart.ts';
import { ChartView } from '../../drawing/charts/chart-view.ts';
import type { Figure } from '../../drawing/export/figure.ts';
import { readDrawingTheme } from '../../drawing/theme.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { ExportMenu } from '../../widgets/floating/menu.tsx';
import { ChartFailure, ChartPlot } from '../../widgets/plots/chart-plot.tsx';
import { shownScenario, useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { type BeamAxis, beamAxis, depthAlong, interpolate, pointAlong } from './beam-axis.ts';
import {
  createDepthDoseStore,
  curveInUnit,
  type DepthDoseState,
  type DepthDoseStore,
  depthDoseChart,
  fullDepthRange,
  type OverlaidCurve,
  showsSpectra,
} from './figure.ts';
import { OverlayMenu } from './overlays.tsx';
import { createUncertaintyStore, UncertaintyMenu, type UncertaintyStore, uncertaintyBandOf } from './uncertainty.tsx';

// Draws the depth dose and synchronises its cursor and window with the other plots. Paints outside React.

/** Update interval of the curve during a run, in ms; the map updates at the full rate. */
const LIVE_EVERY_MS = 120;

interface DrivenPlot {
  stop(): void;
  /** Content of the plot, for export. */
  figure(): Figure | null;
}

function driveDepthDose(
  workbench: Workbench,
  store: DepthDoseStore,
  uncertainty: UncertaintyStore,
  host: HTMLElement,
  failed: (reason: string) => void,
): DrivenPlot {
  const { stores, data, scheduler, overlays } = workbench;
  const resolved = () => shownScenario('transport', workbench);
  const beam = (): BeamAxis => beamAxis(resolved());
  const laidOver = (): readonly OverlaidCurve[] =>
    overlays.list.getState().items.flatMap(({ id, name }, styleIndex) => {
      const curve = overlays.curves.get(id);
      return curve === null ? [] : [{ name, ...curve, styleIndex }];
    });
  const chart = (): Chart => {
    const { z } = stores.window.getState().windows;
    const { entrance_mm, angle_rad } = beam();
    // Depth on the axis equals depth in the map only for a straight beam: then both plots share a window.
    const straight = z !== undefined && angle_rad === 0;
    return depthDoseChart({
      shown: data.depthDose.get(SHOWN_KEY),
      resolved: resolved(),
      unit: store.getState().unit,
      beside: store.getState().beside,
      overlays: laidOver(),
      band: uncertaintyBandOf(uncertainty.getState(), data.reference.get(SHOWN_KEY)?.run ?? null),
      window: straight ? [z[0] - entrance_mm.z, z[1] - entrance_mm.z] : null,
      width: host.clientWidth / readDrawingTheme(host).labelSize,
    });
  };
  const overDepth = (): boolean => !showsSpectra(store.getState().beside, data.depthDose.get(SHOWN_KEY));
  const zoom = ([from, to]: Interval): void => {
    const { entrance_mm, angle_rad } = beam();
    if (angle_rad !== 0 || !overDepth()) return;
    const [low, high] = fullDepthRange(data.depthDose.get(SHOWN_KEY), resolved());
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
    pace: () => (data.depthDose.get(SHOWN_KEY)?.final === null ? LIVE_EVERY_MS : 0),
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
  // Labels are placed on the side of their line with more room, which depends on the width.
  const resize = new ResizeObserver(show);
  resize.observe(host);
  const stops = [
    data.depthDose.subscribe(SHOWN_KEY, show),
    data.reference.subscribe(SHOWN_KEY, show),
    stores.window.subscribe(show),
    stores.scenario.subscribe((state, before) => {
      if (state.lastResolved !== before.lastResolved) show();
    }),
    stores.selection.subscribe(cross),
    store.subscribe(show),
    uncertainty.subscribe(show),
    overlays.list.subscribe(show),
  ];
  show();
  cross();
  return {
    figure: () => {
      const run = runOf(stores.runs.getState(), data.depthDose.get(SHOWN_KEY)?.run ?? null);
      if (data.depthDose.get(SHOWN_KEY) === null) return null;
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

const units = [
  { value: 'absolute', label: 'MeV/mm', title: 'Energy deposited per depth' },
  {
    value: 'mass',
    label: 'nGy mm²',
    title: 'Energy per mass with the density of each cell, integrated across the beam and over y',
  },
  { value: 'gray', label: 'Gy', title: 'Dose on the axis per 10⁹ protons, for layered matter' },
  { value: 'percent', label: '%', title: 'Percent of the peak' },
] as const;

const neighbours = [
  { value: 'none', label: 'dose', title: 'Dose alone' },
  { value: 'let', label: 'LET', title: 'LET in water below the dose: averages over dose and over tracks' },
  { value: 'rbe', label: 'RBE', title: 'Dose times RBE: 1.1, McNamara, Wedenberg and Carabe' },
  { value: 'spectra', label: 'spectra', title: 'Energy spectra of primary protons at the depths of the scenario' },
] as const;

function CurveReadout({ unit }: { readonly unit: DepthDoseState['unit'] }): ReactElement {
  const workbench = useWorkbench();
  const { stores, data } = workbench;
  const crosshair = useSelected(stores.selection, shownCrosshair);
  const shown = useCached(data.depthDose, SHOWN_KEY);
  const reference = useCached(data.reference, SHOWN_KEY);
  const resolved = useSelected(stores.scenario, () => shownScenario('transport', workbench));
  const table = narrowResolvedScenario('transport', reference?.resolved ?? null)?.table ?? resolved?.table;
  if (crosshair?.z === undefined || shown === null) {
    return (
      <span className="panel-readout panel-readout--none">
        {table === undefined ? 'Depth dose' : `Dashed: CSDA range, ${table}`}
      </span>
    );
  }
  const axis = beamAxis(shownScenario('transport', workbench));
  const depth = depthAlong(axis, crosshair.z, crosshair.x ?? axis.entrance_mm.x);
  const curve = curveInUnit(shown, unit);
  const value = interpolate(curve.positions, curve.values, depth);
  return (
    <output className="panel-readout" aria-live="off">
      <span>
        depth <b>{fixedDigits(depth, 2)}</b> mm
      </span>
      {unit === 'gray' && shown.final !== null && 'reason' in shown.final.gray ? (
        <span>no Gy: {shown.final.gray.reason}</span>
      ) : null}
      <span>
        dose <b>{value === null ? '–' : significant(value, 4)}</b> {curve.unit}
      </span>
    </output>
  );
}

export default function DepthDosePanel(): ReactElement {
  const workbench = useWorkbench();
  const { storage, settingsReset } = workbench;
  const store = useMemo(() => createDepthDoseStore(storage, settingsReset), [storage, settingsReset]);
  const { unit, beside: shownBeside } = useSelected(store, (state) => state);
  const uncertainty = useMemo(createUncertaintyStore, []);
  const host = useRef<HTMLDivElement>(null);
  const driven = useRef<DrivenPlot>(null);
  const shown = useCached(workbench.data.depthDose, SHOWN_KEY);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    if (host.current === null) return;
    driven.current = driveDepthDose(workbench, store, uncertainty, host.current, setFailure);
    return () => driven.current?.stop();
  }, [workbench, store, uncertainty]);

  return (
    <div className="plot-panel">
      <div className="panel-bar">
        <CurveReadout unit={unit} />
        <div className="panel-bar__tools">
          <OverlayMenu unit={unit} />
          <UncertaintyMenu store={uncertainty} />
          {shown?.final?.quality == null ? null : (
            <Segmented
              label="With the dose"
              value={shownBeside}
              options={neighbours}
              onChange={(next) => store.setState({ beside: next })}
            />
          )}
          <Segmented
            label="Unit of the dose"
            value={unit}
            options={units}
            onChange={(next) => store.setState({ unit: next })}
          />
          <ExportMenu
            what="the depth dose"
            disabled={shown === null}
            onChoose={(format) => void workbench.figures.save(driven.current?.figure() ?? null, format)}
          />
        </div>
      </div>
      <div className="plot-panel__body">
        <ChartPlot host={host} label="Dose against the depth along the beam" testId="depth-dose-plot" />
        <ChartFailure reason={failure} />
      </div>
    </div>
  );
}
