/** Phase space as four maps of protons: live while a run computes, by stored steps afterwards. */
import '../../widgets/plots/plots.css';
import './phase-space-panel.css';
import { type ReactElement, useCallback, useEffect, useMemo, useRef } from 'react';
import type { AxisName } from '../../../electron/contract/fields.ts';
import type { RunInfo } from '../../../electron/contract/run.ts';
import { fixedDigits } from '../../../electron/domain/numbers.ts';
import { SHOWN_KEY, type ShownMap } from '../../data/run-data.ts';
import { RunFeed } from '../../data/run-feed.ts';
import type { ScaleKind } from '../../drawing/colormap.ts';
import { combineFigures, type Figure, type FigureFormat } from '../../drawing/export/figure.ts';
import { paintHeading } from '../../drawing/export/raster.ts';
import { hasEnded, runNotes, runOf } from '../../state/runs.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { Scrubber } from '../../widgets/controls/scrubber.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { ExportMenu } from '../../widgets/floating/menu.tsx';
import { PopoverRow } from '../../widgets/floating/popover.tsx';
import { DragToolChoice, MapDisplay } from '../../widgets/plots/map-display.tsx';
import { MapDrawer } from '../../widgets/plots/map-drawer.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import type { DrivenMap } from '../../workbench/maps/drive-map.ts';
import { PanelOffer, RunOffer } from '../../workbench/offers.tsx';
import { MapCell } from './map-cell.tsx';
import {
  axisDecimals,
  axisNames,
  axisSymbols,
  axisUnits,
  cacheKey,
  createPhaseSpaceStore,
  createPhaseViewStore,
  type PhaseSpaceStore,
  type PhaseViewStore,
  type SlotKey,
  slots,
  useAnyMapError,
  useShownMaps,
} from './maps.ts';

/** Reference of the difference maps: another step of the run, or another run. */
function ReferenceRow({ view }: { readonly view: PhaseViewStore }): ReactElement {
  const { stores } = useWorkbench();
  const reference = useSelected(view, (state) => state.reference);
  const selected = useSelected(stores.selection, (state) => state.run);
  const { runs } = useSelected(stores.runs, (state) => state);
  const { frames, index } = useSelected(stores.playback, (state) => state);
  const frame = frames[index];
  const others = runs.filter((run) => run.id !== selected && hasEnded(run.state) && run.error === null);
  const value = reference.kind === 'run' ? reference.run : reference.kind;
  const name = (run: (typeof runs)[number]): string => `${run.name} · ${run.variant} ${run.precision}`;
  return (
    <>
      <PopoverRow name="Difference">
        <Select
          label="Show the difference from"
          value={value}
          options={[
            { value: 'none', label: 'none' },
            ...(reference.kind === 'step' ? [{ value: 'step', label: `step ${reference.step} of this run` }] : []),
            ...others.map((run) => ({ value: run.id, label: name(run) })),
          ]}
          onChange={(chosen) => {
            if (chosen === 'step') return;
            view.setState({
              reference: chosen === 'none' ? { kind: 'none' } : { kind: 'run', run: chosen },
              limits: {},
            });
          }}
        />
        <Button
          disabled={frame === undefined || selected === null}
          title="Then go to another step: the maps show the change since this one"
          onPress={() => {
            if (frame === undefined || selected === null) return;
            const { step } = frame;
            view.setState({ reference: { kind: 'step', run: selected, keyframe: index, step }, limits: {} });
          }}
        >
          From this step
        </Button>
      </PopoverRow>
      {runOf({ runs, progress: {}, live: [], listed: true }, selected)?.state === 'running' &&
      reference.kind !== 'none' ? (
        <p className="popover__note">The difference is shown when the run has finished.</p>
      ) : null}
    </>
  );
}

interface ToolsProps {
  readonly store: PhaseSpaceStore;
  readonly view: PhaseViewStore;
  /** One of the maps, for its unit and limits; null if there is none. */
  readonly shown: ShownMap | null;
  readonly onExport: (format: FigureFormat) => void;
}

function Tools({ store, view, shown, onExport }: ToolsProps): ReactElement {
  const { stores } = useWorkbench();
  const config = useSelected(store, (state) => state);
  const { tool, limits } = useSelected(view, (state) => state);
  const zoomed = useSelected(stores.window, ({ windows }) => Object.keys(windows).length > 0);
  const own = limits.a ?? limits.b ?? limits.c ?? limits.d ?? null;
  return (
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
        mapName="maps of phase space"
        value={{ ...config, limits: own }}
        shown={shown === null ? null : { low: shown.field.min, high: shown.field.max }}
        unit={shown?.field.unit ?? ''}
        onChange={({ limits: set, ...change }) => {
          if (Object.keys(change).length > 0) store.setState(change);
          // Typed limits apply to all maps, whereas each colour bar changes the limits of its own map.
          if (set === null) view.setState({ limits: {} });
          else if (set !== undefined) view.setState({ limits: { a: set, b: set, c: set, d: set } });
        }}
      >
        <ReferenceRow view={view} />
      </MapDisplay>
      <ExportMenu what="the maps of phase space" disabled={shown === null} onChoose={onExport} />
    </div>
  );
}

interface NothingShownProps {
  readonly run: RunInfo | null;
  readonly hasMap: boolean;
}

/** Placeholder that explains why no phase space is shown, and how to obtain it. */
function NothingShown({ run, hasMap }: NothingShownProps): ReactElement | null {
  const { data, feeds } = useWorkbench();
  const status = useSelected(feeds.of(RunFeed).status, (state) => state.status);
  const keyframes = useCached(data.keyframes, SHOWN_KEY);
  const isTold = useAnyMapError();
  if (status.kind === 'failed') {
    return (
      <PlotOverlay>
        <EmptyState icon="error" tone="error" title="There is no phase space to show" action={<RunOffer />}>
          {run?.error?.message ?? status.reason}
        </EmptyState>
      </PlotOverlay>
    );
  }
  if (hasMap) return null;
  if (status.kind === 'waiting') {
    return (
      <p className="plot-panel__note" role="status">
        {run?.state === 'queued' ? 'Waiting for an earlier run.' : 'Waiting for the first step…'}
      </p>
    );
  }
  if (isTold) return null;
  if (status.kind === 'nothing') {
    return (
      <PlotOverlay>
        <EmptyState icon="quad" title="No phase space yet" action={<RunOffer />}>
          Run the scenario to see where its protons go.
        </EmptyState>
      </PlotOverlay>
    );
  }
  if (status.kind !== 'loaded' || keyframes?.frames.length !== 0) return null;
  return (
    <PlotOverlay>
      <EmptyState
        icon="quad"
        title="This run has no saved phase space"
        action={<PanelOffer panel="scenario" icon="sliders" label="Show the scenario" />}
      >
        Its scenario saves no keyframes: set them under Output, and run it again.
      </EmptyState>
    </PlotOverlay>
  );
}

const PlotOverlay = ({ children }: { readonly children: ReactElement }): ReactElement => (
  <div className="plot-panel__cover">{children}</div>
);

/** Steps through the stored moments of a run; while the run computes, shows its current step. */
function StoredSteps({ shown }: { readonly shown: ShownMap | null }): ReactElement {
  const { stores } = useWorkbench();
  const { frames, index, playing } = useSelected(stores.playback, (state) => state);
  // Step of the displayed maps, which follows the slider as the frames arrive.
  const at = shown ?? frames[index] ?? null;
  return (
    <Scrubber
      plays="Play the stored steps"
      label="Stored step"
      words={at === null ? '' : `step ${at.step}, depth ${fixedDigits(at.depth_mm, 2)} mm`}
      shortcut="Alt+P"
      index={index}
      count={frames.length}
      playing={playing}
      testId="phase-step"
      onToggle={() => stores.playback.toggle()}
      onGo={(next) => stores.playback.go(next)}
    >
      {at === null ? (
        '–'
      ) : (
        <>
          <span>
            step <b>{at.step}</b>
          </span>
          <span>
            depth <b>{fixedDigits(at.depth_mm, 2)}</b> mm
          </span>
          <span className="scrubber__count text-right">
            {frames.length === 0 ? 'live' : `${index + 1} / ${frames.length}`}
          </span>
        </>
      )}
    </Scrubber>
  );
}

/** Crosshair position along every axis of the maps. */
function Position(): ReactElement {
  const { stores } = useWorkbench();
  const at = useSelected(stores.selection, shownCrosshair);
  const pinned = useSelected(stores.selection, (state) => state.hover === null && state.pinned !== null);
  // Together the maps show all axes on which the crosshair can have a position.
  const shown = useShownMaps();
  if (at === null) {
    return (
      <span className="panel-readout panel-readout--none">
        Point at a map to read values; click to pin the crosshair.
      </span>
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
      {pinned ? <span className="panel-readout__pin" title="Pinned; Esc releases it" /> : null}
      {axisNames.map((axis) => {
        const value = at[axis];
        return value === undefined ? null : (
          <span key={axis}>
            {axisSymbols[axis]} <b>{fixedDigits(value, decimals(axis))}</b> {axisUnits[axis]}
          </span>
        );
      })}
    </output>
  );
}

interface DrawerProps {
  readonly run: RunInfo | null;
  readonly view: PhaseViewStore;
  readonly scale: ScaleKind;
}

/** Profile or statistics of a mark on one of the maps. */
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

/** The four maps as displayed, two in a row. */
function fourMapsFigure(run: string, driven: ReadonlyMap<SlotKey, DrivenMap>): Figure | null {
  const maps = slots.flatMap((slot) => driven.get(slot)?.figure() ?? []);
  const first = maps[0];
  if (first === undefined) return null;
  const name = `${run}-phase-space-step-${first.notes['step']}`;
  const title = `${run}: phase space, step ${first.notes['step']}`;
  const labels = maps.map((map) => map.title);
  return combineFigures(maps, { name, title, columns: 2, labels }, paintHeading);
}

export default function PhaseSpacePanel(): ReactElement {
  const { stores, storage, settingsReset, figures } = useWorkbench();
  const store = useMemo(() => createPhaseSpaceStore(storage, settingsReset), [storage, settingsReset]);
  const view = useMemo(createPhaseViewStore, []);
  const scale = useSelected(store, (state) => state.scale);
  const selected = useSelected(stores.selection, (state) => state.run);
  const run = useSelected(stores.runs, (state) => runOf(state, selected));
  const shown = useShownMaps().find((map) => map !== null) ?? null;
  const driven = useRef(new Map<SlotKey, DrivenMap>());
  const onDriven = useCallback((slot: SlotKey, map: DrivenMap | null) => {
    if (map === null) driven.current.delete(slot);
    else driven.current.set(slot, map);
  }, []);
  // Pause the playback when the panel closes.
  useEffect(() => () => stores.playback.pause(), [stores]);

  return (
    <div className="plot-panel">
      <div className="panel-bar">
        <Position />
        <Tools
          store={store}
          view={view}
          shown={shown}
          onExport={(format) => void figures.save(fourMapsFigure(run?.name ?? 'run', driven.current), format)}
        />
      </div>
      <div className="phase-space grow relative">
        <div className="phase-space__maps grid">
          {slots.map((slot) => (
            <MapCell key={slot} slot={slot} store={store} view={view} onDriven={onDriven} />
          ))}
        </div>
        <NothingShown run={run} hasMap={shown !== null} />
      </div>
      <Drawer run={run} view={view} scale={scale} />
      <StoredSteps shown={shown} />
    </div>
  );
}
