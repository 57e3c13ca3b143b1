/** Phase space as four maps of protons: live while a run computes, by stored steps afterwards. */
import { type ReactElement, useCallback, useEffect, useMemo, useRef } from 'react';
import type { AxisName } from '../../../electron/contract/fields.ts';
import type { RunInfo } from '../../../electron/contract/run.ts';
import { fixed } from '../../base/numbers.ts';
import { SHOWN, type ShownMap } from '../../data/run-data.ts';
import { type Figure, joined } from '../../drawing/export/figure.ts';
import { paintHeading } from '../../drawing/export/raster.ts';
import type { ScaleKind } from '../../drawing/normalisation.ts';
import type { DrivenMap } from '../../maps/drive-map.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { ExportMenu } from '../../widgets/floating/export-menu.tsx';
import { DragToolChoice } from '../../widgets/plots/drag-tool.tsx';
import { MapDisplay } from '../../widgets/plots/map-display.tsx';
import { MapDrawer } from '../../widgets/plots/map-drawer.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { MapCell } from './map-cell.tsx';
import { axisDecimals, axisNames, axisSymbols, axisUnits, cacheKey, type SlotKey, slots } from './maps.ts';
import { ReferenceRow } from './reference.tsx';
import { createPhaseSpaceStore, createPhaseViewStore, type PhaseViewStore } from './store.ts';
import { StoredSteps } from './stored-steps.tsx';
import '../../widgets/plots/plot-panel.css';
import './phase-space-panel.css';
import { RunFeed } from '../../data/run-feed.ts';
import { PanelOffer, RunOffer } from '../../workbench/offers.tsx';

function useMap(slot: SlotKey): ShownMap | null {
  return useCached(useWorkbench().data.maps, cacheKey(slot));
}

function useTrouble(slot: SlotKey): string | null {
  return useCached(useWorkbench().data.troubles, cacheKey(slot));
}

function Position(): ReactElement {
  const { stores } = useWorkbench();
  const at = useSelected(stores.selection, shownCrosshair);
  const pinned = useSelected(stores.selection, (state) => state.hover === null && state.pinned !== null);
  // Between them the maps have all axes that the crosshair can have a place on.
  const shown = [useMap('a'), useMap('b'), useMap('c'), useMap('d')];
  if (at === null) {
    return (
      <span className="panel-readout panel-readout--none">Point at a map to read it; click to keep the crosshair.</span>
    );
  }
  const decimals = (axis: AxisName): number => {
    const found = shown
      .flatMap((map) => (map === null ? [] : [map.field.horizontal, map.field.vertical]))
      .find(({ name }) => name === axis);
    return found === undefined ? 2 : axisDecimals(found);
  };
  return (
    <output className="panel-readout" aria-live="off" data-testid="phase-readout">
      {pinned ? <span className="panel-readout__pin" title="Pinned; Esc takes it away" /> : null}
      {axisNames.map((axis) => {
        const value = at[axis];
        return value === undefined ? null : (
          <span key={axis}>
            {axisSymbols[axis]} <b>{fixed(value, decimals(axis))}</b> {axisUnits[axis]}
          </span>
        );
      })}
    </output>
  );
}

/** The maps as they stand, two in a row. */
function quadFigure(run: string, driven: ReadonlyMap<SlotKey, DrivenMap>): Figure | null {
  const maps = slots.flatMap((slot) => driven.get(slot)?.figure() ?? []);
  const first = maps[0];
  if (first === undefined) return null;
  const name = `${run}-phase-space-step-${first.notes['step']}`;
  const title = `${run}: phase space, step ${first.notes['step']}`;
  const labels = maps.map((map) => map.title);
  return joined(maps, { name, title, columns: 2, labels }, paintHeading);
}

interface DrawerProps {
  readonly run: RunInfo | null;
  readonly view: PhaseViewStore;
  readonly scale: ScaleKind;
}

/** What was marked on one of the maps. */
function Drawer({ run, view, scale }: DrawerProps): ReactElement | null {
  const { data, scheduler, figures } = useWorkbench();
  const marked = useSelected(view, (state) => state.marked);
  const shown = useCached(data.maps, cacheKey(marked?.slot ?? 'a'));
  const { step, depth_mm, field } = shown ?? {};
  const notes = useMemo(
    () => ({ ...runNotes(run), ...(step !== undefined && { step }), ...(depth_mm !== undefined && { depth_mm }) }),
    [run, step, depth_mm],
  );
  if (marked === null || field === undefined) return null;
  return (
    <MapDrawer
      field={field}
      mark={marked.mark}
      scale={scale}
      scheduler={scheduler}
      name={`${run?.name ?? 'run'}-step-${step}`}
      notes={notes}
      onExport={(figure, format) => void figures.save(figure, format)}
      onClose={() => view.setState({ marked: null })}
    />
  );
}

export default function PhaseSpacePanel(): ReactElement {
  const workbench = useWorkbench();
  const { stores, data, storage, settingsReset, feeds } = workbench;
  const feed = feeds.of(RunFeed);
  const store = useMemo(() => createPhaseSpaceStore(storage, settingsReset), [storage, settingsReset]);
  const view = useMemo(createPhaseViewStore, []);
  const config = useSelected(store, (state) => state);
  const { tool, limits } = useSelected(view, (state) => state);
  const status = useSelected(feed.status, (state) => state.status);
  const selected = useSelected(stores.selection, (state) => state.run);
  const run = useSelected(stores.runs, (state) => runOf(state, selected));
  const zoomed = useSelected(stores.window, ({ windows }) => Object.keys(windows).length > 0);
  const maps = [useMap('a'), useMap('b'), useMap('c'), useMap('d')];
  const shown = maps.find((map) => map !== null) ?? null;
  const troubles = [useTrouble('a'), useTrouble('b'), useTrouble('c'), useTrouble('d')];
  const kept = useCached(data.keyframes, SHOWN);
  const driven = useRef(new Map<SlotKey, DrivenMap>());
  const onDriven = useCallback((slot: SlotKey, map: DrivenMap | null) => {
    if (map === null) driven.current.delete(slot);
    else driven.current.set(slot, map);
  }, []);
  // Nobody looks any more.
  useEffect(() => () => stores.playback.pause(), [stores]);

  const own = limits.a ?? limits.b ?? limits.c ?? limits.d ?? null;

  const none =
    status.kind === 'failed'
      ? {
          title: 'There is no phase space to show',
          text: run?.error?.message ?? status.reason,
          tone: 'error' as const,
          offer: <RunOffer />,
        }
      : shown !== null || troubles.some((trouble) => trouble !== null)
        ? null
        : status.kind === 'nothing'
          ? { title: 'No phase space yet', text: 'Run the scenario to see where its protons go.', offer: <RunOffer /> }
          : status.kind === 'loaded' && kept?.frames.length === 0
            ? {
                title: 'This run kept no phase space',
                text: 'Its scenario asks for no keyframes: give it some under Output, and run it again.',
                offer: <PanelOffer panel="scenario" icon="sliders" label="Show the scenario" />,
              }
            : null;

  return (
    <div className="plot-panel">
      <div className="panel-bar">
        <Position />
        <div className="panel-bar__tools">
          <IconButton
            icon="fit"
            size={14}
            label="Show the whole field"
            disabled={!zoomed}
            onPress={() => stores.window.reset()}
          />
          <DragToolChoice value={tool} onChange={(next) => view.setState({ tool: next })} />
          <Button
            title="One pair of colour limits for all four maps"
            pressed={config.matched}
            onPress={() => {
              store.setState({ matched: !config.matched });
              view.setState({ limits: {} });
            }}
          >
            Match limits
          </Button>
          <MapDisplay
            what="maps of phase space"
            value={{ ...config, limits: own }}
            shown={shown === null ? null : { low: shown.field.min, high: shown.field.max }}
            unit={shown?.field.unit ?? ''}
            onChange={({ limits: set, ...change }) => {
              if (Object.keys(change).length > 0) store.setState(change);
              // Numbers are entered for all maps at once; each bar moves its own.
              if (set === null) view.setState({ limits: {} });
              else if (set !== undefined) view.setState({ limits: { a: set, b: set, c: set, d: set } });
            }}
          >
            <ReferenceRow view={view} />
          </MapDisplay>
          <ExportMenu
            what="the maps of phase space"
            disabled={shown === null}
            onChoose={(format) => void workbench.figures.save(quadFigure(run?.name ?? 'run', driven.current), format)}
          />
        </div>
      </div>
      <div className="phase-space">
        <div className="phase-space__maps">
          {slots.map((slot) => (
            <MapCell key={slot} slot={slot} store={store} view={view} onDriven={onDriven} />
          ))}
        </div>
        {none === null ? null : (
          <div className="plot-panel__cover">
            <EmptyState
              icon={none.tone === 'error' ? 'error' : 'quad'}
              title={none.title}
              {...(none.tone && { tone: none.tone })}
              action={none.offer}
            >
              {none.text}
            </EmptyState>
          </div>
        )}
        {shown === null && status.kind === 'waiting' ? (
          <p className="plot-panel__note" role="status">
            {run?.state === 'queued' ? 'Waiting for the run before it.' : 'Waiting for the first step…'}
          </p>
        ) : null}
      </div>
      <Drawer run={run} view={view} scale={config.scale} />
      <StoredSteps shown={shown} />
    </div>
  );
}
