/** The four maps of phase space and what they show. No React. */
import type { AxisName, FieldMap, Interval, MapAxis } from '../../../electron/contract/fields.ts';
import type { Cut } from '../../../electron/contract/run.ts';
import type { GridSize } from '../../../electron/contract/scenario/transport/workload.ts';
import type { ShownMap } from '../../data/run-data.ts';
import type { MapScene, MapStyle, ShownAxis } from '../../drawing/map-view.ts';
import { drawableLimits, type Limits, type ScaleKind } from '../../drawing/normalisation.ts';

/** The places of the four maps, row by row. */
export const slots = ['a', 'b', 'c', 'd'] as const;
export type SlotKey = (typeof slots)[number];

export interface PhaseAxes {
  readonly horizontal: AxisName;
  readonly vertical: AxisName;
}

/** Cuts of the axes that a map does not show; the other is summed. */
export type HiddenCuts = readonly Cut[];

/**
 * Maps in a column share their horizontal axis, and maps in a row their vertical one, so the crosshair runs through.
 */
export const defaultAxes: Readonly<Record<SlotKey, PhaseAxes>> = {
  a: { horizontal: 'z', vertical: 'x' },
  b: { horizontal: 'theta', vertical: 'x' },
  c: { horizontal: 'z', vertical: 'e' },
  d: { horizontal: 'theta', vertical: 'e' },
};

/** Key of a map in the data cache. */
export const cacheKey = (slot: SlotKey): string => `phase-space/${slot}`;

export const axisNames: readonly AxisName[] = ['z', 'x', 'theta', 'e'];
export const axisSymbols: Readonly<Record<AxisName, string>> = { z: 'z', x: 'x', theta: 'θ', e: 'E' };
export const axisUnits: Readonly<Record<AxisName, string>> = { z: 'mm', x: 'mm', theta: 'mrad', e: 'MeV' };
const axisTitles: Readonly<Record<AxisName, string>> = {
  z: 'Depth z',
  x: 'Across x',
  theta: 'Angle θ',
  e: 'Energy E',
};

export function titleOf({ horizontal, vertical }: PhaseAxes): string {
  return `${axisSymbols[horizontal]} – ${axisSymbols[vertical]}`;
}

export function hiddenAxes({ horizontal, vertical }: PhaseAxes): readonly AxisName[] {
  return axisNames.filter((axis) => axis !== horizontal && axis !== vertical);
}

/** With another axis in one place: where that axis stood before, the old one goes. */
export function withAxis(axes: PhaseAxes, place: keyof PhaseAxes, axis: AxisName): PhaseAxes {
  const other = place === 'horizontal' ? 'vertical' : 'horizontal';
  return { ...axes, [place]: axis, ...(axes[other] === axis && { [other]: axes[place] }) };
}

/** Cuts that still make sense for these axes. */
export function cutsFor(axes: PhaseAxes, cuts: HiddenCuts): HiddenCuts {
  const hidden = hiddenAxes(axes);
  return cuts.filter(({ axis }) => hidden.includes(axis));
}

export function cellsOf(axis: AxisName, { ne, ntheta, nz, nx }: GridSize): number {
  return { e: ne, theta: ntheta, z: nz, x: nx }[axis];
}

/** The middle of a cell of the whole grid, from the axes of any map that shows this axis whole; null where none does. */
export function positionOf(axis: AxisName, index: number, cells: number, fields: readonly FieldMap[]): number | null {
  for (const { horizontal, vertical } of fields) {
    const found = horizontal.name === axis ? horizontal : vertical.name === axis ? vertical : null;
    if (found === null) continue;
    const { edges, fullFrom, fullTo, from, count } = found;
    if (edges === null) return fullFrom + ((index + 0.5) * (fullTo - fullFrom)) / cells;
    if (from === fullFrom && count === cells) return ((edges[index] ?? 0) + (edges[index + 1] ?? 0)) / 2;
  }
  return null;
}

/** Such as `Σ θ, E at 43.2 MeV`: what became of the axes that are not shown. */
export function hiddenText(axes: PhaseAxes, cuts: HiddenCuts, place: (cut: Cut) => string): string {
  return hiddenAxes(axes)
    .map((axis) => {
      const cut = cuts.find((each) => each.axis === axis);
      return cut === undefined ? `Σ${axisSymbols[axis]}` : `${axisSymbols[axis]} ${place(cut)}`;
    })
    .join(', ');
}

type Windows = Readonly<Partial<Record<AxisName, Interval>>>;

function shownAxis(axis: MapAxis, windows: Windows): ShownAxis {
  const name = axis.name as AxisName;
  const [from, to] = windows[name] ?? [axis.fullFrom, axis.fullTo];
  return { title: axisTitles[name], unit: axis.unit, from, to };
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

export function isDifference({ quantity }: Pick<FieldMap, 'quantity'>): boolean {
  return quantity.endsWith('difference');
}

/** Limits that hold for all fields at once on the scale; null when there are none. Of differences around zero. */
export function commonLimits(fields: readonly FieldMap[], scale: ScaleKind): Limits | null {
  if (fields.length === 0) return null;
  const low = Math.min(...fields.map(({ min }) => min));
  const high = Math.max(...fields.map(({ max }) => max));
  if (fields.some(isDifference)) {
    const size = Math.max(Math.abs(low), Math.abs(high));
    return drawableLimits('linear', { low: -size, high: size }, 0);
  }
  const positive = fields.map(({ minPositive }) => minPositive).filter((value) => value > 0);
  return drawableLimits(scale, { low, high }, positive.length === 0 ? 0 : Math.min(...positive));
}

/** Limits set by the user; otherwise common limits if matched. Null if each map uses its own. */
export function limitsOf(
  fields: readonly FieldMap[],
  config: { readonly matched: boolean; readonly scale: ScaleKind },
  own: Limits | null = null,
): MapStyle['limits'] {
  if (own !== null) return own;
  return config.matched ? commonLimits(fields, config.scale) : null;
}

/** As many decimals as tell two cells of the axis apart. */
export function axisDecimals({ from, to, count }: Pick<MapAxis, 'from' | 'to' | 'count'>): number {
  return Math.min(4, Math.max(1, Math.ceil(-Math.log10((to - from) / count)) + 1));
}
