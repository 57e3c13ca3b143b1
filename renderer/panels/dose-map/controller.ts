/** Ties the dose map's canvases to the stores and the data. Paints outside React. */
import type { Interval, Viewport } from '../../../electron/contract/fields.ts';
import { SHOWN } from '../../data/run-data.ts';
import { listenForLimits } from '../../drawing/bar-gestures.ts';
import { colorMap } from '../../drawing/colormap.ts';
import type { Figure } from '../../drawing/export/figure.ts';
import { listenForGestures } from '../../drawing/map-gestures.ts';
import { type MapPoint, type MapStyle, MapView } from '../../drawing/map-view.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { shownScenario } from '../../workbench/shown-scenario.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { followGamma, GAMMA_MAP } from './gamma.ts';
import { doseScene, wholeField } from './scene.ts';
import type { DoseMapStore, DoseViewStore } from './store.ts';

/** Key of this panel's map in the data cache. */
export const DOSE_MAP = 'dose-map';

const MOST_PIXELS = 8192;
/** A gamma of one is the middle of the colours: what fails is on the far side. */
export const GAMMA_LIMITS = { low: 0, high: 2 } as const;

const pair = (interval: Interval | undefined): [number, number] | null =>
  interval === undefined ? null : [interval[0], interval[1]];

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

  const viewport = (): Viewport | null => {
    const { windows } = stores.window.getState();
    return pixels === null
      ? null
      : { horizontal: pair(windows.z), vertical: pair(windows.x), pixels: [pixels[0], pixels[1]] };
  };
  const gamma = followGamma(workbench, view);
  const want = (): void => {
    const part = viewport();
    if (part === null) return;
    const { against } = view.getState();
    const { run } = stores.selection.getState();
    feed.want(DOSE_MAP, {
      quantity: 'dose',
      horizontal: 'z',
      vertical: 'x',
      viewport: part,
      ...(against.kind === 'difference' && against.run !== run && { against: { run: against.run, keyframe: null } }),
    });
    gamma.follow(part);
  };
  const map = new MapView(below, above, scheduler, (size, frame) => {
    const device = (css: number): number => Math.max(1, Math.min(MOST_PIXELS, Math.round(css * size.ratio)));
    pixels = [device(frame.plot.width), device(frame.plot.height)];
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
  const point = (): Partial<MapPoint> | null => {
    const at = shownCrosshair(stores.selection.getState());
    return at && { ...(at.z !== undefined && { horizontal: at.z }), ...(at.x !== undefined && { vertical: at.x }) };
  };
  const cross = (): void => map.setCrosshair(point());
  const stops = [
    data.maps.subscribe(DOSE_MAP, show),
    data.maps.subscribe(GAMMA_MAP, show),
    data.depthDose.subscribe(SHOWN, show),
    data.reference.subscribe(SHOWN, show),
    store.subscribe(show),
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
    listenForLimits(above, {
      limitAt: (x, y) => map.limitAt(x, y),
      limitsWith: (which, y) => map.limitsWith(which, y),
      setLimits: (limits) => view.setState({ limits }),
    }),
    listenForGestures(above, {
      pointAt: (x, y) => map.pointAt(x, y),
      nearestPoint: (x, y) => map.nearestPoint(x, y),
      whole: () => {
        const whole = wholeField(shownMap(), shownScenario('transport', workbench));
        return whole && { horizontal: whole.z, vertical: whole.x };
      },
      windows: () => {
        const { z, x } = stores.window.getState().windows;
        return { horizontal: z, vertical: x };
      },
      zoom: ({ horizontal, vertical }) =>
        stores.window.zoom({
          ...(horizontal !== undefined && { z: horizontal }),
          ...(vertical !== undefined && { x: vertical }),
        }),
      hover: (at) => stores.selection.point(at && { z: at.horizontal, x: at.vertical }),
      pin: (at) => stores.selection.pin({ z: at.horizontal, x: at.vertical }),
      crosshair: point,
      resetZoom: () => stores.window.reset(),
      tool: () => view.getState().tool,
      mark: (kind, from, to) => view.setState({ mark: { kind, from, to } }),
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
          ...(against.kind === 'gamma' && { gamma_dose: against.dose, gamma_distance_mm: against.distance_mm }),
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
