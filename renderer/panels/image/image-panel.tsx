/** Panel of the diffraction image on its detector. */
import './image-panel.css';
import { type ReactElement, useCallback, useMemo } from 'react';
import { exportsOf } from '../../../electron/contract/workload.ts';
import { fixedDigits, percent, significant } from '../../../electron/domain/numbers.ts';
import { ImageFeed } from '../../data/image-feed.ts';
import { SHOWN_KEY } from '../../data/run-data.ts';
import { isReduced, probe } from '../../drawing/field-statistics.ts';
import { hasEnded, runNotes, runOf } from '../../state/runs.ts';
import { shownPixel } from '../../state/selection.ts';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { PopoverRow } from '../../widgets/floating/popover.tsx';
import { linkedImage } from '../../workbench/actions/linked-map.ts';
import { shownScenario, useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { type DrivenMap, driveMap, type MapCanvases, mapStyle } from '../../workbench/maps/drive-map.ts';
import { MapPanel } from '../../workbench/maps/map-panel.tsx';
import type { Workbench } from '../../workbench/workbench.ts';
import { Accuracy, MatchRangeRow, SubtractedRunRow } from './comparison.tsx';
import { fullImageRanges, geometryOf, imageScene } from './scene.ts';
import {
  createImagePanelStore,
  createImagePanelViewStore,
  createPixelReader,
  type ImagePanelStore,
  type ImagePanelViewStore,
} from './store.ts';

/** Connects the image panel to its data source and linked state. */
function driveImage(
  workbench: Workbench,
  store: ImagePanelStore,
  view: ImagePanelViewStore,
  canvases: MapCanvases,
): DrivenMap {
  const { stores, data, scheduler, feeds } = workbench;
  const images = feeds.of(ImageFeed);
  const shownImage = () => images.data.image.get(SHOWN_KEY);
  const resolved = () => shownScenario('diffraction', workbench);
  const reading = createPixelReader({
    shown: shownImage,
    point: () => shownPixel(stores.image.getState()),
    readPixel: (fast, slow) => images.pixel(fast, slow),
    onRead: (exact) => {
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
    request: (viewport) =>
      images.request({
        view: { viewport, statistic: store.getState().statistic },
        against: view.getState().against,
      }),
    whole: () => {
      const whole = fullImageRanges(shownImage(), resolved());
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
        title: other === null ? `${name}: image` : `${name}: image minus ${other.name}`,
        notes: {
          ...runNotes(run),
          statistic: shownImage()?.map.statistic ?? store.getState().statistic,
          ...(other !== null && { reference: `${other.name}, ${other.variant}` }),
        },
      };
    },
    follow: ({ show, requestField, cross }) => {
      const both = (): void => {
        requestField();
        show();
      };
      return [
        images.data.image.subscribe(SHOWN_KEY, () => {
          show();
          reading.update();
        }),
        data.reference.subscribe(SHOWN_KEY, show),
        store.subscribe(both),
        view.subscribe((state, before) => {
          if (state.against !== before.against) requestField();
          if (state.exact === before.exact) show();
        }),
        stores.scenario.subscribe(show),
        stores.image.subscribe((state, before) => {
          if (state.fast !== before.fast || state.slow !== before.slow) both();
          cross();
          reading.update();
        }),
      ];
    },
    stop: () => {
      canvases.above.removeEventListener('keydown', keys);
      reading.stop();
      images.request(null);
    },
  });
}

/** Index of the pixel that contains a position. */
const nearestPixelText = (index: number): string => fixedDigits(Math.round(index), 0);

function ImageReadout({ view }: { readonly view: ImagePanelViewStore }): ReactElement {
  const workbench = useWorkbench();
  const { stores, data, feeds } = workbench;
  const images = feeds.of(ImageFeed);
  const at = useSelected(stores.image, shownPixel);
  const pinned = useSelected(stores.image, (state) => state.hover === null && state.pinned !== null);
  const exact = useSelected(view, (state) => state.exact);
  const shown = useCached(images.data.image, SHOWN_KEY);
  // Render again when the run's scenario arrives.
  useCached(data.reference, SHOWN_KEY);
  const resolved = shownScenario('diffraction', workbench);
  if (at === null || resolved === null) {
    return (
      <span className="panel-readout panel-readout--none image-readout">
        Point at the image to read a pixel; click to pin it.
      </span>
    );
  }
  const [fast, slow] = [Math.floor(at.fast), Math.floor(at.slow)];
  const place = geometryOf(resolved).at(fast + 0.5, slow + 0.5);
  const hit = shown === null ? null : probe(shown.map, at.fast, at.slow);
  const several = shown !== null && isReduced(shown.map);
  const read = several && exact?.fast === fast && exact.slow === slow ? exact.photons : null;
  const photons = read ?? hit?.value ?? null;
  return (
    <output className="panel-readout image-readout" aria-live="off" data-testid="image-readout">
      {pinned ? <span className="panel-readout__pin" title="Pinned; Esc releases it" /> : null}
      <span>
        fast <b>{fast}</b> slow <b>{slow}</b>
      </span>
      <span title={several && read === null ? 'Sum over the pixels drawn as one' : 'Of this pixel'}>
        <b>{photons === null ? '–' : significant(photons, 5)}</b> photons
      </span>
      <span title="Indices at the pixel's middle, and the nearest reflection">
        h k l <b>{[place.h, place.k, place.l].map((index) => fixedDigits(index, 2)).join(' ')}</b> →{' '}
        {[place.h, place.k, place.l].map(nearestPixelText).join(' ')}
      </span>
      <span>
        <b>{place.resolution_A === null ? '∞' : significant(place.resolution_A, 4)}</b> Å
      </span>
      <span>
        2θ <b>{fixedDigits(place.twotheta_deg, 2)}</b>°
      </span>
    </output>
  );
}

const statistics = [
  {
    value: 'max',
    label: 'largest',
    title: 'If several pixels are drawn as one, the brightest: small spots stay visible',
  },
  { value: 'mean', label: 'mean', title: 'If several pixels are drawn as one, their mean' },
] as const;

export default function ImagePanel(): ReactElement {
  const workbench = useWorkbench();
  const { stores, storage, settingsReset, feeds } = workbench;
  const images = feeds.of(ImageFeed);
  const store = useMemo(() => createImagePanelStore(storage, settingsReset), [storage, settingsReset]);
  const view = useMemo(createImagePanelViewStore, []);
  const { rings, scale, statistic } = useSelected(store, (state) => state);
  const against = useSelected(view, (state) => state.against);
  const drive = useCallback(
    (canvases: MapCanvases) => driveImage(workbench, store, view, canvases),
    [workbench, store, view],
  );
  const status = useSelected(images.status, (state) => state.status);
  const selected = useSelected(stores.selection, (state) => state.run);
  const run = useSelected(stores.runs, (state) => runOf(state, selected));
  const known = useSelected(stores.scenario, () => shownScenario('diffraction', workbench) !== null);
  const zoomed = useSelected(stores.image, ({ fast, slow }) => fast !== undefined || slow !== undefined);
  const shown = useCached(images.data.image, SHOWN_KEY);
  const trouble = useCached(images.data.differenceError, SHOWN_KEY);
  const files = run === null || !hasEnded(run.state) ? [] : exportsOf('diffraction');
  return (
    <MapPanel
      name="image"
      title="Image"
      store={store}
      view={view}
      drive={drive}
      status={status}
      field={shown?.map ?? null}
      limits={shown === null ? null : { low: shown.map.min, high: shown.map.max }}
      unit="photons"
      keys="the arrow keys move the crosshair by a pixel, Esc releases it"
      whole={{ label: 'Show the whole image', zoomed, show: () => linkedImage(stores.image).resetZoom() }}
      annotations={{
        label: 'Resolution rings and beam centre',
        shown: rings,
        show: (next) => store.setState({ rings: next }),
      }}
      readout={<ImageReadout view={view} />}
      rows={
        <>
          <PopoverRow name="Far out">
            <Segmented
              label="Value shown for several pixels drawn as one"
              value={statistic}
              options={statistics}
              onChange={(next) => store.setState({ statistic: next })}
            />
          </PopoverRow>
          <SubtractedRunRow view={view} />
          <MatchRangeRow view={view} logarithmic={scale === 'log'} />
        </>
      }
      files={files.map(({ id, title }) => ({
        id,
        label: title,
        onChoose: () => run !== null && void workbench.runs.exportAs(run.id, id),
      }))}
      words={{
        failed: 'There is no image to show',
        first: 'Waiting for the first rows…',
        nothing: known ? 'The detector of the scenario. Run it to see the image.' : 'The scenario has no detector yet.',
      }}
      notes={
        <>
          {trouble === null ? null : (
            <p className="plot-panel__note" role="status">
              {trouble}
            </p>
          )}
          {shown !== null && shown.done < 1 ? (
            <p className="plot-panel__note" role="status" data-testid="image-done">
              {percent(shown.done)} of the image
            </p>
          ) : null}
        </>
      }
      below={against === null ? null : <Accuracy view={view} />}
    />
  );
}
