/** Phase space as four maps of protons: live while a run computes, by stored steps afterwards. */
import { type ReactElement, useCallback, useEffect, useMemo, useRef } from 'react';
import type { AxisName } from '../../../electron/contract/fields.ts';
import { fixed } from '../../base/numbers.ts';
import { SHOWN } from '../../data/run-data.ts';
import { colorMaps } from '../../drawing/colormap.ts';
import { type Figure, joined } from '../../drawing/export/figure.ts';
import { paintHeading } from '../../drawing/export/raster.ts';
import type { ScaleKind } from '../../drawing/normalisation.ts';
import { runOf } from '../../state/runs.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { Button, IconButton } from '../../widgets/button.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { ExportMenu } from '../../widgets/export-menu.tsx';
import { Segmented } from '../../widgets/segmented.tsx';
import { Select } from '../../widgets/select.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import type { DrivenMap } from './controller.ts';
import { MapCell } from './map-cell.tsx';
import { axisDecimals, axisSymbols, axisUnits, phaseMaps } from './maps.ts';
import { Scrubber } from './scrubber.tsx';
import { createPhaseSpaceStore } from './store.ts';
import '../../widgets/plot-panel.css';
import './phase-space-panel.css';

const scales: readonly { readonly value: ScaleKind; readonly label: string; readonly title: string }[] = [
  { value: 'linear', label: 'lin', title: 'Linear scale' },
  { value: 'log', label: 'log', title: 'Logarithmic scale' },
  { value: 'symlog', label: 'symlog', title: 'Logarithmic away from zero, linear around it' },
];

const axes: readonly AxisName[] = ['z', 'x', 'theta', 'e'];

/** First and last map: between them they have all four axes. */
const [FIRST, LAST] = ['phase-space/z-x', 'phase-space/theta-e'];

function Place(): ReactElement {
  const { stores, data } = useWorkbench();
  const at = useSelected(stores.selection, shownCrosshair);
  const pinned = useSelected(stores.selection, (state) => state.hover === null && state.pinned !== null);
  const shown = [useCached(data.maps, FIRST), useCached(data.maps, LAST)];
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
      {axes.map((axis) => {
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
function quadFigure(run: string, driven: ReadonlyMap<string, DrivenMap>): Figure | null {
  const maps = phaseMaps.flatMap(({ key, title }) => {
    const figure = driven.get(key)?.figure() ?? null;
    return figure === null ? [] : [{ figure, title }];
  });
  const first = maps[0]?.figure;
  if (first === undefined) return null;
  const name = `${run}-phase-space-step-${first.notes['step']}`;
  const title = `${run}: phase space, step ${first.notes['step']}`;
  const labels = maps.map((map) => map.title);
  return joined(
    maps.map(({ figure }) => figure),
    { name, title, columns: 2, labels },
    paintHeading,
  );
}

export default function PhaseSpacePanel(): ReactElement {
  const workbench = useWorkbench();
  const { stores, data, feed, storage, settingsReset } = workbench;
  const store = useMemo(() => createPhaseSpaceStore(storage, settingsReset), [storage, settingsReset]);
  const config = useSelected(store, (state) => state);
  const status = useSelected(feed.status, (state) => state.status);
  const selected = useSelected(stores.selection, (state) => state.run);
  const run = useSelected(stores.runs, (state) => runOf(state, selected));
  const zoomed = useSelected(stores.window, ({ windows }) => Object.keys(windows).length > 0);
  const shown = useCached(data.maps, FIRST);
  const kept = useCached(data.keyframes, SHOWN);
  const driven = useRef(new Map<string, DrivenMap>());
  const onDriven = useCallback((key: string, map: DrivenMap | null) => {
    if (map === null) driven.current.delete(key);
    else driven.current.set(key, map);
  }, []);
  // Nobody looks any more.
  useEffect(() => () => stores.playback.pause(), [stores]);

  const none =
    status.kind === 'failed'
      ? { title: 'There is no phase space to show', text: run?.error?.message ?? status.reason, tone: 'error' as const }
      : shown !== null
        ? null
        : status.kind === 'nothing'
          ? { title: 'No phase space yet', text: 'Run the scenario to see where its protons go.' }
          : status.kind === 'loaded' && kept?.frames.length === 0
            ? {
                title: 'This run kept no phase space',
                text: 'Its scenario asks for no keyframes: give it some under Output, and run it again.',
              }
            : null;

  return (
    <div className="plot-panel">
      <div className="panel-bar">
        <Place />
        <div className="panel-bar__tools">
          {zoomed ? (
            <IconButton icon="fit" size={14} label="Show the whole field" onPress={() => stores.window.reset()} />
          ) : null}
          <Button
            title="One pair of colour limits for all four maps"
            pressed={config.matched}
            onPress={() => store.setState({ matched: !config.matched })}
          >
            Match limits
          </Button>
          <Select
            label="Colour map"
            value={config.colorMap}
            options={colorMaps
              .filter((map) => map.kind === 'sequential')
              .map((map) => ({ value: map.name, label: map.title }))}
            onChange={(colorMap) => store.setState({ colorMap })}
          />
          <Segmented
            label="Scale"
            value={config.scale}
            options={scales}
            onChange={(scale) => store.setState({ scale })}
          />
          <ExportMenu
            what="the maps of phase space"
            disabled={shown === null}
            onChoose={(format) => void workbench.figures.save(quadFigure(run?.name ?? 'run', driven.current), format)}
          />
        </div>
      </div>
      <div className="phase-space">
        <div className="phase-space__maps">
          {phaseMaps.map((map) => (
            <MapCell key={map.key} map={map} store={store} onDriven={onDriven} />
          ))}
        </div>
        {none === null ? null : (
          <div className="plot-panel__cover">
            <EmptyState
              icon={none.tone === 'error' ? 'error' : 'quad'}
              title={none.title}
              {...(none.tone && { tone: none.tone })}
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
      <Scrubber shown={shown} />
    </div>
  );
}
