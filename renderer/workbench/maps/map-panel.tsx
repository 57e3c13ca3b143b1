/** A panel with one map: toolbar, canvases, overlays, and drawer for a mark. */
import { type ReactElement, type ReactNode, useEffect, useMemo, useRef } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import type { FieldMap } from '../../../electron/contract/fields.ts';
import type { FeedStatus } from '../../data/run-data.ts';
import type { Limits } from '../../drawing/colormap.ts';
import { runNotes, runOf } from '../../state/runs.ts';
import { IconButton } from '../../widgets/controls/button.tsx';
import { ExportMenu, type ExportMenuProps } from '../../widgets/floating/menu.tsx';
import { DragToolChoice, MapDisplay } from '../../widgets/plots/map-display.tsx';
import { MapDrawer } from '../../widgets/plots/map-drawer.tsx';
import { PlotLayers } from '../../widgets/plots/plot-layers.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useSelected, useWorkbench } from '../context.ts';
import type { DrivenMap, MapCanvases, MapConfig, MapMarking } from './drive-map.ts';
import '../../widgets/plots/plots.css';
import { RunOffer } from '../offers.tsx';

interface MapPanelProps<T extends MapConfig, V extends MapMarking> {
  /** Name of the map, such as `dose map`. */
  readonly name: string;
  /** Name of the map at the start of a sentence. */
  readonly title: string;
  readonly store: StoreApi<T>;
  readonly view: StoreApi<V>;
  /** Must be a stable function while store and view are unchanged. */
  readonly drive: (canvases: MapCanvases) => DrivenMap;
  readonly status: FeedStatus;
  readonly field: FieldMap | null;
  /** Current limits, shown if the user has set none. */
  readonly limits: Limits | null;
  /** Unit until a field with a unit is available. */
  readonly unit: string;
  readonly keys: string;
  readonly whole: { readonly label: string; readonly zoomed: boolean; show(): void };
  readonly annotations: { readonly label: string; readonly shown: boolean; show(shown: boolean): void };
  readonly readout: ReactNode;
  /** Further rows of the display settings. */
  readonly rows: ReactNode;
  readonly files?: ExportMenuProps['files'];
  readonly words: { readonly failed: string; readonly first: string; readonly nothing: string };
  /** Overlay above the map. */
  readonly notes: ReactNode;
  /** Content below the map. */
  readonly below?: ReactNode;
}

export function MapPanel<T extends MapConfig, V extends MapMarking>(props: MapPanelProps<T, V>): ReactElement {
  const { name, title, store, view, drive, status, field, whole, annotations, words, files } = props;
  const { stores, figures, scheduler } = useWorkbench();
  const config = useSelected(store, (state) => state);
  const { tool, limits, mark } = useSelected(view, (state) => state);
  const below = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const driven = useRef<DrivenMap>(null);
  useEffect(() => {
    if (below.current === null || above.current === null) return;
    driven.current = drive({ below: below.current, above: above.current });
    return () => driven.current?.stop();
  }, [drive]);
  const selected = useSelected(stores.selection, (state) => state.run);
  const run = useSelected(stores.runs, (state) => runOf(state, selected));
  const notes = useMemo(() => runNotes(run), [run]);
  const configure = (change: Partial<MapConfig>): void => store.setState(change as Partial<T>);
  const marking = (change: Partial<MapMarking>): void => view.setState(change as Partial<V>);
  const note = (text: string): ReactElement => (
    <p className="plot-panel__note" role="status">
      {text}
    </p>
  );
  return (
    <div className="plot-panel">
      <div className="panel-bar">
        {props.readout}
        <div className="panel-bar__tools">
          <IconButton icon="fit" size={14} label={whole.label} disabled={!whole.zoomed} onPress={() => whole.show()} />
          <IconButton
            icon="pin"
            size={14}
            label={annotations.label}
            pressed={annotations.shown}
            onPress={() => annotations.show(!annotations.shown)}
          />
          <DragToolChoice value={tool} onChange={(next) => marking({ tool: next })} />
          <MapDisplay
            mapName={name}
            value={{ ...config, limits }}
            shown={props.limits}
            unit={field?.unit ?? props.unit}
            onChange={({ limits: set, ...change }) => {
              if (Object.keys(change).length > 0) configure(change);
              if (set !== undefined) marking({ limits: set });
            }}
          >
            {props.rows}
          </MapDisplay>
          <ExportMenu
            what={`the ${name}`}
            disabled={field === null}
            onChoose={(format) => void figures.save(driven.current?.figure() ?? null, format)}
            {...(files && { files })}
          />
        </div>
      </div>
      <div className="plot-panel__body">
        <PlotLayers
          below={below}
          above={above}
          label={field === null ? `${title}, empty` : `${title} of ${run?.name ?? 'the run'}; ${props.keys}`}
          keys
        />
        {status.kind === 'failed' ? (
          <div className="plot-panel__cover">
            <EmptyState icon="error" tone="error" title={words.failed} action={<RunOffer />}>
              {run?.error?.message ?? status.reason}
            </EmptyState>
          </div>
        ) : null}
        {props.notes}
        {field === null && status.kind === 'waiting'
          ? note(run?.state === 'queued' ? 'Waiting for the run before it.' : words.first)
          : null}
        {field === null && status.kind === 'nothing' ? (
          <div className="plot-panel__note plot-panel__note--acts">
            {words.nothing} <RunOffer />
          </div>
        ) : null}
      </div>
      {props.below}
      {mark === null || field === null ? null : (
        <MapDrawer
          field={field}
          mark={mark}
          scale={config.scale}
          scheduler={scheduler}
          name={run?.name ?? 'run'}
          notes={notes}
          onExport={(figure, format) => void figures.save(figure, format)}
          onClose={() => marking({ mark: null })}
        />
      )}
    </div>
  );
}
