/** What studies keep of a run of any workload. */
import type { Curve } from '../../contract/fields.ts';
import type { KeptCurve, Measure, MeasureGroup } from '../../contract/study/index.ts';

export interface Measured {
  /** As solved, where `auto` was asked for. */
  readonly variant: string;
  readonly precision: string;
  /** Null where several variants were measured together. */
  readonly threads: number | null;
  /** Without `curves`. */
  readonly measures: readonly Measure[];
  readonly curves: readonly KeptCurve[];
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Measures of a group from names to values; what is left out is not kept. */
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
