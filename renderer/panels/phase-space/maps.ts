/**
 * The four maps of phase space and what they show. No React.
 *
 * They stand so that maps above each other share their horizontal axis and
 * maps beside each other their vertical one: the crosshair runs through.
 */
import type { AxisName, FieldMap, Interval, MapAxis } from '../../../electron/contract/fields.ts';
import type { ShownMap } from '../../data/run-data.ts';
import type { MapScene, MapStyle, ShownAxis } from '../../drawing/map-view.ts';
import { drawableLimits, type Limits } from '../../drawing/normalisation.ts';
import type { PhaseSpaceState } from './store.ts';

export interface PhaseMap {
  /** In the data cache. */
  readonly key: string;
  readonly horizontal: AxisName;
  readonly vertical: AxisName;
  /** Axes summed over, as the reader is told. */
  readonly title: string;
}

const map = (horizontal: AxisName, vertical: AxisName, title: string): PhaseMap => ({
  key: `phase-space/${horizontal}-${vertical}`,
  horizontal,
  vertical,
  title,
});

/** Row by row. */
export const phaseMaps: readonly PhaseMap[] = [
  map('z', 'x', 'z – x'),
  map('theta', 'x', 'θ – x'),
  map('z', 'e', 'z – E'),
  map('theta', 'e', 'θ – E'),
];

export const axisSymbols: Readonly<Record<AxisName, string>> = { z: 'z', x: 'x', theta: 'θ', e: 'E' };
export const axisUnits: Readonly<Record<AxisName, string>> = { z: 'mm', x: 'mm', theta: 'mrad', e: 'MeV' };
const axisTitles: Readonly<Record<AxisName, string>> = {
  z: 'Depth z',
  x: 'Across x',
  theta: 'Angle θ',
  e: 'Energy E',
};

export type Windows = Readonly<Partial<Record<AxisName, Interval>>>;

function shownAxis(axis: MapAxis, windows: Windows): ShownAxis {
  const [from, to] = windows[axis.name] ?? [axis.fullFrom, axis.fullTo];
  return { title: axisTitles[axis.name], unit: axis.unit, from, to };
}

export function phaseScene({ field }: ShownMap, windows: Windows): MapScene {
  return {
    horizontal: shownAxis(field.horizontal, windows),
    vertical: shownAxis(field.vertical, windows),
    field,
    quantityTitle: null,
    annotations: [],
  };
}

/** Limits that hold for all fields at once on the scale; null when there are none. */
export function commonLimits(fields: readonly FieldMap[], scale: PhaseSpaceState['scale']): Limits | null {
  if (fields.length === 0) return null;
  const low = Math.min(...fields.map(({ min }) => min));
  const high = Math.max(...fields.map(({ max }) => max));
  const positive = fields.map(({ minPositive }) => minPositive).filter((value) => value > 0);
  return drawableLimits(scale, { low, high }, positive.length === 0 ? 0 : Math.min(...positive));
}

export function limitsOf(fields: readonly FieldMap[], config: PhaseSpaceState): MapStyle['limits'] {
  return config.matched ? commonLimits(fields, config.scale) : null;
}

/** As many decimals as tell two cells of the axis apart. */
export function axisDecimals({ from, to, count }: Pick<MapAxis, 'from' | 'to' | 'count'>): number {
  return Math.min(4, Math.max(1, Math.ceil(-Math.log10((to - from) / count)) + 1));
}
