/**
 * The four maps of phase space: axes, contents and errors. Colours and axes are saved per user; other state is reset
 * when the panel closes. No React.
 */
import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import {
  type AxisName,
  axisNameSchema,
  type FieldMap,
  type Interval,
  type MapAxis,
} from '../../../electron/contract/fields.ts';
import type { Cut, RunId } from '../../../electron/contract/run.ts';
import type { GridSize } from '../../../electron/contract/scenario/transport/workload.ts';
import type { ShownMap } from '../../data/run-data.ts';
import { drawableLimits, type Limits, type ScaleKind } from '../../drawing/colormap.ts';
import type { DragTool } from '../../drawing/map-gestures.ts';
import type { MapMark, MapScene, MapStyle, ShownAxis } from '../../drawing/map-view.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';
import { useCached, useWorkbench } from '../../workbench/context.ts';
import { initialMapConfig, mapConfigShape } from '../../workbench/maps/drive-map.ts';

/** Slots of the four maps, row by row. */
export const slots = ['a', 'b', 'c', 'd'] as const;
export type SlotKey = (typeof slots)[number];

export interface PhaseAxes {
  readonly horizontal: AxisName;
  readonly vertical: AxisName;
}

/** Cuts of the axes that a map does not show; an axis without a cut is summed over. */
export type HiddenCuts = readonly Cut[];

/**
 * Pairs of position, angle and energy come first. z comes last because a beam has one depth at any moment, so z fills
 * only one column of a map.
 */
export const defaultAxes: Readonly<Record<SlotKey, PhaseAxes>> = {
  a: { horizontal: 'theta', vertical: 'x' },
  b: { horizontal: 'e', vertical: 'x' },
  c: { horizontal: 'theta', vertical: 'e' },
  d: { horizontal: 'z', vertical: 'x' },
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

/** Shows `axis` in one direction. If the other direction already shows it, the two are swapped. */
export function withAxis(axes: PhaseAxes, place: keyof PhaseAxes, axis: AxisName): PhaseAxes {
  const other = place === 'horizontal' ? 'vertical' : 'horizontal';
  return { ...axes, [place]: axis, ...(axes[other] === axis && { [other]: axes[place] }) };
}

/** Cuts that remain valid for these axes. */
export function cutsFor(axes: PhaseAxes, cuts: HiddenCuts): HiddenCuts {
  const hidden = hiddenAxes(axes);
  return cuts.filter(({ axis }) => hidden.includes(axis));
}

export function cellsOf(axis: AxisName, { ne, ntheta, nz, nx }: GridSize): number {
  return { e: ne, theta: ntheta, z: nz, x: nx }[axis];
}

/** Centre of a grid cell, from the axes of any map that shows this axis in full; null if none does. */
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

/** Description of the hidden axes, such as `Σ θ, E at 43.2 MeV`. */
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

/**
 * Common limits for all fields on the scale; null if there are none. Limits of differences are symmetric about zero.
 */
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

/** Decimals needed to distinguish neighbouring cells of the axis. */
export function axisDecimals({ from, to, count }: Pick<MapAxis, 'from' | 'to' | 'count'>): number {
  return Math.min(4, Math.max(1, Math.ceil(-Math.log10((to - from) / count)) + 1));
}

function useMap(slot: SlotKey): ShownMap | null {
  return useCached(useWorkbench().data.maps, cacheKey(slot));
}

function useMapError(slot: SlotKey): string | null {
  return useCached(useWorkbench().data.mapErrors, cacheKey(slot));
}

export const useShownMaps = (): readonly (ShownMap | null)[] => [useMap('a'), useMap('b'), useMap('c'), useMap('d')];

export const useAnyMapError = (): boolean =>
  [useMapError('a'), useMapError('b'), useMapError('c'), useMapError('d')].some((trouble) => trouble !== null);

const axesSchema = z
  .strictObject({ horizontal: axisNameSchema, vertical: axisNameSchema })
  .refine(({ horizontal, vertical }) => horizontal !== vertical, 'a map has two axes');

const schema = z.strictObject({
  ...mapConfigShape,
  /** True to use one pair of limits for all four maps. */
  matched: z.boolean(),
  maps: z.strictObject({ a: axesSchema, b: axesSchema, c: axesSchema, d: axesSchema }),
});
type PhaseSpaceState = Readonly<z.infer<typeof schema>>;
export type PhaseSpaceStore = StoreApi<PhaseSpaceState>;

export function createPhaseSpaceStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): PhaseSpaceStore {
  const initial: PhaseSpaceState = {
    ...initialMapConfig,
    // Logarithmic, because a beam's scattering tails are decades below its core.
    scale: 'log',
    matched: false,
    maps: { ...defaultAxes },
  };
  return createPersisted<PhaseSpaceState>({
    storage,
    name: 'phase-space',
    version: 2,
    schema,
    initial,
    migrations: { 1: (data) => ({ ...initial, ...(typeof data === 'object' ? data : {}) }) },
    onReset,
  });
}

/** Reference subtracted from the maps. */
export type Reference =
  | Readonly<{ kind: 'none' }>
  /** A stored moment of the shown run. */
  | Readonly<{ kind: 'step'; run: RunId; keyframe: number; step: number }>
  /** Another run, at the shown depth. */
  | Readonly<{ kind: 'run'; run: RunId }>;

interface PhaseView {
  readonly cuts: Readonly<Partial<Record<SlotKey, HiddenCuts>>>;
  readonly limits: Readonly<Partial<Record<SlotKey, Limits>>>;
  readonly tool: DragTool;
  readonly marked: { readonly slot: SlotKey; readonly mark: MapMark } | null;
  readonly reference: Reference;
}

export type PhaseViewStore = StoreApi<PhaseView>;

export function createPhaseViewStore(): PhaseViewStore {
  return createStore<PhaseView>(() => ({
    cuts: {},
    limits: {},
    tool: 'pan',
    marked: null,
    reference: { kind: 'none' },
  }));
}
