/** Phase space as four maps of protons: live while a run computes, by stored steps afterwards. */
import { type ReactElement, useCallback, useEffect, useMemo, useRef } from 'react';
import { type Figure, joined } from '../../drawing/export/figure.ts';
import { paintHeading } from '../../drawing/export/raster.ts';
import type { DrivenMap } from '../../maps/drive-map.ts';
import { runOf } from '../../state/runs.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { Drawer } from './drawer.tsx';
import { MapCell } from './map-cell.tsx';
import { type SlotKey, slots } from './maps.ts';
import { NothingShown } from './nothing-shown.tsx';
import { Position } from './position.tsx';
import { useShownMaps } from './shown-maps.ts';
import { createPhaseSpaceStore, createPhaseViewStore } from './store.ts';
import { StoredSteps } from './stored-steps.tsx';
import { Tools } from './tools.tsx';
import '../../widgets/plots/plot-panel.css';
import './phase-space-panel.css';

/** The maps as they stand, two in a row. */
function quadFigure(run: string, driven: ReadonlyMap<SlotKey, DrivenMap>): Figure | null {
  const maps = slots.flatMap((slot) => driven.get(slot)?.figure() ?? []);
  const first = maps[0];
  if (first === undefined) return null;
  const name = `${run}-phase-space-step-${first.notes['step']}`;
  const title = `${run}: phase space, step ${first.notes['step']}`;
  const labels = maps.map((map) => map.title);
  return joined(maps, { name, title, columns: 2, labels }, paintHeading);
}

export default function PhaseSpacePanel(): ReactElement {
  const { stores, storage, settingsReset, figures } = useWorkbench();
  const store = useMemo(() => createPhaseSpaceStore(storage, settingsReset), [storage, settingsReset]);
  const view = useMemo(createPhaseViewStore, []);
  const scale = useSelected(store, (state) => state.scale);
  const selected = useSelected(stores.selection, (state) => state.run);
  const run = useSelected(stores.runs, (state) => runOf(state, selected));
  const shown = useShownMaps().find((map) => map !== null) ?? null;
  const driven = useRef(new Map<SlotKey, DrivenMap>());
  const onDriven = useCallback((slot: SlotKey, map: DrivenMap | null) => {
    if (map === null) driven.current.delete(slot);
    else driven.current.set(slot, map);
  }, []);
  // Nobody looks any more.
  useEffect(() => () => stores.playback.pause(), [stores]);

  return (
    <div className="plot-panel">
      <div className="panel-bar">
        <Position />
        <Tools
          store={store}
          view={view}
          shown={shown}
          onExport={(format) => void figures.save(quadFigure(run?.name ?? 'run', driven.current), format)}
        />
      </div>
      <div className="phase-space">
        <div className="phase-space__maps">
          {slots.map((slot) => (
            <MapCell key={slot} slot={slot} store={store} view={view} onDriven={onDriven} />
          ))}
        </div>
        <NothingShown run={run} hasMap={shown !== null} />
      </div>
      <Drawer run={run} view={view} scale={scale} />
      <StoredSteps shown={shown} />
    </div>
  );
}
