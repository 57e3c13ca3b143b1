/** Ties the dose map's canvases to the stores and the data. Paints outside React. */
import type { Interval } from '../../../electron/contract/fields.ts';
import { SHOWN } from '../../data/run-data.ts';
import { colorMap } from '../../drawing/colormap.ts';
import type { Figure } from '../../drawing/export/figure.ts';
import { listenForGestures } from '../../drawing/map-gestures.ts';
import { MapView } from '../../drawing/map-view.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { shownScenario } from '../../workbench/shown-scenario.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { doseScene, wholeField } from './scene.ts';
import type { DoseMapStore } from './store.ts';

/** Key of this panel's map in the data cache. */
export const DOSE_MAP = 'dose-map';

const MOST_PIXELS = 8192;

const pair = (interval: Interval | undefined): [number, number] | null =>
  interval === undefined ? null : [interval[0], interval[1]];

export interface DrivenMap {
  stop(): void;
  /** What the map shows, for export. */
  figure(): Figure | null;
}

export function driveDoseMap(
  workbench: Workbench,
  store: DoseMapStore,
  below: HTMLCanvasElement,
  above: HTMLCanvasElement,
): DrivenMap {
  const { stores, data, feed, scheduler } = workbench;
  let pixels: readonly [number, number] | null = null;

  const want = (): void => {
    if (pixels === null) return;
    const { windows } = stores.window.getState();
    feed.want(DOSE_MAP, {
      quantity: 'dose',
      horizontal: 'z',
      vertical: 'x',
      viewport: { horizontal: pair(windows.z), vertical: pair(windows.x), pixels: [pixels[0], pixels[1]] },
    });
  };
  const map = new MapView(below, above, scheduler, (size, frame) => {
    const device = (css: number): number => Math.max(1, Math.min(MOST_PIXELS, Math.round(css * size.ratio)));
    pixels = [device(frame.plot.width), device(frame.plot.height)];
    want();
  });
  const show = (): void => {
    const { colorMap: name, scale, marks } = store.getState();
    const scene = doseScene({
      shown: data.maps.get(DOSE_MAP),
      resolved: shownScenario(workbench),
      r80_mm: data.depthDose.get(SHOWN)?.final?.metrics.r80_mm ?? null,
      windows: stores.window.getState().windows,
      marks,
    });
    if (scene !== null) map.show(scene, { colorMap: colorMap(name), scale, limits: null });
  };
  const cross = (): void => {
    const at = shownCrosshair(stores.selection.getState());
    map.setCrosshair(
      at && { ...(at.z !== undefined && { horizontal: at.z }), ...(at.x !== undefined && { vertical: at.x }) },
    );
  };
  const stops = [
    data.maps.subscribe(DOSE_MAP, show),
    data.depthDose.subscribe(SHOWN, show),
    data.reference.subscribe(SHOWN, show),
    store.subscribe(show),
    stores.scenario.subscribe(show),
    stores.selection.subscribe(cross),
    stores.window.subscribe(() => {
      want();
      show();
    }),
    listenForGestures(above, {
      pointAt: (x, y) => map.pointAt(x, y),
      nearestPoint: (x, y) => map.nearestPoint(x, y),
      whole: () => {
        const whole = wholeField(data.maps.get(DOSE_MAP), shownScenario(workbench));
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
      hover: (point) => stores.selection.point(point && { z: point.horizontal, x: point.vertical }),
      pin: (point) => stores.selection.pin({ z: point.horizontal, x: point.vertical }),
      crosshair: () => {
        const at = shownCrosshair(stores.selection.getState());
        return at && { ...(at.z !== undefined && { horizontal: at.z }), ...(at.x !== undefined && { vertical: at.x }) };
      },
      resetZoom: () => stores.window.reset(),
    }),
  ];
  show();
  cross();
  return {
    figure: () => {
      const run = runOf(stores.runs.getState(), data.maps.get(DOSE_MAP)?.run ?? null);
      const name = run?.name ?? 'run';
      return map.figure({ name: `${name}-dose-map`, title: `${name}: dose`, notes: runNotes(run) });
    },
    stop: () => {
      for (const stop of stops) stop();
      feed.want(DOSE_MAP, null);
      map.dispose();
    },
  };
}
