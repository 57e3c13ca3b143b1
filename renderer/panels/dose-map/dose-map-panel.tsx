/** The dose in the z–x plane. */
import { type ReactElement, useEffect, useMemo, useRef } from 'react';
import { runNotes, runOf } from '../../state/runs.ts';
import { IconButton } from '../../widgets/controls/button.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { ExportMenu } from '../../widgets/floating/export-menu.tsx';
import { PopoverRow } from '../../widgets/floating/popover.tsx';
import { DragToolChoice } from '../../widgets/plots/drag-tool.tsx';
import { MapDisplay } from '../../widgets/plots/map-display.tsx';
import { MapDrawer } from '../../widgets/plots/map-drawer.tsx';
import { PlotLayers } from '../../widgets/plots/plot-layers.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { shownScenario } from '../../workbench/shown-scenario.ts';
import { AgainstNote, AgainstRows } from './against.tsx';
import { type DrivenMap, driveDoseMap, GAMMA_LIMITS, shownKey } from './controller.ts';
import { DoseReadout } from './readout.tsx';
import { createDoseMapStore, createDoseViewStore } from './store.ts';
import '../../widgets/plots/plot-panel.css';

const units = [
  { value: 'area', label: 'MeV/mm²', title: 'Energy by area of the map' },
  {
    value: 'mass',
    label: 'nGy mm',
    title: 'Energy by mass with the density of each cell: Gy times the mm of y that the plane model sums over',
  },
] as const;

export default function DoseMapPanel(): ReactElement {
  const workbench = useWorkbench();
  const { stores, data, feed, storage, settingsReset } = workbench;
  const store = useMemo(() => createDoseMapStore(storage, settingsReset), [storage, settingsReset]);
  const view = useMemo(createDoseViewStore, []);
  const config = useSelected(store, (state) => state);
  const { tool, limits, mark, against } = useSelected(view, (state) => state);
  const below = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const driven = useRef<DrivenMap>(null);
  useEffect(() => {
    if (below.current === null || above.current === null) return;
    driven.current = driveDoseMap(workbench, store, view, below.current, above.current);
    return () => driven.current?.stop();
  }, [workbench, store, view]);

  const status = useSelected(feed.status, (state) => state.status);
  const selected = useSelected(stores.selection, (state) => state.run);
  const run = useSelected(stores.runs, (state) => runOf(state, selected));
  const notes = useMemo(() => runNotes(run), [run]);
  const known = useSelected(stores.scenario, () => shownScenario('transport', workbench) !== null);
  const zoomed = useSelected(stores.window, ({ windows }) => windows.z !== undefined || windows.x !== undefined);
  const shown = useCached(data.maps, shownKey(against));
  const trouble = useCached(data.troubles, shownKey(against));
  const own = shown === null ? null : { low: shown.field.min, high: shown.field.max };
  const inForce = against.kind === 'gamma' ? GAMMA_LIMITS : own;
  const label =
    shown === null ? 'Dose map, empty' : `Dose map of ${run?.name ?? 'the run'}; the arrow keys move the crosshair`;

  return (
    <div className="plot-panel">
      <div className="panel-bar">
        <DoseReadout mapKey={shownKey(against)} />
        <div className="panel-bar__tools">
          <IconButton
            icon="fit"
            size={14}
            label="Show the whole field"
            disabled={!zoomed}
            onPress={() => stores.window.reset()}
          />
          <IconButton
            icon="pin"
            size={14}
            label="Regions and reference lines"
            pressed={config.marks}
            onPress={() => store.setState({ marks: !config.marks })}
          />
          <DragToolChoice value={tool} onChange={(next) => view.setState({ tool: next })} />
          <MapDisplay
            what="dose map"
            value={{ ...config, limits }}
            shown={inForce}
            unit={shown?.field.unit ?? 'MeV/mm²'}
            onChange={({ limits: set, ...change }) => {
              if (Object.keys(change).length > 0) store.setState(change);
              if (set !== undefined) view.setState({ limits: set });
            }}
          >
            <PopoverRow name="Unit">
              <Segmented
                label="Unit of the dose map"
                value={config.unit}
                options={units}
                onChange={(unit) => {
                  store.setState({ unit });
                  view.setState({ limits: null });
                }}
              />
            </PopoverRow>
            <AgainstRows view={view} />
          </MapDisplay>
          <ExportMenu
            what="the dose map"
            disabled={shown === null}
            onChoose={(format) => void workbench.figures.save(driven.current?.figure() ?? null, format)}
          />
        </div>
      </div>
      <div className="plot-panel__body">
        <PlotLayers below={below} above={above} label={label} keys />
        {status.kind === 'failed' ? (
          <div className="plot-panel__cover">
            <EmptyState icon="error" tone="error" title="There is no dose to show">
              {run?.error?.message ?? status.reason}
            </EmptyState>
          </div>
        ) : null}
        {trouble === null ? null : (
          <div className="plot-panel__cover">
            <EmptyState icon="map" title="These two cannot be compared">
              {trouble}
            </EmptyState>
          </div>
        )}
        <AgainstNote view={view} />
        {shown === null && status.kind === 'waiting' ? (
          <p className="plot-panel__note" role="status">
            {run?.state === 'queued' ? 'Waiting for the run before it.' : 'Waiting for the first step…'}
          </p>
        ) : null}
        {shown === null && status.kind === 'nothing' ? (
          <p className="plot-panel__note">
            {known ? 'The geometry of the scenario. Run it to see the dose.' : 'The scenario has no geometry yet.'}
          </p>
        ) : null}
      </div>
      {mark === null || shown === null ? null : (
        <MapDrawer
          field={shown.field}
          mark={mark}
          scale={config.scale}
          scheduler={workbench.scheduler}
          name={run?.name ?? 'run'}
          notes={notes}
          onExport={(figure, format) => void workbench.figures.save(figure, format)}
          onClose={() => view.setState({ mark: null })}
        />
      )}
    </div>
  );
}
