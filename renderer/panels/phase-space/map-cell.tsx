/** One of the four maps with its axes and the value at the crosshair. */
import { type ReactElement, useEffect, useRef } from 'react';
import type { AxisName } from '../../../electron/contract/fields.ts';
import type { GridSize } from '../../../electron/contract/scenario/transport/workload.ts';
import { narrowResolvedScenario } from '../../../electron/contract/scenarios.ts';
import { fixedDigits, significant } from '../../../electron/domain/numbers.ts';
import { SHOWN_KEY } from '../../data/run-data.ts';
import { RunFeed } from '../../data/run-feed.ts';
import { probe } from '../../drawing/field-statistics.ts';
import { runOf } from '../../state/runs.ts';
import { shownCrosshair } from '../../state/selection.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { Popover, PopoverRow } from '../../widgets/floating/popover.tsx';
import { PlotLayers } from '../../widgets/plots/plot-layers.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import type { DrivenMap } from '../../workbench/maps/drive-map.ts';
import { drivePhaseMap } from './controller.ts';
import {
  axisNames,
  axisSymbols,
  axisUnits,
  cacheKey,
  cellsOf,
  cutsFor,
  type HiddenCuts,
  hiddenAxes,
  hiddenText,
  type PhaseAxes,
  type PhaseSpaceStore,
  type PhaseViewStore,
  positionOf,
  type SlotKey,
  slots,
  titleOf,
  withAxis,
} from './maps.ts';

/** Controls for the two axes that a map does not show: summed over, or cut at a cell. */
const choices = [
  { value: 'sum', label: 'sum', title: 'Sum over all cells' },
  { value: 'cut', label: 'cut', title: 'One cell of the axis' },
] as const;

interface HiddenAxesProps {
  readonly axes: PhaseAxes;
  readonly cuts: HiddenCuts;
  /** Grid of the shown run; null if not loaded. */
  readonly grid: GridSize | null;
  /** Position in the unit of the axis; null if not loaded. */
  readonly position: (axis: AxisName, index: number) => number | null;
  readonly live: boolean;
  readonly onChange: (cuts: HiddenCuts) => void;
}

function HiddenAxes({ axes, cuts, grid, position, live, onChange }: HiddenAxesProps): ReactElement {
  const place = (axis: AxisName, index: number): string => {
    const at = position(axis, index);
    return at === null ? `cell ${index}` : `${fixedDigits(at, 1)} ${axisUnits[axis]}`;
  };
  const without = (axis: AxisName): HiddenCuts => cuts.filter((cut) => cut.axis !== axis);
  const set = (axis: AxisName, index: number | null): void =>
    onChange(index === null ? without(axis) : [...without(axis), { axis, index }]);
  return (
    <Popover
      label={`Axes that ${titleOf(axes)} does not show`}
      text={hiddenText(axes, cuts, ({ axis, index }) => place(axis, index))}
      active={cuts.length > 0}
    >
      {hiddenAxes(axes).map((axis) => {
        const cut = cuts.find((each) => each.axis === axis);
        const cells = grid === null ? 0 : cellsOf(axis, grid);
        return (
          <PopoverRow key={axis} name={`${axisSymbols[axis]}${cut === undefined ? '' : ` ${place(axis, cut.index)}`}`}>
            <Segmented
              label={`${axisSymbols[axis]}: sum or cut`}
              value={cut === undefined ? 'sum' : 'cut'}
              options={choices}
              onChange={(choice) => set(axis, choice === 'sum' ? null : Math.floor(cells / 2))}
            />
            {cut === undefined ? null : (
              <input
                type="range"
                aria-label={`Cell of ${axisSymbols[axis]}`}
                aria-valuetext={`cell ${cut.index} of ${cells}, ${place(axis, cut.index)}`}
                min={0}
                max={Math.max(0, cells - 1)}
                value={cut.index}
                onChange={(event) => set(axis, Number(event.target.value))}
              />
            )}
          </PopoverRow>
        );
      })}
      <p className="popover__note">
        {live
          ? 'Cuts are computed from the phase space of the run in progress.'
          : 'A finished run contains only sums: a cut recomputes its steps up to this one.'}
      </p>
    </Popover>
  );
}

interface MapCellProps {
  readonly slot: SlotKey;
  readonly store: PhaseSpaceStore;
  readonly view: PhaseViewStore;
  /** Called with the map's controller, and with null after it has stopped. */
  readonly onDriven: (slot: SlotKey, driven: DrivenMap | null) => void;
}

function Value({ slot, axes }: { readonly slot: SlotKey; readonly axes: PhaseAxes }): ReactElement | null {
  const { stores, data } = useWorkbench();
  const at = useSelected(stores.selection, shownCrosshair);
  const shown = useCached(data.maps, cacheKey(slot));
  const [horizontal, vertical] = [at?.[axes.horizontal], at?.[axes.vertical]];
  if (shown === null) return null;
  if (horizontal === undefined || vertical === undefined) {
    return <span className="phase-cell__value clip muted">{shown.field.unit}</span>;
  }
  const hit = probe(shown.field, horizontal, vertical);
  return (
    <output
      className="phase-cell__value clip muted"
      aria-live="off"
      data-testid={`value-phase-space/${axes.horizontal}-${axes.vertical}`}
    >
      <b>{hit === null ? '–' : significant(hit.value, 4)}</b> {shown.field.unit}
    </output>
  );
}

const axisOptions = axisNames.map((axis) => ({ value: axis, label: axisSymbols[axis] }));

interface AxesProps extends Omit<MapCellProps, 'onDriven'> {
  readonly axes: PhaseAxes;
}

/** Selects for the axes serve as the map's heading. */
function Axes({ slot, axes, store, view }: AxesProps): ReactElement {
  const { stores, data } = useWorkbench();
  const selected = useSelected(stores.selection, (state) => state.run);
  const run = useSelected(stores.runs, (state) => runOf(state, selected));
  const cuts = cutsFor(axes, useSelected(view, (state) => state.cuts[slot]) ?? []);
  // Render again with every new map, because positions follow from the maps' axes.
  useCached(data.maps, cacheKey(slot));
  const choose = (place: keyof PhaseAxes, axis: AxisName): void => {
    store.setState((state) => ({ maps: { ...state.maps, [slot]: withAxis(axes, place, axis) } }));
    view.setState((state) => ({
      marked: state.marked?.slot === slot ? null : state.marked,
      limits: Object.fromEntries(Object.entries(state.limits).filter(([key]) => key !== slot)),
    }));
  };
  const title = titleOf(axes);
  const grid =
    narrowResolvedScenario('transport', useCached(data.reference, SHOWN_KEY)?.resolved ?? null)?.grid ?? null;
  return (
    <h2 aria-label={title}>
      <Select
        label={`Horizontal axis of ${title}`}
        value={axes.horizontal}
        options={axisOptions}
        onChange={(axis) => choose('horizontal', axis as AxisName)}
      />
      <span aria-hidden="true">–</span>
      <Select
        label={`Vertical axis of ${title}`}
        value={axes.vertical}
        options={axisOptions}
        onChange={(axis) => choose('vertical', axis as AxisName)}
      />
      <HiddenAxes
        axes={axes}
        cuts={cuts}
        grid={grid}
        live={run?.state === 'running'}
        position={(axis, index) => {
          const fields = slots.flatMap((each) => data.maps.get(cacheKey(each))?.field ?? []);
          return grid === null ? null : positionOf(axis, index, cellsOf(axis, grid), fields);
        }}
        onChange={(next) => view.setState((state) => ({ cuts: { ...state.cuts, [slot]: next } }))}
      />
    </h2>
  );
}

export function MapCell({ slot, store, view, onDriven }: MapCellProps): ReactElement {
  const workbench = useWorkbench();
  const axes = useSelected(store, (state) => state.maps[slot]);
  const cut = useSelected(view, (state) => cutsFor(axes, state.cuts[slot] ?? []).length > 0);
  const below = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const empty = useCached(workbench.data.maps, cacheKey(slot)) === null;
  const trouble = useCached(workbench.data.mapErrors, cacheKey(slot));
  const computing = useCached(workbench.data.computing, cacheKey(slot));
  useEffect(() => {
    if (below.current === null || above.current === null) return;
    const driven = drivePhaseMap(workbench, store, view, slot, { below: below.current, above: above.current });
    onDriven(slot, driven);
    return () => {
      onDriven(slot, null);
      driven.stop();
    };
  }, [workbench, store, view, slot, onDriven]);
  const title = titleOf(axes);
  return (
    <section className="stack" aria-label={`Phase space ${title}`}>
      <header className="phase-cell__head between flex center gap-l nowrap">
        <Axes slot={slot} axes={axes} store={store} view={view} />
        <Value slot={slot} axes={axes} />
      </header>
      <div className="grow relative">
        <PlotLayers
          below={below}
          above={above}
          label={empty ? `Protons over ${title}, empty` : `Protons over ${title}; the arrow keys move the crosshair`}
          keys
        />
        {trouble === null ? null : (
          <div className="phase-cell__trouble center overlay stack gap-l muted" role="status">
            <p>{trouble}</p>
            <Button onPress={() => workbench.feeds.of(RunFeed).computeAgain()}>Try again</Button>
            {cut ? (
              <Button onPress={() => view.setState((state) => ({ cuts: { ...state.cuts, [slot]: [] } }))}>
                Show the sum
              </Button>
            ) : null}
          </div>
        )}
        {computing === null ? null : (
          <div className="phase-cell__computing flex center wrap ink rounded floating" role="status">
            <span>
              {computing.steps === 0
                ? 'This step is recomputed'
                : `Computing step ${computing.step} of ${computing.steps}`}
            </span>
            <progress
              aria-label="Recomputing this step"
              max={Math.max(1, computing.steps)}
              value={computing.steps === 0 ? undefined : computing.step}
            />
            <Button onPress={() => workbench.feeds.of(RunFeed).stopComputing()}>Stop</Button>
          </div>
        )}
      </div>
    </section>
  );
}
