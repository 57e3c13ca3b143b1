/** Ties the canvases of one map to the stores and the data. Paints outside React. */
import type { AxisName, Interval } from '../../../electron/contract/fields.ts';
import { colorMap } from '../../drawing/colormap.ts';
import { listenForGestures } from '../../drawing/map-gestures.ts';
import { type MapPoint, MapView, type PaintedFigure } from '../../drawing/map-view.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { type Crosshair, shownCrosshair } from '../../state/selection.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { limitsOf, type PhaseMap, phaseMaps, phaseScene } from './maps.ts';
import type { PhaseSpaceStore } from './store.ts';

const MOST_PIXELS = 8192;

const pair = (interval: Interval | undefined): [number, number] | null =>
  interval === undefined ? null : [interval[0], interval[1]];

export interface DrivenMap {
  stop(): void;
  /** What the map shows, for export. */
  figure(): PaintedFigure | null;
}

export function drivePhaseMap(
  workbench: Workbench,
  store: PhaseSpaceStore,
  { key, horizontal, vertical, title }: PhaseMap,
  below: HTMLCanvasElement,
  above: HTMLCanvasElement,
): DrivenMap {
  const { stores, data, feed, scheduler } = workbench;
  let pixels: readonly [number, number] | null = null;

  const windowOf = (axis: AxisName): Interval | undefined => stores.window.getState().windows[axis];
  const want = (): void => {
    if (pixels === null) return;
    feed.want(key, {
      quantity: 'protons',
      horizontal,
      vertical,
      viewport: {
        horizontal: pair(windowOf(horizontal)),
        vertical: pair(windowOf(vertical)),
        pixels: [pixels[0], pixels[1]],
      },
    });
  };
  const view = new MapView(
    below,
    above,
    scheduler,
    (size, frame) => {
      const device = (css: number): number => Math.max(1, Math.min(MOST_PIXELS, Math.round(css * size.ratio)));
      pixels = [device(frame.plot.width), device(frame.plot.height)];
      want();
    },
    'compact',
  );
  const show = (): void => {
    const shown = data.maps.get(key);
    if (shown === null) {
      view.clear();
      return;
    }
    const config = store.getState();
    const fields = phaseMaps.flatMap((each) => data.maps.get(each.key)?.field ?? []);
    view.show(phaseScene(shown, stores.window.getState().windows), {
      colorMap: colorMap(config.colorMap),
      scale: config.scale,
      limits: limitsOf(fields, config),
    });
  };
  const toPoint = (at: Crosshair | null): Partial<MapPoint> | null => {
    if (at === null) return null;
    const [h, v] = [at[horizontal], at[vertical]];
    return { ...(h !== undefined && { horizontal: h }), ...(v !== undefined && { vertical: v }) };
  };
  const toCrosshair = (point: MapPoint): Crosshair => ({ [horizontal]: point.horizontal, [vertical]: point.vertical });
  const crosshair = (): Partial<MapPoint> | null => toPoint(shownCrosshair(stores.selection.getState()));
  const cross = (): void => view.setCrosshair(crosshair());

  const stops = [
    // All maps of a moment are set in one turn, before the next frame: matched limits see every one of them.
    ...phaseMaps.map((each) => data.maps.subscribe(each.key, show)),
    store.subscribe(show),
    stores.selection.subscribe(cross),
    stores.window.subscribe(() => {
      want();
      show();
    }),
    listenForGestures(above, {
      pointAt: (x, y) => view.pointAt(x, y),
      nearestPoint: (x, y) => view.nearestPoint(x, y),
      whole: () => {
        const field = data.maps.get(key)?.field;
        return field === undefined
          ? null
          : {
              horizontal: [field.horizontal.fullFrom, field.horizontal.fullTo],
              vertical: [field.vertical.fullFrom, field.vertical.fullTo],
            };
      },
      windows: () => ({ horizontal: windowOf(horizontal), vertical: windowOf(vertical) }),
      zoom: (change) =>
        stores.window.zoom({
          ...(change.horizontal !== undefined && { [horizontal]: change.horizontal }),
          ...(change.vertical !== undefined && { [vertical]: change.vertical }),
        }),
      hover: (point) => stores.selection.point(point && toCrosshair(point)),
      pin: (point) => stores.selection.pin(toCrosshair(point)),
      crosshair,
      resetZoom: () => stores.window.reset(),
    }),
  ];
  show();
  cross();
  return {
    figure: () => {
      const shown = data.maps.get(key);
      const run = runOf(stores.runs.getState(), shown?.run ?? null);
      if (shown === null) return null;
      const { step, depth_mm } = shown;
      return view.figure({ name: key, title, notes: { ...runNotes(run), step, depth_mm } });
    },
    stop: () => {
      for (const stop of stops) stop();
      // What it showed stays: a panel that only moved has something to show, and to click, at once.
      feed.want(key, null);
      view.dispose();
    },
  };
}
