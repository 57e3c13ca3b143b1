/** The dose in the z–x plane. */
import { type ReactElement, useEffect, useMemo, useRef } from 'react';
import { colorMaps } from '../../drawing/colormap.ts';
import type { ScaleKind } from '../../drawing/normalisation.ts';
import { runOf } from '../../state/runs.ts';
import { IconButton } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ExportMenu } from '../../widgets/export-menu.tsx';
import { Segmented } from '../../widgets/segmented.tsx';
import { Select } from '../../widgets/select.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { DOSE_MAP, type DrivenMap, driveDoseMap } from './controller.ts';
import { DoseReadout } from './readout.tsx';
import { createDoseMapStore } from './store.ts';
import '../../widgets/plot-panel.css';

const scales: readonly { readonly value: ScaleKind; readonly label: string; readonly title: string }[] = [
  { value: 'linear', label: 'lin', title: 'Linear scale' },
  { value: 'log', label: 'log', title: 'Logarithmic scale' },
  { value: 'symlog', label: 'symlog', title: 'Logarithmic away from zero, linear around it' },
];

export default function DoseMapPanel(): ReactElement {
  const workbench = useWorkbench();
  const { stores, data, feed, storage, settingsReset } = workbench;
  const store = useMemo(() => createDoseMapStore(storage, settingsReset), [storage, settingsReset]);
  const config = useSelected(store, (state) => state);
  const below = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const driven = useRef<DrivenMap>(null);
  useEffect(() => {
    if (below.current === null || above.current === null) return;
    driven.current = driveDoseMap(workbench, store, below.current, above.current);
    return () => driven.current?.stop();
  }, [workbench, store]);

  const status = useSelected(feed.status, (state) => state.status);
  const run = useSelected(stores.runs, (state) => runOf(state, stores.selection.getState().run));
  const zoomed = useSelected(stores.window, ({ windows }) => windows.z !== undefined || windows.x !== undefined);
  const shown = useCached(data.maps, DOSE_MAP);
  const label =
    shown === null ? 'Dose map, empty' : `Dose map of ${run?.name ?? 'the run'}; the arrow keys move the crosshair`;

  return (
    <div className="plot-panel">
      <div className="panel-bar">
        <DoseReadout />
        <div className="panel-bar__tools">
          {zoomed ? (
            <IconButton icon="fit" size={14} label="Show the whole field" onPress={() => stores.window.reset()} />
          ) : null}
          <IconButton
            icon="pin"
            size={14}
            label="Regions and reference lines"
            pressed={config.marks}
            onPress={() => store.setState({ marks: !config.marks })}
          />
          <Select
            label="Colour map"
            value={config.colorMap}
            options={colorMaps
              .filter((map) => map.kind === 'sequential')
              .map((map) => ({ value: map.name, label: map.title }))}
            onChange={(colorMap) => store.setState({ colorMap })}
          />
          <Segmented
            label="Scale"
            value={config.scale}
            options={scales}
            onChange={(scale) => store.setState({ scale })}
          />
          <ExportMenu
            what="the dose map"
            disabled={shown === null}
            onChoose={(format) => void workbench.figures.save(driven.current?.figure() ?? null, format)}
          />
        </div>
      </div>
      <div className="plot-panel__body">
        <canvas ref={below} className="plot-panel__layer" />
        <canvas
          ref={above}
          className="plot-panel__layer plot-panel__layer--above"
          tabIndex={0}
          role="img"
          aria-label={label}
        />
        {status.kind === 'failed' ? (
          <div className="plot-panel__cover">
            <EmptyState icon="error" tone="error" title="There is no dose to show">
              {run?.error?.message ?? status.reason}
            </EmptyState>
          </div>
        ) : null}
        {shown === null && status.kind === 'waiting' ? (
          <p className="plot-panel__note" role="status">
            {run?.state === 'queued' ? 'Waiting for the run before it.' : 'Waiting for the first step…'}
          </p>
        ) : null}
        {shown === null && status.kind === 'nothing' ? (
          <p className="plot-panel__note">The geometry of the scenario. Run it to see the dose.</p>
        ) : null}
      </div>
    </div>
  );
}
