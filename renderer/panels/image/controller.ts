/** What the image panel shows, where it comes from and what it follows. */
import { linkedImage } from '../../actions/linked-map.ts';
import { ImageFeed } from '../../data/image-feed.ts';
import { SHOWN } from '../../data/run-data.ts';
import { mapStyle } from '../../maps/config.ts';
import { type DrivenMap, driveMap, type MapCanvases } from '../../maps/drive-map.ts';
import { shownPixel } from '../../state/image-view.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { shownScenario } from '../../workbench/shown-scenario.ts';
import type { Workbench } from '../../workbench/workbench.ts';
import { pixelReading } from './pixel-reading.ts';
import { imageScene, wholeImage } from './scene.ts';
import type { ImagePanelStore, ImagePanelViewStore } from './store.ts';

export function driveImage(
  workbench: Workbench,
  store: ImagePanelStore,
  view: ImagePanelViewStore,
  canvases: MapCanvases,
): DrivenMap {
  const { stores, data, scheduler, feeds } = workbench;
  const images = feeds.of(ImageFeed);
  const shownImage = () => images.data.image.get(SHOWN);
  const resolved = () => shownScenario('diffraction', workbench);
  const reading = pixelReading({
    shown: shownImage,
    point: () => shownPixel(stores.image.getState()),
    ask: (fast, slow) => images.pixel(fast, slow),
    tell: (exact) => {
      if (view.getState().exact !== exact) view.setState({ exact });
    },
  });
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') stores.image.setState({ hover: null, pinned: null });
  };
  canvases.above.addEventListener('keydown', keys);
  return driveMap(scheduler, canvases, {
    linked: linkedImage(stores.image),
    down: true,
    keyStep: 1,
    want: (viewport) =>
      images.want({
        view: { viewport, statistic: store.getState().statistic },
        against: view.getState().against,
      }),
    whole: () => {
      const whole = wholeImage(shownImage(), resolved());
      return whole && { horizontal: whole.fast, vertical: whole.slow };
    },
    scene: (plot) => {
      const { fast, slow } = stores.image.getState();
      const { rings, scale } = store.getState();
      return imageScene({
        shown: shownImage(),
        resolved: resolved(),
        windows: { ...(fast && { fast }), ...(slow && { slow }) },
        plot,
        rings,
        logarithmic: scale === 'log',
      });
    },
    style: () => mapStyle(store.getState(), view.getState().limits, shownImage()?.against != null),
    tool: () => view.getState().tool,
    marked: () => view.getState().mark,
    mark: (mark) => view.setState({ mark }),
    setLimits: (limits) => view.setState({ limits }),
    about: () => {
      const run = runOf(stores.runs.getState(), shownImage()?.run ?? null);
      const other = runOf(stores.runs.getState(), shownImage()?.against ?? null);
      const name = run?.name ?? 'run';
      return {
        name: `${name}-${other === null ? 'image' : 'image-difference'}`,
        title: other === null ? `${name}: image` : `${name}: image less ${other.name}`,
        notes: {
          ...runNotes(run),
          statistic: shownImage()?.map.statistic ?? store.getState().statistic,
          ...(other !== null && { reference: `${other.name}, ${other.variant}` }),
        },
      };
    },
    follow: ({ show, want, cross }) => {
      const both = (): void => {
        want();
        show();
      };
      return [
        images.data.image.subscribe(SHOWN, () => {
          show();
          reading.look();
        }),
        data.reference.subscribe(SHOWN, show),
        store.subscribe(both),
        view.subscribe((state, before) => {
          if (state.against !== before.against) want();
          if (state.exact === before.exact) show();
        }),
        stores.scenario.subscribe(show),
        stores.image.subscribe((state, before) => {
          if (state.fast !== before.fast || state.slow !== before.slow) both();
          cross();
          reading.look();
        }),
      ];
    },
    stop: () => {
      canvases.above.removeEventListener('keydown', keys);
      reading.stop();
      images.want(null);
    },
  });
}
