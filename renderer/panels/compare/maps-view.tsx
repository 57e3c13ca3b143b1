/** Dose maps side by side: one window, one crosshair, one range of colours, or what they differ by. */
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import type { ComparedMap } from '../../../electron/contract/comparison.ts';
import { errorSize, significant } from '../../base/numbers.ts';
import { colorMaps } from '../../drawing/colormap.ts';
import { joined } from '../../drawing/export/figure.ts';
import { paintHeading } from '../../drawing/export/raster.ts';
import type { PaintedFigure } from '../../drawing/map-view.ts';
import type { Limits } from '../../drawing/normalisation.ts';
import { errorText } from '../../state/notices.ts';
import { Button } from '../../widgets/button.tsx';
import { ExportMenu } from '../../widgets/export-menu.tsx';
import { Segmented } from '../../widgets/segmented.tsx';
import { Select } from '../../widgets/select.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { NoDoses, useDosed } from './curves-view.tsx';
import { MapTile } from './map-tile.tsx';
import { nameOf, type ShownRow } from './rows.ts';
import type { CompareStore } from './store.ts';

const scales = [
  { value: 'linear', label: 'lin', title: 'Linear scale' },
  { value: 'log', label: 'log', title: 'Logarithmic scale' },
] as const;

const kinds = [
  { value: 'dose', label: 'dose' },
  { value: 'difference', label: 'difference', title: 'Less the reference' },
] as const;

/** More device pixels per tile than a screen has are not asked for. */
const PIXELS = 1024;

function limitsOf(maps: readonly ComparedMap[], difference: boolean): Limits | null {
  const fields = maps.flatMap(({ map, difference: less }) => (difference ? less : map) ?? []);
  if (fields.length === 0) return null;
  if (!difference) {
    return { low: Math.min(...fields.map(({ min }) => min)), high: Math.max(...fields.map(({ max }) => max)) };
  }
  const reach = Math.max(...fields.map(({ min, max }) => Math.max(Math.abs(min), Math.abs(max)))) || 1;
  return { low: -reach, high: reach };
}

/** Of one map, about zero for a difference. */
function ownLimits(map: ComparedMap, difference: boolean): Limits | null {
  return difference ? limitsOf([map], true) : null;
}

export function MapsView({
  store,
  rows,
}: {
  readonly store: CompareStore;
  readonly rows: readonly ShownRow[];
}): ReactElement {
  const workbench = useWorkbench();
  const { client, stores, figures } = workbench;
  const config = useSelected(store, (state) => state);
  const dosed = useDosed(rows);
  const windows = useSelected(stores.window, (state) => state.windows);
  const [maps, setMaps] = useState<readonly ComparedMap[]>([]);
  const parts = useRef(new Map<string, () => PaintedFigure | null>());
  const { z, x } = windows;
  const asked = JSON.stringify({
    subjects: dosed.map(({ subject }) => subject),
    reference: Math.max(
      0,
      dosed.findIndex((one) => one.reference),
    ),
    viewport: { horizontal: z ?? null, vertical: x ?? null, pixels: [PIXELS, PIXELS] },
  });
  useEffect(() => {
    const params = JSON.parse(asked) as Parameters<typeof client.call<'compare.maps'>>[1];
    if (params.subjects.length === 0) return setMaps([]);
    let current = true;
    client.call('compare.maps', params).then(
      (answer) => current && setMaps(answer.maps),
      (error: unknown) => current && stores.notices.fail(`The maps were not read: ${errorText(error)}`, error),
    );
    return () => {
      current = false;
    };
  }, [client, stores, asked]);
  const shared = useMemo(() => limitsOf(maps, config.difference), [maps, config.difference]);
  if (dosed.length === 0) return <NoDoses />;
  const visible = dosed
    .map((shown, i) => ({ shown, map: maps[i] }))
    .filter(({ shown }) => !shown.hidden && !(config.difference && shown.reference));
  const largest = config.difference && shared !== null ? shared.high : null;
  return (
    <>
      <div className="compare-bar">
        <span className="panel-readout">
          {largest === null
            ? 'Dose in the z–x plane; the crosshair and the window are those of all plots.'
            : `Less the reference, cell by cell; at most ${significant(largest, 2)} MeV/mm².`}
        </span>
        <div className="panel-bar__tools">
          <Segmented
            label="Maps of"
            value={config.difference ? 'difference' : 'dose'}
            options={kinds}
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
                value={config.scale === 'log' ? 'log' : 'linear'}
                options={scales}
                onChange={(scale) => store.setState({ scale })}
              />
            </>
          )}
          <ExportMenu
            what="maps"
            onChoose={(format) => {
              const made = visible.flatMap(({ shown }) => parts.current.get(shown.key)?.() ?? []);
              const labels = visible.map(({ shown }) => nameOf(shown, rows));
              const title = config.difference ? 'Dose less the reference' : 'Dose';
              const one = joined(made, { name: 'dose-maps', title, columns: 2, labels }, paintHeading);
              void figures.save(made.length === 0 ? null : one, format);
            }}
          />
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the keyboard's focus */}
      <section className="compare-scroll compare-maps" aria-label="Dose maps" tabIndex={0}>
        {visible.map(({ shown, map }) => (
          <MapTile
            key={shown.key}
            title={nameOf(shown, rows)}
            aside={shown.row.rel_l2 === null ? '' : `relL2 ${errorSize(shown.row.rel_l2)}`}
            field={(config.difference ? map?.difference : map?.map) ?? null}
            reason={map?.reason ?? null}
            style={
              config.difference
                ? { colorMap: 'berlin', scale: 'linear' }
                : { colorMap: config.colorMap, scale: config.scale }
            }
            limits={config.matched ? shared : map === undefined ? null : ownLimits(map, config.difference)}
            quantity={config.difference ? 'Difference' : 'Dose'}
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
