/** The dose along the beam, with R80 and the table's range. */
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { resolvedOf } from '../../../electron/contract/scenarios.ts';
import { fixed, significant } from '../../base/numbers.ts';
import { SHOWN } from '../../data/run-data.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { ExportMenu } from '../../widgets/floating/export-menu.tsx';
import { ChartFailure, ChartPlot } from '../../widgets/plots/chart-plot.tsx';
import '../../widgets/plots/plot-panel.css';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { shownScenario } from '../../workbench/shown-scenario.ts';
import { beamAxis, depthAlong, interpolate } from './beam-axis.ts';
import { type DrivenPlot, driveDepthDose } from './controller.ts';
import './depth-dose-panel.css';
import { curveIn } from './figure.ts';
import { OverlayMenu } from './overlays.tsx';
import { createDepthDoseStore, type DepthDoseState } from './store.ts';

const units = [
  { value: 'absolute', label: 'MeV/mm', title: 'Energy deposited per depth' },
  {
    value: 'mass',
    label: 'nGy mm²',
    title: 'Energy by mass with the density of each cell, integrated across the beam and over y',
  },
  { value: 'gray', label: 'Gy', title: 'Dose on the axis per 10⁹ protons, where matter is layered' },
  { value: 'percent', label: '%', title: 'Per cent of the peak' },
] as const;

const beside = [
  { value: 'none', label: 'dose', title: 'Dose alone' },
  { value: 'let', label: 'LET', title: 'LET in water below the dose: averages over dose and over tracks' },
  { value: 'rbe', label: 'RBE', title: 'Dose times RBE by 1.1, McNamara, Wedenberg and Carabe' },
  { value: 'spectra', label: 'spectra', title: 'Energy spectra of primary protons at the depths of the scenario' },
] as const;

function CurveReadout({ unit }: { readonly unit: DepthDoseState['unit'] }): ReactElement {
  const workbench = useWorkbench();
  const { stores, data } = workbench;
  const crosshair = useSelected(stores.selection, shownCrosshair);
  const shown = useCached(data.depthDose, SHOWN);
  const reference = useCached(data.reference, SHOWN);
  const resolved = useSelected(stores.scenario, () => shownScenario('transport', workbench));
  const table = resolvedOf('transport', reference?.resolved ?? null)?.table ?? resolved?.table;
  if (crosshair?.z === undefined || shown === null) {
    return (
      <span className="panel-readout panel-readout--none">
        {table === undefined ? 'Depth dose' : `Dashed: CSDA range, ${table}`}
      </span>
    );
  }
  const axis = beamAxis(shownScenario('transport', workbench));
  const depth = depthAlong(axis, crosshair.z, crosshair.x ?? axis.entrance_mm.x);
  const curve = curveIn(shown, unit);
  const value = interpolate(curve.positions, curve.values, depth);
  return (
    <output className="panel-readout" aria-live="off">
      <span>
        depth <b>{fixed(depth, 2)}</b> mm
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
  const host = useRef<HTMLDivElement>(null);
  const driven = useRef<DrivenPlot>(null);
  const shown = useCached(workbench.data.depthDose, SHOWN);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    if (host.current === null) return;
    driven.current = driveDepthDose(workbench, store, host.current, setFailure);
    return () => driven.current?.stop();
  }, [workbench, store]);

  return (
    <div className="plot-panel">
      <div className="panel-bar">
        <CurveReadout unit={unit} />
        <div className="panel-bar__tools">
          <OverlayMenu unit={unit} />
          {shown?.final?.quality == null ? null : (
            <Segmented
              label="Beside the dose"
              value={shownBeside}
              options={beside}
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
