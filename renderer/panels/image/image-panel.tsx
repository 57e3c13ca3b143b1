/** The diffraction image on its detector. */
import { type ReactElement, useEffect, useMemo, useRef } from 'react';
import { exportsOf } from '../../../electron/contract/exports.ts';
import { linkedImage } from '../../actions/linked-map.ts';
import { percent } from '../../base/numbers.ts';
import { SHOWN } from '../../data/run-data.ts';
import { isOver, runNotes, runOf } from '../../state/runs.ts';
import { IconButton } from '../../widgets/controls/button.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { ExportMenu } from '../../widgets/floating/export-menu.tsx';
import { PopoverRow } from '../../widgets/floating/popover.tsx';
import { DragToolChoice } from '../../widgets/plots/drag-tool.tsx';
import { MapDisplay } from '../../widgets/plots/map-display.tsx';
import { MapDrawer } from '../../widgets/plots/map-drawer.tsx';
import { PlotLayers } from '../../widgets/plots/plot-layers.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { shownScenario } from '../../workbench/shown-scenario.ts';
import { Accuracy, AgainstRow, MatchRow } from './against.tsx';
import { type DrivenImage, driveImage } from './controller.ts';
import { isReduced } from './pixel-reading.ts';
import { ImageReadout } from './readout.tsx';
import { createImagePanelStore, createImagePanelViewStore } from './store.ts';
import '../../widgets/plots/plot-panel.css';
import './image-panel.css';

const statistics = [
  { value: 'max', label: 'largest', title: 'Of several pixels in one, the brightest: small spots stay in sight' },
  { value: 'mean', label: 'mean', title: 'Of several pixels in one, their mean' },
] as const;

export default function ImagePanel(): ReactElement {
  const workbench = useWorkbench();
  const { stores, images, storage, settingsReset } = workbench;
  const store = useMemo(() => createImagePanelStore(storage, settingsReset), [storage, settingsReset]);
  const view = useMemo(createImagePanelViewStore, []);
  const config = useSelected(store, (state) => state);
  const { tool, limits, mark, against } = useSelected(view, (state) => state);
  const below = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const driven = useRef<DrivenImage>(null);
  useEffect(() => {
    if (below.current === null || above.current === null) return;
    driven.current = driveImage(workbench, store, view, below.current, above.current);
    return () => driven.current?.stop();
  }, [workbench, store, view]);

  const status = useSelected(images.status, (state) => state.status);
  const selected = useSelected(stores.selection, (state) => state.run);
  const run = useSelected(stores.runs, (state) => runOf(state, selected));
  const notes = useMemo(() => runNotes(run), [run]);
  const known = useSelected(stores.scenario, () => shownScenario('diffraction', workbench) !== null);
  const zoomed = useSelected(stores.image, ({ fast, slow }) => fast !== undefined || slow !== undefined);
  const shown = useCached(images.data.image, SHOWN);
  const trouble = useCached(images.data.trouble, SHOWN);
  const own = shown === null ? null : { low: shown.map.min, high: shown.map.max };
  const label =
    shown === null
      ? 'Image, empty'
      : `Image of ${run?.name ?? 'the run'}; the arrow keys move the crosshair by a pixel, Esc takes it away`;
  const files = run === null || !isOver(run.state) ? [] : exportsOf.diffraction;

  return (
    <div className="plot-panel">
      <div className="panel-bar">
        <ImageReadout view={view} />
        <div className="panel-bar__tools">
          <IconButton
            icon="fit"
            size={14}
            label="Show the whole image"
            disabled={!zoomed}
            onPress={() => linkedImage(stores.image).resetZoom()}
          />
          <IconButton
            icon="pin"
            size={14}
            label="Resolution rings and beam centre"
            pressed={config.rings}
            onPress={() => store.setState({ rings: !config.rings })}
          />
          <DragToolChoice value={tool} onChange={(next) => view.setState({ tool: next })} />
          <MapDisplay
            what="image"
            value={{ ...config, limits }}
            shown={own}
            unit="photons"
            onChange={({ limits: set, ...change }) => {
              if (Object.keys(change).length > 0) store.setState(change);
              if (set !== undefined) view.setState({ limits: set });
            }}
          >
            <PopoverRow name="Far out">
              <Segmented
                label="What several pixels in one show"
                value={config.statistic}
                options={statistics}
                onChange={(statistic) => store.setState({ statistic })}
              />
            </PopoverRow>
            <AgainstRow view={view} />
            <MatchRow view={view} logarithmic={config.scale === 'log'} />
          </MapDisplay>
          <ExportMenu
            what="the image"
            disabled={shown === null}
            onChoose={(format) => void workbench.figures.save(driven.current?.figure() ?? null, format)}
            files={files.map(({ id, title }) => ({
              id,
              label: title,
              onChoose: () => run !== null && void workbench.runs.exportAs(run.id, id),
            }))}
          />
        </div>
      </div>
      <div className="plot-panel__body">
        <PlotLayers below={below} above={above} label={label} keys />
        {status.kind === 'failed' ? (
          <div className="plot-panel__cover">
            <EmptyState icon="error" tone="error" title="There is no image to show">
              {run?.error?.message ?? status.reason}
            </EmptyState>
          </div>
        ) : null}
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
        {shown === null && status.kind === 'waiting' ? (
          <p className="plot-panel__note" role="status">
            {run?.state === 'queued' ? 'Waiting for the run before it.' : 'Waiting for the first rows…'}
          </p>
        ) : null}
        {shown === null && status.kind === 'nothing' ? (
          <p className="plot-panel__note">
            {known ? 'The detector of the scenario. Run it to see the image.' : 'The scenario has no detector yet.'}
          </p>
        ) : null}
      </div>
      {against === null ? null : <Accuracy view={view} />}
      {mark === null || shown === null ? null : (
        <MapDrawer
          field={shown.map}
          mark={mark}
          maxima={config.statistic === 'max' && isReduced(shown.map)}
          scale={config.scale}
          scheduler={workbench.scheduler}
          name={run?.name ?? 'run'}
          notes={notes}
          onExport={(figure, format) => void workbench.figures.save(figure, format)}
          onClose={() => view.setState({ mark: null })}
        />
      )}
    </div>
  );
}
