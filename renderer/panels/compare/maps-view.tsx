/** Shows results side by side with a shared window, crosshair and colour range, or their differences. */
import { type ReactElement, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { ComparedMap } from '../../../electron/contract/bench/comparison.ts';
import { significant } from '../../../electron/domain/numbers.ts';
import { accuracyText } from '../../../electron/domain/session-table.ts';
import { colorMaps, type Limits } from '../../drawing/colormap.ts';
import { combineFigures } from '../../drawing/export/figure.ts';
import { paintHeading } from '../../drawing/export/raster.ts';
import type { PaintedFigure } from '../../drawing/map-view.ts';
import { errorText } from '../../state/notices.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { ExportMenu } from '../../widgets/floating/menu.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { MapTile } from '../../workbench/maps/map-tile.tsx';
import type { Plane } from '../../workbench/workload.ts';
import { type CompareStore, type ShownRow, shownRowName, useRowsBench } from './store.ts';

const scales = [
  { value: 'linear', label: 'lin', title: 'Linear scale' },
  { value: 'log', label: 'log', title: 'Logarithmic scale' },
] as const;

const kinds = (quantity: string) =>
  [
    { value: 'dose', label: quantity.toLowerCase() },
    { value: 'difference', label: 'difference', title: 'Minus the reference' },
  ] as const;

/** Maximum samples per tile and axis, in device pixels. */
const PIXELS = 1024;

function limitsOf(maps: readonly ComparedMap[], difference: boolean, least: number): Limits | null {
  const fields = maps.flatMap(({ map, difference: less }) => (difference ? less : map) ?? []);
  if (fields.length === 0) return null;
  if (!difference) {
    const high = Math.max(...fields.map(({ max }) => max));
    return { low: Math.max(high * least, Math.min(...fields.map(({ min }) => min))), high };
  }
  const reach = Math.max(...fields.map(({ min, max }) => Math.max(Math.abs(min), Math.abs(max)))) || 1;
  return { low: -reach, high: reach };
}

/** Reason why there are no maps. Null if there are maps to show. */
function reasonOf(plane: Plane | null, rows: readonly ShownRow[]): string | null {
  if (plane === null) return 'This workload has no maps: its checks are in the table.';
  if (rows.length > 0) return null;
  return 'Stored sessions contain times but no results. Benchmark variants here, or add runs.';
}

/** Caption of a map: the row's first accuracy measure. */
function captionOf({ row }: ShownRow): string {
  const [measure] = row.accuracy;
  return measure === undefined ? '' : `${measure.title} ${accuracyText(measure)}`;
}

const noWindows = { horizontal: undefined, vertical: undefined } as const;

/** Window that the plots of this plane share. Returns a new object only if the window changes. */
function useWindows(plane: Plane | null): ReturnType<Plane['windows']> {
  const last = useRef<ReturnType<Plane['windows']>>(noWindows);
  return useSyncExternalStore(plane?.subscribe ?? noReadout, () => {
    const next = plane?.windows() ?? noWindows;
    const same = next.horizontal === last.current.horizontal && next.vertical === last.current.vertical;
    if (!same) last.current = next;
    return last.current;
  });
}

const noReadout = (): (() => void) => () => undefined;

/**
 * Maps of these rows in these windows, downsampled by the host. The previous maps stay until the host answers a new
 * request.
 */
function useMaps(rows: readonly ShownRow[], windows: ReturnType<Plane['windows']>): readonly ComparedMap[] {
  const { client, stores } = useWorkbench();
  const [maps, setMaps] = useState<readonly ComparedMap[]>([]);
  const requested = JSON.stringify({
    subjects: rows.map(({ subject }) => subject),
    reference: Math.max(
      0,
      rows.findIndex((one) => one.reference),
    ),
    viewport: { horizontal: windows.horizontal ?? null, vertical: windows.vertical ?? null, pixels: [PIXELS, PIXELS] },
  });
  useEffect(() => {
    const params = JSON.parse(requested) as Parameters<typeof client.call<'compare.maps'>>[1];
    if (params.subjects.length === 0) return setMaps([]);
    let current = true;
    client.call('compare.maps', params).then(
      (answer) => current && setMaps(answer.maps),
      (error: unknown) => current && stores.notices.fail(`The maps could not be read: ${errorText(error)}`, error),
    );
    return () => {
      current = false;
    };
  }, [client, stores, requested]);
  return maps;
}

interface MapsChoiceProps {
  readonly store: CompareStore;
  readonly quantity: string;
  readonly scale: Plane['scale'];
}

/** Quantity, scale and drawing options of the maps. */
function MapsChoice({ store, quantity, scale }: MapsChoiceProps): ReactElement {
  const config = useSelected(store, (state) => state);
  return (
    <>
      <Segmented
        label="Maps of"
        value={config.difference ? 'difference' : 'dose'}
        options={kinds(quantity)}
        onChange={(kind) => store.setState({ difference: kind === 'difference' })}
      />
      <Button pressed={config.matched} tone="quiet" onPress={() => store.setState({ matched: !config.matched })}>
        Match limits
      </Button>
      {config.difference ? null : (
        <>
          <Select
            label="Colour map"
            value={config.colorMap}
            options={colorMaps
              .filter(({ kind }) => kind === 'sequential')
              .map(({ name, title }) => ({ value: name, label: title }))}
            onChange={(colorMap) => store.setState({ colorMap })}
          />
          <Segmented
            label="Scale"
            value={scale === 'log' ? 'log' : 'linear'}
            options={scales}
            onChange={(scale) => store.setState({ scale })}
          />
        </>
      )}
    </>
  );
}

export function MapsView({
  store,
  rows,
}: {
  readonly store: CompareStore;
  readonly rows: readonly ShownRow[];
}): ReactElement {
  const workbench = useWorkbench();
  const { stores, figures, workloads } = workbench;
  const config = useSelected(store, (state) => state);
  const { workload } = useRowsBench(rows);
  const plane = useMemo(() => workloads[workload].plane?.(stores) ?? null, [workloads, workload, stores]);
  const dosed = useMemo(
    () => rows.filter(({ row, hidden, reference }) => row.has_map && (!hidden || reference)),
    [rows],
  );
  const windows = useWindows(plane);
  const maps = useMaps(dosed, windows);
  const parts = useRef(new Map<string, () => PaintedFigure | null>());
  const scale = config.scale ?? plane?.scale ?? 'linear';
  const least = scale === 'log' ? (plane?.least ?? 0) : 0;
  const shared = useMemo(() => limitsOf(maps, config.difference, least), [maps, config.difference, least]);
  const reason = reasonOf(plane, dosed);
  if (plane === null || reason !== null) {
    return (
      <EmptyState
        icon="map"
        title="Nothing to show"
        action={
          plane === null ? (
            <Button onPress={() => store.setState({ view: 'table' })}>Show the table</Button>
          ) : (
            <Button icon="list" onPress={() => store.setState({ view: 'choose' })}>
              Choose runs and variants
            </Button>
          )
        }
      >
        {reason}
      </EmptyState>
    );
  }
  const unit = maps.find(({ map }) => map !== null)?.map?.unit ?? '';
  const visible = dosed
    .map((shown, i) => ({ shown, map: maps[i] }))
    .filter(({ shown }) => !shown.hidden && !(config.difference && shown.reference));
  const largest = config.difference && shared !== null ? shared.high : null;
  return (
    <>
      <div className="compare-bar">
        <span className="panel-readout">
          {largest === null
            ? `${plane.quantity} over ${plane.horizontal.title.toLowerCase()} and ${plane.vertical.title.toLowerCase()}; crosshair and visible range are shared with all plots.`
            : `Minus the reference, cell by cell; at most ${significant(largest, 2)} ${unit}.`}
        </span>
        <div className="panel-bar__tools">
          <MapsChoice store={store} quantity={plane.quantity} scale={scale} />
          <ExportMenu
            what="maps"
            onChoose={(format) => {
              const made = visible.flatMap(({ shown }) => parts.current.get(shown.key)?.() ?? []);
              const labels = visible.map(({ shown }) => shownRowName(shown, rows));
              const title = config.difference ? `${plane.quantity} minus the reference` : plane.quantity;
              const one = combineFigures(
                made,
                { name: `${plane.quantity.toLowerCase()}-maps`, title, columns: 2, labels },
                paintHeading,
              );
              void figures.save(made.length === 0 ? null : one, format);
            }}
          />
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
      <section className="compare-scroll map-tiles grid gap-l" aria-label={`${plane.quantity} maps`} tabIndex={0}>
        {visible.map(({ shown, map }) => (
          <MapTile
            key={shown.key}
            title={shownRowName(shown, rows)}
            aside={captionOf(shown)}
            plane={plane}
            field={(config.difference ? map?.difference : map?.map) ?? null}
            reason={map?.reason ?? null}
            style={config.difference ? { colorMap: 'berlin', scale: 'linear' } : { colorMap: config.colorMap, scale }}
            limits={config.matched ? shared : map === undefined ? null : limitsOf([map], config.difference, least)}
            quantity={config.difference ? 'Difference' : plane.quantity}
            onFigure={(make) => {
              if (make === null) parts.current.delete(shown.key);
              else parts.current.set(shown.key, make);
            }}
          />
        ))}
      </section>
    </>
  );
}
