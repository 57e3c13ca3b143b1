/** Selects the reference of a dose: none, another run (as a difference), or a run or file (as a gamma index). */
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { planeUnits } from '../../../electron/contract/dose/units.ts';
import {
  type GammaQuantity,
  gammaLimits,
  type ImportedDoseInfo,
  type ImportedPlane,
  PENCIL_DOSE_UNIT,
} from '../../../electron/contract/dose.ts';
import type { RunId } from '../../../electron/contract/run.ts';
import { percent } from '../../../electron/domain/numbers.ts';
import { hasEnded, runOf } from '../../state/runs.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { PopoverRow } from '../../widgets/floating/popover.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { FileAxes, OpenDose } from './comparison-file.tsx';
import { type ComparedDose, comparedName, comparedRun, type DoseViewStore, type GammaReference } from './store.ts';

const kinds = [
  { value: 'difference', label: 'difference', title: 'This dose minus the other' },
  { value: 'gamma', label: 'gamma', title: 'Gamma index of this dose at the cells of the other' },
] as const;

const dosesBy = [
  { value: 'mass', label: 'by mass', title: 'Dose: energy per mass of each cell' },
  { value: 'area', label: 'by area', title: 'Energy per area of each cell: largest in dense matter' },
] as const;

const shares = [
  { value: 'global', label: 'global', title: 'The dose criterion is a percentage of the largest dose' },
  { value: 'local', label: 'local', title: 'The dose criterion is a percentage of the dose in each cell' },
] as const;

const presets = [
  { dose: 0.01, distance_mm: 1 },
  { dose: 0.02, distance_mm: 2 },
  { dose: 0.03, distance_mm: 3 },
] as const;

const defaultGamma = { kind: 'gamma', by: 'mass', local: false, ...presets[0] } as const;

/** Prefix that distinguishes imported doses from run ids in the select's values. */
const FILE = 'file:';
/** Maximum number of imported doses, equal to the host's limit. */
const MAX_IMPORTED = 4;
const unshiftedPlane = (dose: string): ImportedPlane => ({
  ...{ dose, shift_depth_mm: 0, shift_across_mm: 0 },
  unit: null,
});

/** Text about how the two doses are scaled for the comparison. */
function scaleText(of: GammaReference): string {
  if (of.kind === 'run') return '';
  return of.plane.unit === null ? ', both scaled to their largest value' : ', in absolute terms';
}

const criteriaText = ({ dose, distance_mm }: { readonly dose: number; readonly distance_mm: number }): string =>
  `${Number((100 * dose).toPrecision(4))} %/${distance_mm} mm`;

const isWithin = (value: number, [low, high]: readonly [number, number]): boolean => value >= low && value <= high;

interface GammaRowsProps {
  readonly against: Extract<ComparedDose, { kind: 'gamma' }>;
  /** True if the other dose has a unit, which determines the compared quantity. */
  readonly absolute: boolean;
  readonly set: (next: ComparedDose) => void;
}

/** Inputs for the criteria of a gamma index. */
function GammaRows({ against, absolute, set }: GammaRowsProps): ReactElement {
  return (
    <>
      <PopoverRow name="Criteria">
        {presets.map((preset) => (
          <Button
            key={criteriaText(preset)}
            pressed={against.dose === preset.dose && against.distance_mm === preset.distance_mm}
            onPress={() => set({ ...against, ...preset })}
          >
            {criteriaText(preset)}
          </Button>
        ))}
      </PopoverRow>
      {absolute ? null : (
        <PopoverRow name="Dose">
          <Segmented
            label="Quantity for the gamma index"
            value={against.by}
            options={dosesBy}
            onChange={(by) => set({ ...against, by })}
          />
        </PopoverRow>
      )}
      <PopoverRow name="Share">
        <Segmented
          label="Reference of the dose criterion"
          value={against.local ? 'local' : 'global'}
          options={shares}
          onChange={(value) => set({ ...against, local: value === 'local' })}
        />
      </PopoverRow>
      <PopoverRow name="Own">
        <NumberField
          label="Dose criterion, percent of the largest"
          value={Number((100 * against.dose).toPrecision(6))}
          unit="1"
          placeholder={1}
          min={100 * gammaLimits.dose[0]}
          max={100 * gammaLimits.dose[1]}
          onChange={(value) => {
            if (typeof value === 'number' && isWithin(value / 100, gammaLimits.dose)) {
              set({ ...against, dose: value / 100 });
            }
          }}
        />
        %
        <NumberField
          label="Distance criterion"
          value={against.distance_mm}
          unit="mm"
          placeholder={1}
          min={gammaLimits.distance_mm[0]}
          max={gammaLimits.distance_mm[1]}
          onChange={(value) => {
            if (typeof value === 'number' && isWithin(value, gammaLimits.distance_mm)) {
              set({ ...against, distance_mm: value });
            }
          }}
        />
      </PopoverRow>
    </>
  );
}

export function ComparisonRows({ view }: { readonly view: DoseViewStore }): ReactElement {
  const { stores } = useWorkbench();
  const { against, imported } = useSelected(view, (state) => state);
  const selected = useSelected(stores.selection, (state) => state.run);
  const runs = useSelected(stores.runs, (state) => state.runs);
  const others = runs.filter((run) => run.id !== selected && hasEnded(run.state) && run.error === null);
  const set = (next: ComparedDose): void => view.setState({ against: next, limits: null, mark: null });
  const toRun = (run: RunId): void => {
    if (against.kind === 'gamma') set({ ...against, of: { kind: 'run', run } });
    else set({ kind: 'difference', run });
  };
  const toFile = (plane: ImportedPlane): void => {
    const of = { kind: 'file', plane } as const;
    const requested = against.kind === 'gamma' ? against : defaultGamma;
    // The unit in the file determines the quantity to compare.
    set({ ...requested, of, by: plane.unit === null ? requested.by : planeUnits[plane.unit].by });
  };
  const run = comparedRun(against);
  const plane = against.kind === 'gamma' && against.of.kind === 'file' ? against.of.plane : null;
  const info = imported.find(({ id }) => id === plane?.dose);
  return (
    <>
      <PopoverRow name="Against">
        <Select
          label="Dose to compare with"
          value={plane === null ? (run ?? '') : `${FILE}${plane.dose}`}
          options={[
            { value: '', label: 'nothing' },
            ...imported.map(({ id, name }) => ({ value: `${FILE}${id}`, label: `file ${name}` })),
            ...others.map(({ id, name, variant, precision }) => ({
              value: id,
              label: `${name} · ${variant} ${precision}`,
            })),
          ]}
          onChange={(chosen) => {
            if (chosen === '') set({ kind: 'none' });
            else if (chosen.startsWith(FILE)) toFile(unshiftedPlane(chosen.slice(FILE.length)));
            else toRun(chosen);
          }}
        />
      </PopoverRow>
      {others.length === 0 ? <p className="popover__note">Another finished run can be shown here.</p> : null}
      <OpenDose
        onOpen={(opened) => {
          view.setState((state) => ({ imported: [...state.imported, opened].slice(-MAX_IMPORTED) }));
          toFile(unshiftedPlane(opened.id));
        }}
      />
      <PencilBeams
        run={selected}
        onTrace={(traced) => {
          view.setState((state) => ({ imported: [...state.imported, traced].slice(-MAX_IMPORTED) }));
          toFile({ ...unshiftedPlane(traced.id), unit: PENCIL_DOSE_UNIT });
        }}
      />
      {plane === null || info === undefined ? null : <FileAxes info={info} plane={plane} onChange={toFile} />}
      {run === null ? null : (
        <PopoverRow name="By">
          <Segmented
            label="Comparison of the doses"
            value={against.kind === 'gamma' ? 'gamma' : 'difference'}
            options={kinds}
            onChange={(kind) => set(kind === 'gamma' ? { ...defaultGamma, of: { kind: 'run', run } } : { kind, run })}
          />
        </PopoverRow>
      )}
      {against.kind === 'gamma' ? <GammaRows against={against} absolute={plane?.unit != null} set={set} /> : null}
    </>
  );
}

interface PencilBeamsProps {
  readonly run: RunId | null;
  readonly onTrace: (traced: ImportedDoseInfo) => void;
}

/** Computes the run's beam as a sum of pencil beams, each along its own axis, and compares the run with this dose. */
function PencilBeams({ run, onTrace }: PencilBeamsProps): ReactElement {
  const { client, stores } = useWorkbench();
  const going = useRef<AbortController | null>(null);
  const [tracing, setTracing] = useState(false);
  useEffect(() => () => going.current?.abort(), []);
  const info = useSelected(stores.runs, (state) => runOf(state, run));
  const trace = async (of: RunId): Promise<void> => {
    const ending = new AbortController();
    going.current = ending;
    setTracing(true);
    try {
      const file = stores.scenario.getState().file?.file ?? null;
      const outcome = await client.callCancellable('dose.pencils', { run: of, file }, ending.signal);
      if (outcome.status === 'done') {
        const { pencils: _pencils, columns: _columns, seconds: _seconds, ...traced } = outcome.value;
        onTrace(traced);
      }
    } catch (error) {
      stores.notices.fail('The pencil beams could not be computed', error);
    } finally {
      setTracing(false);
    }
  };
  return (
    <PopoverRow name="Pencils">
      {tracing ? (
        <Button icon="stop" onPress={() => going.current?.abort()}>
          Stop tracing
        </Button>
      ) : (
        <Button
          disabled={info === null || !hasEnded(info.state) || info.error !== null}
          title="Divides the beam into pencil beams as wide as a column of cells, and solves each in the material of its column"
          onPress={() => run !== null && void trace(run)}
        >
          Trace along their axes
        </Button>
      )}
    </PopoverRow>
  );
}

const BAR = 3;
const HEIGHT = 18;

/** Histogram of gamma from 0 to 3. Bins that fail the criterion have another colour. */
function GammaHistogram({ histogram }: { readonly histogram: readonly number[] }): ReactElement {
  const most = Math.max(1, ...histogram);
  const label = histogram.flatMap((count, i) => (count === 0 ? [] : [`${(i / 10).toFixed(1)}: ${count}`])).join(', ');
  return (
    <svg
      width={BAR * histogram.length}
      height={HEIGHT}
      role="img"
      aria-label={`Distribution of gamma: ${label}`}
      data-testid="gamma-histogram"
    >
      {histogram.map((count, i) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is identified by its position
          key={i}
          x={BAR * i}
          y={HEIGHT - (HEIGHT * count) / most}
          width={BAR - 0.5}
          height={(HEIGHT * count) / most}
          fill={`var(--${i < 10 ? 'series-1' : 'series-2'})`}
        />
      ))}
    </svg>
  );
}

/** Quantity that the gamma index compares, in words. */
function gammaQuantityText(asked: GammaQuantity, by: GammaQuantity): string {
  if (by === 'mass') return 'dose per mass';
  return asked === by ? 'energy per area' : 'energy per area (one run was stored without densities)';
}

/** Note over the map that names the reference of the comparison. */
export function ComparisonNote({ view }: { readonly view: DoseViewStore }): ReactElement | null {
  const { stores } = useWorkbench();
  const { against, gamma, imported } = useSelected(view, (state) => state);
  const name = useSelected(stores.runs, (runs) => comparedName(runs, { against, imported }));
  if (against.kind === 'none' || name === null) return null;
  return (
    <p className="plot-panel__note" role="status" data-testid="dose-against">
      {against.kind === 'difference' ? `Less ${name}` : null}
      {against.kind === 'gamma' && gamma === null ? `Gamma ${criteriaText(against)} against ${name}…` : null}
      {against.kind === 'gamma' && gamma !== null
        ? `Gamma ${criteriaText(against)}${against.local ? ' local' : ''} of ${gammaQuantityText(against.by, gamma.by)} against ${name}: ${percent(gamma.passed)} of ${gamma.points} cells pass${scaleText(against.of)} `
        : null}
      {against.kind === 'gamma' && gamma !== null ? <GammaHistogram histogram={gamma.histogram} /> : null}
    </p>
  );
}
