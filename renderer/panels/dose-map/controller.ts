/** Ties the dose map's canvases to the stores and the data. Paints outside React. */

import { linkedMap } from '../../actions/linked-map.ts';
import { viewportOf } from '../../base/viewport.ts';
import { SHOWN } from '../../data/run-data.ts';
import { colorMap } from '../../drawing/colormap.ts';
import type { Figure } from '../../drawing/export/figure.ts';
import { listenToMap } from '../../drawing/map-input.ts';
import { type MapStyle, MapView } from '../../drawing/map-view.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { shownScenario } from '../../workbench/shown-scenario.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { followGamma, GAMMA_MAP } from './gamma.ts';
import { doseScene, wholeField } from './scene.ts';
import type { DoseMapStore, DoseViewStore } from './store.ts';

/** Key of this panel's map in the data cache. */
export const DOSE_MAP = 'dose-map';

/** A gamma of one is the middle of the colours: what fails is on the far side. */
export const GAMMA_LIMITS = { low: 0, high: 2 } as const;

const AXES = { horizontal: 'z', vertical: 'x' } as const;

export interface DrivenMap {
  stop(): void;
  /** What the map shows, for export. */
  figure(): Figure | null;
}

/** Which entry of the data cache is shown. */
export function shownKey(against: { readonly kind: string }): string {
  return against.kind === 'gamma' ? GAMMA_MAP : DOSE_MAP;
}

export function driveDoseMap(
  workbench: Workbench,
  store: DoseMapStore,
  view: DoseViewStore,
  below: HTMLCanvasElement,
  above: HTMLCanvasElement,
): DrivenMap {
  const { stores, data, feed, scheduler } = workbench;
  let pixels: readonly [number, number] | null = null;

  const linked = linkedMap(stores, () => AXES);
  const gamma = followGamma(workbench, view);
  const want = (): void => {
    if (pixels === null) return;
    const part = viewportOf(linked.windows(), pixels);
    const { against } = view.getState();
    const { run } = stores.selection.getState();
    feed.want(DOSE_MAP, {
      quantity: store.getState().unit === 'mass' ? 'dose-per-mass' : 'dose',
      ...AXES,
      viewport: part,
      ...(against.kind === 'difference' && against.run !== run && { against: { run: against.run, keyframe: null } }),
    });
    gamma.follow(part);
  };
  const map = new MapView(below, above, scheduler, (size) => {
    pixels = size;
    want();
  });
  const shownMap = () => data.maps.get(shownKey(view.getState().against));
  const style = (): MapStyle => {
    const { colorMap: name, divergingMap, scale, contours } = store.getState();
    const { limits, against } = view.getState();
    if (against.kind === 'gamma') {
      const own = limits ?? GAMMA_LIMITS;
      return { colorMap: colorMap(divergingMap), scale: 'linear', limits: own, contours: false, handles: true };
    }
    const centred = shownMap()?.field.quantity.endsWith('difference') ?? false;
    return { colorMap: colorMap(centred ? divergingMap : name), scale, limits, centred, contours, handles: true };
  };
  const show = (): void => {
    const scene = doseScene({
      shown: shownMap(),
      resolved: shownScenario('transport', workbench),
      r80_mm: data.depthDose.get(SHOWN)?.final?.metrics.r80_mm ?? null,
      windows: stores.window.getState().windows,
      marks: store.getState().marks,
    });
    // Nothing of the scenario before may stand for one that has no geometry yet.
    if (scene === null) map.clear();
    else map.show(scene, style());
    map.setMark(view.getState().mark);
  };
  const cross = (): void => map.setCrosshair(linked.crosshair());
  const stops = [
    data.maps.subscribe(DOSE_MAP, show),
    data.maps.subscribe(GAMMA_MAP, show),
    data.depthDose.subscribe(SHOWN, show),
    data.reference.subscribe(SHOWN, show),
    store.subscribe((state, before) => {
      if (state.unit !== before.unit) want();
      show();
    }),
    view.subscribe(() => {
      want();
      show();
    }),
    stores.scenario.subscribe(show),
    stores.selection.subscribe((state, before) => {
      if (state.run !== before.run) want();
      cross();
    }),
    stores.window.subscribe(() => {
      want();
      show();
    }),
    listenToMap(map, above, {
      ...linked,
      whole: () => {
        const whole = wholeField(shownMap(), shownScenario('transport', workbench));
        return whole && { horizontal: whole.z, vertical: whole.x };
      },
      tool: () => view.getState().tool,
      mark: (kind, from, to) => view.setState({ mark: { kind, from, to } }),
      setLimits: (limits) => view.setState({ limits }),
    }),
  ];
  show();
  cross();
  return {
    figure: () => {
      const shown = shownMap();
      const run = runOf(stores.runs.getState(), shown?.run ?? null);
      const name = run?.name ?? 'run';
      const { against } = view.getState();
      const other = against.kind === 'none' ? null : runOf(stores.runs.getState(), against.run);
      const what = against.kind === 'gamma' ? 'gamma' : against.kind === 'difference' ? 'dose-difference' : 'dose-map';
      const title = other === null ? `${name}: dose` : `${name}: ${shown?.field.quantity} against ${other.name}`;
      return map.figure({
        name: `${name}-${what}`,
        title,
        notes: {
          ...runNotes(run),
          ...(other !== null && { reference: `${other.name}, ${other.variant}` }),
          ...(against.kind === 'gamma' && {
            gamma_dose: against.dose,
            gamma_distance_mm: against.distance_mm,
            gamma_by: against.by,
          }),
        },
      });
    },
    stop: () => {
      for (const stop of stops) stop();
      gamma.stop();
      feed.want(DOSE_MAP, null);
      map.dispose();
    },
  };
}
