/** One of the four maps, with the value at the crosshair over it. */
import { type ReactElement, useEffect, useRef } from 'react';
import { significant } from '../../base/numbers.ts';
import { probe } from '../../drawing/field-probe.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { type DrivenMap, drivePhaseMap } from './controller.ts';
import type { PhaseMap } from './maps.ts';
import type { PhaseSpaceStore } from './store.ts';

export interface MapCellProps {
  readonly map: PhaseMap;
  readonly store: PhaseSpaceStore;
  /** Told what drives the map while it stands. */
  readonly onDriven: (key: string, driven: DrivenMap | null) => void;
}

function Value({ map }: { readonly map: PhaseMap }): ReactElement | null {
  const { stores, data } = useWorkbench();
  const at = useSelected(stores.selection, shownCrosshair);
  const shown = useCached(data.maps, map.key);
  const [horizontal, vertical] = [at?.[map.horizontal], at?.[map.vertical]];
  if (shown === null) return null;
  if (horizontal === undefined || vertical === undefined) {
    return <span className="phase-cell__value">{shown.field.unit}</span>;
  }
  const hit = probe(shown.field, horizontal, vertical);
  return (
    <output className="phase-cell__value" aria-live="off" data-testid={`value-${map.key}`}>
      <b>{hit === null ? '–' : significant(hit.value, 4)}</b> {shown.field.unit}
    </output>
  );
}

export function MapCell({ map, store, onDriven }: MapCellProps): ReactElement {
  const workbench = useWorkbench();
  const below = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const empty = useCached(workbench.data.maps, map.key) === null;
  useEffect(() => {
    if (below.current === null || above.current === null) return;
    const driven = drivePhaseMap(workbench, store, map, below.current, above.current);
    onDriven(map.key, driven);
    return () => {
      onDriven(map.key, null);
      driven.stop();
    };
  }, [workbench, store, map, onDriven]);
  return (
    <section className="phase-cell" aria-label={`Phase space ${map.title}`}>
      <header className="phase-cell__head">
        <h3>{map.title}</h3>
        <Value map={map} />
      </header>
      <div className="phase-cell__body">
        <canvas ref={below} className="plot-panel__layer" />
        <canvas
          ref={above}
          className="plot-panel__layer plot-panel__layer--above"
          tabIndex={0}
          role="img"
          aria-label={
            empty ? `Protons over ${map.title}, empty` : `Protons over ${map.title}; the arrow keys move the crosshair`
          }
        />
      </div>
    </section>
  );
}
