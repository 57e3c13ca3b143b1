/** Dose in the z–x plane. */
import { type ReactElement, useCallback, useMemo } from 'react';
import { exportsOf } from '../../../electron/contract/workload.ts';
import { fixedDigits, significant } from '../../../electron/domain/numbers.ts';
import { RunFeed } from '../../data/run-feed.ts';
import { probe } from '../../drawing/field-statistics.ts';
import { hasResult, runOf } from '../../state/runs.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { PopoverRow } from '../../widgets/floating/popover.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { shownScenario, useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import type { MapCanvases } from '../../workbench/maps/drive-map.ts';
import { MapPanel } from '../../workbench/maps/map-panel.tsx';
import { RunOffer } from '../../workbench/offers.tsx';
import { ComparisonNote, ComparisonRows } from './comparison.tsx';
import { DENSITY_MAP, driveDoseMap, GAMMA_LIMITS, shownKey } from './controller.ts';
import { createDoseMapStore, createDoseViewStore } from './store.ts';

// Value and position at the crosshair.

/** Decimals needed to distinguish neighbouring cells. */
function decimalsOf(cell_mm: number): number {
  return Math.min(4, Math.max(1, Math.ceil(-Math.log10(cell_mm)) + 1));
}

const readingNames: Readonly<Record<string, string>> = {
  dose: 'dose',
  'dose per mass': 'dose',
  'dose in Gy': 'dose',
  'gamma index': 'gamma',
  LETd: 'LETd',
  LETt: 'LETt',
};

/** `underKey`: cache key of the grey map below. */
function DoseReadout({ mapKey, underKey }: { readonly mapKey: string; readonly underKey: string }): ReactElement {
  const { stores, data } = useWorkbench();
  const crosshair = useSelected(stores.selection, shownCrosshair);
  const pinned = useSelected(stores.selection, (state) => state.hover === null && state.pinned !== null);
  const shown = useCached(data.maps, mapKey);
  const under = useCached(data.maps, underKey);
  if (crosshair?.z === undefined || crosshair.x === undefined || shown === null) {
    return (
      <span className="panel-readout panel-readout--none">
        Point at the map to read values; click to pin the crosshair.
      </span>
    );
  }
  const { field } = shown;
  const hit = probe(field, crosshair.z, crosshair.x);
  const matter = under === null ? null : probe(under.field, crosshair.z, crosshair.x);
  const digits = (axis: { from: number; to: number; count: number }): number =>
    decimalsOf((axis.to - axis.from) / axis.count);
  return (
    <output className="panel-readout" aria-live="off" data-testid="dose-readout">
      {pinned ? <span className="panel-readout__pin" title="Pinned; Esc releases it" /> : null}
      <span>
        z <b>{fixedDigits(crosshair.z, digits(field.horizontal))}</b> mm
      </span>
      <span>
        x <b>{fixedDigits(crosshair.x, digits(field.vertical))}</b> mm
      </span>
      <span>
        {readingNames[field.quantity] ?? 'difference'}{' '}
        <b>{hit === null || Number.isNaN(hit.value) ? '–' : significant(hit.value, 4)}</b> {field.unit}
      </span>
      {matter === null || Number.isNaN(matter.value) ? null : (
        <span>
          in <b>{significant(matter.value, 3)}</b> g/cm³
        </span>
      )}
    </output>
  );
}

const units = [
  { value: 'area', label: 'MeV/mm²: energy per area', title: 'Energy per area of the map' },
  {
    value: 'mass',
    label: 'nGy mm: dose summed over y',
    title: 'Energy per mass with the density of each cell: Gy times mm, because the model integrates over y',
  },
  { value: 'gray', label: 'Gy per 10⁹ protons', title: 'Dose in three dimensions, for layered matter' },
  { value: 'letd', label: 'LETd', title: 'LET in water averaged over dose, of all protons; for runs with LET' },
  { value: 'lett', label: 'LETt', title: 'LET in water averaged over tracks, of all protons; for runs with LET' },
  { value: 'density', label: 'g/cm³: density of the matter', title: 'A CT as the solver sees it' },
] as const;

const densityOptions = [
  { value: 'ct', label: 'with a CT', title: 'Only for matter from a CT' },
  { value: 'always', label: 'always', title: 'For any matter' },
  { value: 'off', label: 'never', title: 'Colours alone' },
] as const;

const greys = [
  { value: 'whole', label: 'all', title: 'Black at 0, white at 2 g/cm³' },
  { value: 'soft', label: 'soft tissue', title: 'Black at 0.85, white at 1.15 g/cm³' },
  { value: 'lung', label: 'lung', title: 'Black at 0, white at 1.1 g/cm³' },
] as const;

/** Matches image exports for map viewers; other exports are in the file menu. */
const IMAGE = /-(mha|nrrd)$/;

export default function DoseMapPanel(): ReactElement {
  const workbench = useWorkbench();
  const { stores, data, storage, settingsReset, feeds } = workbench;
  const feed = feeds.of(RunFeed);
  const store = useMemo(() => createDoseMapStore(storage, settingsReset), [storage, settingsReset]);
  const view = useMemo(createDoseViewStore, []);
  const { marks, unit, y_mm, matter, greys: window } = useSelected(store, (state) => state);
  const against = useSelected(view, (state) => state.against);
  const drive = useCallback(
    (canvases: MapCanvases) => driveDoseMap(workbench, store, view, canvases),
    [workbench, store, view],
  );
  const status = useSelected(feed.status, (state) => state.status);
  const selected = useSelected(stores.selection, (state) => state.run);
  const run = useSelected(stores.runs, (state) => runOf(state, selected));
  const files = run === null || !hasResult(run) ? [] : exportsOf('transport').filter(({ id }) => IMAGE.test(id));
  const known = useSelected(stores.scenario, () => shownScenario('transport', workbench) !== null);
  const zoomed = useSelected(stores.window, ({ windows }) => windows.z !== undefined || windows.x !== undefined);
  const field = useCached(data.maps, shownKey(against))?.field ?? null;
  const underIsThere = useCached(data.maps, DENSITY_MAP) !== null;
  const trouble = useCached(data.mapErrors, shownKey(against));
  const own = field === null ? null : { low: field.min, high: field.max };
  return (
    <MapPanel
      name="dose map"
      title="Dose map"
      store={store}
      view={view}
      drive={drive}
      status={status}
      field={field}
      limits={against.kind === 'gamma' ? GAMMA_LIMITS : own}
      unit="MeV/mm²"
      keys="the arrow keys move the crosshair"
      whole={{ label: 'Show the whole field', zoomed, show: () => stores.window.reset() }}
      annotations={{
        label: 'Regions and reference lines',
        shown: marks,
        show: (shown) => store.setState({ marks: shown }),
      }}
      readout={<DoseReadout mapKey={shownKey(against)} underKey={DENSITY_MAP} />}
      rows={
        <>
          <PopoverRow name="Unit">
            <Select
              label="Unit of the dose map"
              value={unit}
              title={units.find(({ value }) => value === unit)?.title ?? ''}
              options={units}
              onChange={(chosen) => {
                const next = units.find(({ value }) => value === chosen);
                if (next === undefined) return;
                store.setState({ unit: next.value });
                view.setState({ limits: null });
              }}
            />
          </PopoverRow>
          {unit !== 'gray' ? null : (
            <PopoverRow name="Across y">
              <NumberField
                label="Distance in y from the beam axis, perpendicular to the map"
                value={y_mm}
                unit="mm"
                placeholder={0}
                min={-1000}
                max={1000}
                onChange={(value) => {
                  if (typeof value === 'number') store.setState({ y_mm: value });
                }}
              />
            </PopoverRow>
          )}
          {unit === 'density' ? null : (
            <>
              <PopoverRow name="In grey">
                <Segmented
                  label="Matter in grey under the dose"
                  value={matter}
                  options={densityOptions}
                  onChange={(next) => store.setState({ matter: next })}
                />
              </PopoverRow>
              {matter === 'off' || !underIsThere ? null : (
                <PopoverRow name="Greys">
                  <Segmented
                    label="Density range of the grey scale"
                    value={window}
                    options={greys}
                    onChange={(next) => store.setState({ greys: next })}
                  />
                </PopoverRow>
              )}
            </>
          )}
          <ComparisonRows view={view} />
        </>
      }
      files={files.map(({ id, title }) => ({
        id,
        label: title,
        onChoose: () => run !== null && void workbench.runs.exportAs(run.id, id),
      }))}
      words={{
        failed: 'There is no dose to show',
        first: 'Waiting for the first step…',
        nothing: known ? 'The geometry of the scenario. Run it to see the dose.' : 'The scenario has no geometry yet.',
      }}
      notes={
        <>
          {trouble === null ? null : (
            <div className="plot-panel__cover">
              <EmptyState
                icon="map"
                title={against.kind === 'none' ? 'This map does not exist' : 'These two cannot be compared'}
                action={
                  against.kind === 'none' ? (
                    <RunOffer />
                  ) : (
                    <Button onPress={() => view.setState({ against: { kind: 'none' }, limits: null, mark: null })}>
                      Show this dose alone
                    </Button>
                  )
                }
              >
                {trouble}
              </EmptyState>
            </div>
          )}
          <ComparisonNote view={view} />
        </>
      }
    />
  );
}
