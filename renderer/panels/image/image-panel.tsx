/** The diffraction image on its detector. */
import { type ReactElement, useCallback, useMemo } from 'react';
import { exportsOf } from '../../../electron/contract/exports.ts';
import { linkedImage } from '../../actions/linked-map.ts';
import { percent } from '../../base/numbers.ts';
import { SHOWN } from '../../data/run-data.ts';
import type { MapCanvases } from '../../maps/drive-map.ts';
import { MapPanel } from '../../maps/map-panel.tsx';
import { isOver, runOf } from '../../state/runs.ts';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { PopoverRow } from '../../widgets/floating/popover.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { shownScenario } from '../../workbench/shown-scenario.ts';
import { Accuracy, AgainstRow, MatchRow } from './against.tsx';
import { driveImage } from './controller.ts';
import { ImageReadout } from './readout.tsx';
import { createImagePanelStore, createImagePanelViewStore } from './store.ts';
import './image-panel.css';
import { ImageFeed } from '../../data/image-feed.ts';

const statistics = [
  { value: 'max', label: 'largest', title: 'Of several pixels in one, the brightest: small spots stay in sight' },
  { value: 'mean', label: 'mean', title: 'Of several pixels in one, their mean' },
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
  const shown = useCached(images.data.image, SHOWN);
  const trouble = useCached(images.data.trouble, SHOWN);
  const files = run === null || !isOver(run.state) ? [] : exportsOf('diffraction');
  return (
    <MapPanel
      what="image"
      title="Image"
      store={store}
      view={view}
      drive={drive}
      status={status}
      field={shown?.map ?? null}
      limits={shown === null ? null : { low: shown.map.min, high: shown.map.max }}
      unit="photons"
      keys="the arrow keys move the crosshair by a pixel, Esc takes it away"
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
              label="What several pixels in one show"
              value={statistic}
              options={statistics}
              onChange={(next) => store.setState({ statistic: next })}
            />
          </PopoverRow>
          <AgainstRow view={view} />
          <MatchRow view={view} logarithmic={scale === 'log'} />
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
