/** Ties the image's canvases to the stores and the data. Paints outside React. */
import { linkedImage } from '../../actions/linked-map.ts';
import { viewportOf } from '../../base/viewport.ts';
import { SHOWN } from '../../data/run-data.ts';
import { colorMap } from '../../drawing/colormap.ts';
import type { Figure } from '../../drawing/export/figure.ts';
import { listenToMap } from '../../drawing/map-input.ts';
import { type MapStyle, MapView } from '../../drawing/map-view.ts';
import { shownPixel } from '../../state/image-view.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { shownScenario } from '../../workbench/shown-scenario.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { pixelReading } from './pixel-reading.ts';
import { imageScene, wholeImage } from './scene.ts';
import type { ImagePanelStore, ImagePanelViewStore } from './store.ts';

export interface DrivenImage {
  stop(): void;
  /** What the panel shows, for export. */
  figure(): Figure | null;
}

export function driveImage(
  workbench: Workbench,
  store: ImagePanelStore,
  view: ImagePanelViewStore,
  below: HTMLCanvasElement,
  above: HTMLCanvasElement,
): DrivenImage {
  const { stores, data, images, scheduler } = workbench;
  let pixels: readonly [number, number] | null = null;
  let plot: { readonly width: number; readonly height: number } | null = null;

  const want = (): void => {
    if (pixels === null) return;
    const { fast, slow } = stores.image.getState();
    images.want({
      view: {
        viewport: viewportOf({ horizontal: fast, vertical: slow }, pixels),
        statistic: store.getState().statistic,
      },
      against: view.getState().against,
    });
  };
  const map = new MapView(below, above, scheduler, (size, frame) => {
    plot = { width: frame.plot.width, height: frame.plot.height };
    pixels = size;
    want();
    show();
  });
  const shownImage = () => images.data.image.get(SHOWN);
  const resolved = () => shownScenario('diffraction', workbench);
  const style = (): MapStyle => {
    const { colorMap: name, divergingMap, scale, contours } = store.getState();
    const centred = shownImage()?.against != null;
    const { limits } = view.getState();
    return { colorMap: colorMap(centred ? divergingMap : name), scale, limits, centred, contours, handles: true };
  };
  function show(): void {
    const { fast, slow } = stores.image.getState();
    const scene = imageScene({
      shown: shownImage(),
      resolved: resolved(),
      windows: { ...(fast && { fast }), ...(slow && { slow }) },
      plot,
      rings: store.getState().rings,
      logarithmic: store.getState().scale === 'log',
    });
    if (scene === null) map.clear();
    else map.show(scene, style());
    map.setMark(view.getState().mark);
  }
  const linked = linkedImage(stores.image);
  const reading = pixelReading({
    shown: shownImage,
    point: () => shownPixel(stores.image.getState()),
    ask: (fast, slow) => images.pixel(fast, slow),
    tell: (exact) => {
      if (view.getState().exact !== exact) view.setState({ exact });
    },
  });
  const stops = [
    images.data.image.subscribe(SHOWN, () => {
      show();
      reading.look();
    }),
    data.reference.subscribe(SHOWN, show),
    store.subscribe(() => {
      want();
      show();
    }),
    view.subscribe((state, before) => {
      if (state.against !== before.against) want();
      if (state.exact === before.exact) show();
    }),
    stores.scenario.subscribe(show),
    stores.image.subscribe((state, before) => {
      if (state.fast !== before.fast || state.slow !== before.slow) {
        want();
        show();
      }
      map.setCrosshair(linked.crosshair());
      reading.look();
    }),
    listenToMap(map, above, {
      ...linked,
      down: true,
      keyStep: 1,
      whole: () => {
        const whole = wholeImage(shownImage(), resolved());
        return whole && { horizontal: whole.fast, vertical: whole.slow };
      },
      tool: () => view.getState().tool,
      mark: (kind, from, to) => view.setState({ mark: { kind, from, to } }),
      setLimits: (limits) => view.setState({ limits }),
    }),
  ];
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') stores.image.setState({ hover: null, pinned: null });
  };
  above.addEventListener('keydown', keys);
  show();
  map.setCrosshair(linked.crosshair());
  return {
    figure: () => {
      const run = runOf(stores.runs.getState(), shownImage()?.run ?? null);
      const other = runOf(stores.runs.getState(), shownImage()?.against ?? null);
      const name = run?.name ?? 'run';
      return map.figure({
        name: `${name}-${other === null ? 'image' : 'image-difference'}`,
        title: other === null ? `${name}: image` : `${name}: image less ${other.name}`,
        notes: {
          ...runNotes(run),
          statistic: store.getState().statistic,
          ...(other !== null && { reference: `${other.name}, ${other.variant}` }),
        },
      });
    },
    stop: () => {
      for (const stop of stops) stop();
      above.removeEventListener('keydown', keys);
      reading.stop();
      images.want(null);
      map.dispose();
    },
  };
}
