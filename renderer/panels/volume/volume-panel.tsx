/** Panel of the dose in three dimensions: three slices through a common cursor. */
import { type ReactElement, useMemo, useRef, useState } from 'react';
import type { VolumeAxis, volumeFileExtensions } from '../../../electron/contract/beams/volume.ts';
import { count, fixedDigits, percent, significant } from '../../../electron/domain/numbers.ts';
import { sameJson } from '../../base/same-json.ts';
import { VolumeFeed, type VolumeSettings, volumeAxes } from '../../data/volume-feed.ts';
import type { Limits } from '../../drawing/colormap.ts';
import { combineFigures } from '../../drawing/export/figure.ts';
import { paintHeading } from '../../drawing/export/raster.ts';
import { probe } from '../../drawing/field-statistics.ts';
import type { MapPoint, PaintedFigure } from '../../drawing/map-view.ts';
import { documentTitle } from '../../state/scenario.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { ExportMenu } from '../../widgets/floating/menu.tsx';
import { Popover, PopoverRow } from '../../widgets/floating/popover.tsx';
import { MapDisplay } from '../../widgets/plots/map-display.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { offerFile, safeFileName } from '../../workbench/actions/save-file.ts';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { initialMapConfig, type MapConfig } from '../../workbench/maps/drive-map.ts';
import { MapTile } from '../../workbench/maps/map-tile.tsx';
import { PanelOffer } from '../../workbench/offers.tsx';
import type { Plane } from '../../workbench/workload.ts';
import '../../widgets/plots/plots.css';

/** Horizontal and vertical axis of the slice perpendicular to each axis. */
const slices = {
  y: { horizontal: 'z', vertical: 'x', title: 'Depth and x' },
  x: { horizontal: 'z', vertical: 'y', title: 'Depth and y' },
  z: { horizontal: 'x', vertical: 'y', title: 'x and y' },
} as const satisfies Readonly<
  Record<VolumeAxis, { readonly horizontal: VolumeAxis; readonly vertical: VolumeAxis; readonly title: string }>
>;

const axisTitles: Readonly<Record<VolumeAxis, string>> = { x: 'Across x', y: 'Across y', z: 'Depth z' };
const axisNames: Readonly<Record<VolumeAxis, string>> = { x: 'x', y: 'y', z: 'depth' };

const doses = [
  { value: 'billion', label: '10⁹ protons', title: 'Dose per 10⁹ protons of the field' },
  { value: 'mu', label: 'MU', title: 'Dose per monitor unit' },
  {
    value: 'field',
    label: 'field',
    title: 'Dose of all protons of the field, whose number is given by the weights of the spots',
  },
] as const;

const files = [
  { ending: 'mha', label: 'MetaImage (.mha)' },
  { ending: 'nrrd', label: 'NRRD (.nrrd)' },
  { ending: 'dcm', label: 'RT Dose (.dcm)' },
] as const satisfies readonly { readonly ending: (typeof volumeFileExtensions)[number]; readonly label: string }[];

/** Plane of a slice: its crosshair is the common cursor, or the pointer on any slice. */
function planeOf(feed: VolumeFeed, across: VolumeAxis): Plane {
  const { horizontal, vertical } = slices[across];
  const toPoint = (point: MapPoint) => ({ [horizontal]: point.horizontal, [vertical]: point.vertical });
  return {
    horizontal: { title: axisTitles[horizontal], unit: 'mm' },
    vertical: { title: axisTitles[vertical], unit: 'mm' },
    quantity: 'Dose',
    pixels: false,
    scale: 'linear',
    least: 0,
    windows: () => {
      const { windows } = feed.state.getState();
      return { horizontal: windows[horizontal], vertical: windows[vertical] };
    },
    zoom: (changes) =>
      feed.zoom({
        ...(changes.horizontal !== undefined && { [horizontal]: changes.horizontal }),
        ...(changes.vertical !== undefined && { [vertical]: changes.vertical }),
      }),
    resetZoom: () => feed.zoom({ x: null, y: null, z: null }),
    hover: (point) => feed.hover(point && toPoint(point)),
    pin: (point) => feed.moveTo(toPoint(point)),
    crosshair: () => {
      const { at, hover } = feed.state.getState();
      return { horizontal: hover?.[horizontal] ?? at[horizontal], vertical: hover?.[vertical] ?? at[vertical] };
    },
    subscribe: (listener) => feed.state.subscribe(listener),
  };
}

/** Position and dose at the pointer, or else at the cursor. */
function Readout({ feed }: { readonly feed: VolumeFeed }): ReactElement {
  const { at, hover, volume } = useSelected(feed.state, (state) => state);
  // The pointer sets two axes; the slice that contains it is perpendicular to the third.
  const across = volumeAxes.find((axis) => hover !== null && hover[axis] === undefined) ?? 'y';
  const field = useCached(feed.slices, across);
  const point = { ...at, ...hover };
  const { horizontal, vertical } = slices[across];
  const value = field === null ? null : (probe(field, point[horizontal], point[vertical])?.value ?? null);
  return (
    <output className="panel-readout" aria-live="off" data-testid="volume-readout">
      <span>
        <b>{value === null ? '–' : significant(value, 4)}</b> {volume?.unit}
      </span>
      {(['x', 'y', 'z'] as const).map((axis) => (
        <span key={axis}>
          {axisNames[axis]} <b>{fixedDigits(point[axis], 1)}</b> mm
        </span>
      ))}
    </output>
  );
}

const numberOr = (value: number | string | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined;

function Settings({ feed }: { readonly feed: VolumeFeed }): ReactElement {
  const settings = useSelected(feed.state, (state) => state.settings);
  const field = (key: 'cell_mm' | 'across_mm', name: string, label: string, max: number, otherwise: number | null) => (
    <PopoverRow name={name}>
      <NumberField
        label={label}
        value={settings[key]}
        unit="mm"
        placeholder={otherwise}
        min={0.01}
        max={max}
        onChange={(value) => feed.set({ [key]: numberOr(value) } as Partial<VolumeSettings>)}
      />
    </PopoverRow>
  );
  return (
    <Popover label="Settings of the dose in three dimensions" text="Settings">
      <PopoverRow name="Dose per">
        <Segmented label="Dose per" value={settings.dose} options={doses} onChange={(dose) => feed.set({ dose })} />
      </PopoverRow>
      {settings.dose !== 'mu' ? null : (
        <PopoverRow name="Protons">
          <NumberField
            label="Protons per monitor unit"
            value={settings.protons_per_mu}
            unit="1"
            placeholder={null}
            min={1}
            max={1e15}
            invalid={settings.protons_per_mu === undefined}
            onChange={(value) => feed.set({ protons_per_mu: numberOr(value) })}
          />
        </PopoverRow>
      )}
      {field('cell_mm', 'Cells', 'Side of a cell across the beam', 100, 2)}
      {field('across_mm', 'Width', 'Side of the square across the beam', 2000, null)}
      <p className="popover__note">
        Without a width, the square contains the dose of every spot. Cells along depth are those of the scenario.
      </p>
    </Popover>
  );
}

function ComputeButton({ feed, primary }: { readonly feed: VolumeFeed; readonly primary: boolean }): ReactElement {
  const { stores } = useWorkbench();
  const { phase, settings } = useSelected(feed.state, (state) => state);
  if (phase === 'waiting' || phase === 'solving') {
    return (
      <Button icon="stop" onPress={() => feed.stop()}>
        Stop
      </Button>
    );
  }
  const start = (): void => {
    stores.scenario.endEdit();
    const state = stores.scenario.getState();
    feed.start(state.draft, state.file?.file ?? null, documentTitle(state));
  };
  const missing = settings.dose === 'mu' && settings.protons_per_mu === undefined;
  return (
    <Button action="run" icon="run" tone={primary ? 'primary' : 'normal'} disabled={missing} onPress={start}>
      {phase === 'solved' ? 'Compute again' : 'Compute the dose'}
    </Button>
  );
}

/** Parts of the computation that are finished. */
function Progress({ feed }: { readonly feed: VolumeFeed }): ReactElement {
  const { phase, progress } = useSelected(feed.state, (state) => state);
  const { kinds = 0, solved = 0, summed = 0, planes = 1 } = progress ?? {};
  const words =
    phase === 'waiting'
      ? 'Waiting for another computation'
      : kinds === 0
        ? 'Reading the tables'
        : solved < kinds
          ? `Solved ${count(solved)} of ${count(kinds)} kinds of spots`
          : `Summed ${count(summed)} of ${count(planes)} planes`;
  return (
    <EmptyState icon="clock" title={words} action={<ComputeButton feed={feed} primary={false} />}>
      {/* Each kind of spot and each plane of depth counts as one part. */}
      <progress value={solved + summed} max={Math.max(1, kinds + planes)} aria-label="Progress of the dose" />
    </EmptyState>
  );
}

function NoVolume({ feed }: { readonly feed: VolumeFeed }): ReactElement {
  const { stores } = useWorkbench();
  const { phase, reasons } = useSelected(feed.state, (state) => state);
  const faulty = useSelected(
    stores.scenario,
    ({ check }) => check?.issues.some(({ severity }) => severity === 'error') ?? false,
  );
  if (phase === 'waiting' || phase === 'solving') return <Progress feed={feed} />;
  const action = (
    <span className="flex center wrap gap-m">
      {faulty ? (
        <PanelOffer panel="scenario" icon="sliders" label="Show the errors in the form" />
      ) : (
        <ComputeButton feed={feed} primary />
      )}
      <Settings feed={feed} />
    </span>
  );
  if (phase === 'failed') {
    return (
      <EmptyState icon="error" tone="error" title="There is no dose in three dimensions" action={action}>
        {reasons.map((reason) => (
          <p key={reason}>{reason}</p>
        ))}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon="map" title={phase === 'stopped' ? 'Stopped' : 'Dose in three dimensions'} action={action}>
      The dose of the beam or of all spots in x, y and depth. Matter must lie in layers perpendicular to the beam.
    </EmptyState>
  );
}

/** One line with the size of the dose, its maximum, and the share of the energy that is deposited in its cells. */
function Summary({ feed }: { readonly feed: VolumeFeed }): ReactElement | null {
  const { stores } = useWorkbench();
  const { volume, scenario, name, reasons } = useSelected(feed.state, (state) => state);
  const draft = useSelected(stores.scenario, (state) => state.draft);
  const changed = useMemo(() => scenario !== null && !sameJson(scenario, draft), [scenario, draft]);
  if (volume === null) return null;
  const { sizes, most, unit, energy, spots, seconds } = volume;
  return (
    <p className="panel-bar muted" role="status" data-testid="volume-summary">
      {name}: {count(spots)} {spots === 1 ? 'spot' : 'spots'}, {sizes.map((size) => count(size)).join(' × ')} cells in{' '}
      {significant(seconds, 2)} s. Largest dose {significant(most, 4)} {unit}. {percent(energy.deposited / energy.in)}{' '}
      of the energy is in the cells.
      {changed ? ' The form has changed since: compute again.' : ''}
      {reasons.length === 0 ? '' : ` ${reasons.join(' ')}`}
    </p>
  );
}

export default function VolumePanel(): ReactElement {
  const { client, stores, feeds, figures } = useWorkbench();
  const feed = feeds.of(VolumeFeed);
  const { volume, at, name } = useSelected(feed.state, (state) => state);
  const [config, setConfig] = useState<MapConfig>({ ...initialMapConfig, scale: 'linear' });
  const [limits, setLimits] = useState<Limits | null>(null);
  const planes = useMemo(() => ({ x: planeOf(feed, 'x'), y: planeOf(feed, 'y'), z: planeOf(feed, 'z') }), [feed]);
  const fields = { x: useCached(feed.slices, 'x'), y: useCached(feed.slices, 'y'), z: useCached(feed.slices, 'z') };
  const parts = useRef(new Map<VolumeAxis, () => PaintedFigure | null>());
  const windows = useSelected(feed.state, (state) => state.windows);
  if (volume === null) {
    return (
      <div className="stack wide">
        <NoVolume feed={feed} />
      </div>
    );
  }
  const own: Limits = { low: config.scale === 'log' ? (fields.y?.minPositive ?? 0) : 0, high: volume.most };
  const asideOf = (across: VolumeAxis): string => `at ${axisNames[across]} = ${fixedDigits(at[across], 1)} mm`;
  const write = async (ending: (typeof volumeFileExtensions)[number]): Promise<void> => {
    try {
      const { mime, bytes } = await feed.file(ending);
      await offerFile({ client, stores }, { name: `${safeFileName(name)}-dose.${ending}`, mime, bytes });
    } catch (error) {
      stores.notices.fail('The dose could not be written', error);
    }
  };
  return (
    <div className="plot-panel">
      <div className="panel-bar">
        <Readout feed={feed} />
        <div className="panel-bar__tools">
          <IconButton
            icon="fit"
            size={14}
            label="Show the whole dose"
            disabled={Object.keys(windows).length === 0}
            onPress={() => feed.zoom({ x: null, y: null, z: null })}
          />
          <ComputeButton feed={feed} primary={false} />
          <Settings feed={feed} />
          <MapDisplay
            mapName="slices"
            value={{ ...config, limits }}
            shown={own}
            unit={volume.unit}
            onChange={({ limits: set, ...change }) => {
              setConfig((before) => ({ ...before, ...change }));
              if (set !== undefined) setLimits(set);
            }}
          />
          <ExportMenu
            what="the slices"
            onChoose={(format) => {
              const shown = volumeAxes.flatMap((axis) => {
                const made = parts.current.get(axis)?.() ?? null;
                return made === null ? [] : [{ made, label: `${slices[axis].title}, ${asideOf(axis)}` }];
              });
              const about = { name: `${name}-slices`, title: `${name}: dose`, columns: 2 };
              const joined = combineFigures(
                shown.map(({ made }) => made),
                { ...about, labels: shown.map(({ label }) => label) },
                paintHeading,
              );
              void figures.save(shown.length === 0 ? null : joined, format);
            }}
            files={files.map(({ ending, label }) => ({ id: ending, label, onChoose: () => void write(ending) }))}
          />
        </div>
      </div>
      <Summary feed={feed} />
      <section
        className="map-tiles grid gap-l grow scroll"
        style={{ gridAutoRows: 'minmax(11rem, 1fr)' }}
        aria-label="Slices of the dose"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
        tabIndex={0}
      >
        {volumeAxes.map((across) => (
          <MapTile
            key={across}
            title={slices[across].title}
            aside={asideOf(across)}
            plane={planes[across]}
            field={fields[across]}
            reason={null}
            style={config}
            limits={limits ?? own}
            quantity="Dose"
            onFigure={(make) => {
              if (make === null) parts.current.delete(across);
              else parts.current.set(across, make);
            }}
          />
        ))}
      </section>
    </div>
  );
}
