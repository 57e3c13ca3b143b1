/** Measures of a run of any workload that studies save. */
import type { Quantity } from '../../contract/bench/bench-session.ts';
import type { SessionReport } from '../../contract/bench/session.ts';
import type { Curve } from '../../contract/fields.ts';
import type { KeptCurve, Measure, MeasureGroup } from '../../contract/study/index.ts';
import { ENERGY_FACT, ENERGY_QUANTITY } from '../model/bench/conditions/energy.ts';

export interface Measured {
  /** The variant that ran, also if `auto` was requested. */
  readonly variant: string;
  readonly precision: string;
  /** Null if several variants were measured together. */
  readonly threads: number | null;
  /** Without `curves`. */
  readonly measures: readonly Measure[];
  readonly curves: readonly KeptCurve[];
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Measures of a group from a record of names and values; undefined values are omitted. */
export function measuresOf(
  group: Exclude<MeasureGroup, 'curves'>,
  unit: (name: string) => string,
  values: Readonly<Record<string, number | string | null | undefined>>,
): readonly Measure[] {
  return Object.entries(values).flatMap(([name, value]): readonly Measure[] => {
    if (value === undefined) return [];
    if (typeof value === 'string') return [{ group, name, unit: '', value }];
    return [{ group, name, unit: unit(name), value: value === null ? null : finite(value) }];
  });
}

export function keptCurve(name: string, { unit, axis, axisUnit, positions, values }: Curve): KeptCurve {
  return {
    name,
    unit,
    axis,
    axis_unit: axisUnit,
    positions: Array.from(positions, finite),
    values: Array.from(values, finite),
  };
}

/** The units that suffixes of names stand for. */
const suffixes = ['mm', 'MeV', 'mrad', 's', 'bytes', 'ns', 'A'] as const;

/** `r80_mm` is in mm, `plateau_MeV_per_mm` in MeV/mm; a name without such a suffix is a plain number. */
export function unitBySuffix(name: string): string {
  const [, above, below] = /_([A-Za-z]+)_per_([A-Za-z]+)$/.exec(name) ?? [];
  const known = (one: string | undefined): boolean => suffixes.some((suffix) => suffix === one);
  if (known(above) && known(below)) return `${above}/${below}`;
  const suffix = name.slice(name.lastIndexOf('_') + 1);
  return suffixes.find((one) => one === suffix && name.includes('_')) ?? '';
}

/** `of`: what was counted, or why nothing was. */
export const energyMeasures = (joules: number | null, of: string): readonly Measure[] => [
  { group: 'energy', name: 'energy_J', unit: 'J', value: joules },
  { group: 'energy', name: 'energy_of', unit: '', value: of },
];

/** Quantities of a session's entry, except energy, which is a group of its own. */
export const quantityReadouts = (quantities: readonly Quantity[]): readonly Measure[] =>
  quantities
    .filter(({ id }) => id !== ENERGY_QUANTITY)
    .map(({ id, unit, value }) => ({ group: 'readouts', name: id, unit, value }));

/** Energy of an entry as a session reports it; empty if energy was not requested. */
export function sessionEnergy(quantities: readonly Quantity[], facts: SessionReport['facts']): readonly Measure[] {
  const told = facts.filter(([name]) => name === ENERGY_FACT).map(([, value]) => value);
  if (told.length === 0) return [];
  const joules = quantities.find(({ id }) => id === ENERGY_QUANTITY)?.value ?? null;
  return energyMeasures(joules, `${joules === null ? 'not known: ' : ''}${told.join('; ')}`);
}
