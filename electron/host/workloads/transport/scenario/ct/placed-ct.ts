/** A CT slice as it lies in the box of a scenario: z is the way of the beam, x across it. */
import type { CtPlacement } from '../../../../../contract/scenario/index.ts';
import type { CtSlice } from '../../../../io/volumes/ct-slice.ts';
import { densityAt, type HuTable, materialAt } from '../../../../model/matter/hu-table.ts';

/** Pixels that a table does not reach, and the extremes. */
export interface HuBeyond {
  readonly below: number;
  readonly above: number;
  readonly least: number;
  readonly most: number;
}

export interface PlacedCt {
  readonly slice: CtSlice;
  readonly table: HuTable;
  /** Density that each of the table's materials is listed with, g/cm³: those of cells are multiples of it. */
  readonly listed_g_cm3: readonly number[];
  readonly outside: string;
  /** Along the two axes of the slice. */
  readonly isocentre_mm: readonly [number, number];
  readonly isocentre_depth_mm: number;
  /** Directions of z and x along the two axes. */
  readonly along: readonly [number, number];
  readonly across: readonly [number, number];
  /** Size of the box that the image fills. */
  readonly depth_mm: number;
  readonly width_mm: number;
  readonly beyond: HuBeyond;
}

interface Rectangle {
  readonly low: readonly [number, number];
  readonly high: readonly [number, number];
}

/** Edges of the image: half a pixel outside the first and last centres. */
function edgesOf({ origin_mm, spacing_mm, columns, rows }: CtSlice): Rectangle {
  const low = [origin_mm[0] - spacing_mm[0] / 2, origin_mm[1] - spacing_mm[1] / 2] as const;
  return { low, high: [low[0] + columns * spacing_mm[0], low[1] + rows * spacing_mm[1]] };
}

/** Directions whose parts are smaller lie along an axis. */
const STRAIGHT = 1e-12;
const trimmed = (value: number): number => (Math.abs(value) < STRAIGHT ? 0 : value);

/** Ways from a point to where a line enters and leaves a rectangle; null where it misses it. */
function chord(
  point: readonly [number, number],
  direction: readonly [number, number],
  { low, high }: Rectangle,
): readonly [number, number] | null {
  let [from, to] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const axis of [0, 1] as const) {
    const step = direction[axis];
    if (step === 0) {
      if (point[axis] < low[axis] || point[axis] > high[axis]) return null;
      continue;
    }
    const ends = [(low[axis] - point[axis]) / step, (high[axis] - point[axis]) / step].sort((a, b) => a - b);
    from = Math.max(from, ends[0] ?? 0);
    to = Math.min(to, ends[1] ?? 0);
  }
  return to > from ? [from, to] : null;
}

/** Directions of z and x of the box along the two axes of a slice. */
export function directionsInSlice(angle_deg: number): Pick<PlacedCt, 'along' | 'across'> {
  const angle = (angle_deg * Math.PI) / 180;
  return {
    along: [trimmed(-Math.sin(angle)), trimmed(Math.cos(angle))],
    across: [trimmed(Math.cos(angle)), trimmed(Math.sin(angle))],
  };
}

/** Null if the beam's axis misses the image. */
export function placeCt(
  slice: CtSlice,
  placement: CtPlacement,
  table: HuTable,
  listed_g_cm3: readonly number[],
): Omit<PlacedCt, 'beyond'> | null {
  const { along, across } = directionsInSlice(placement.angle_deg);
  const edges = edgesOf(slice);
  const middle = [(edges.low[0] + edges.high[0]) / 2, (edges.low[1] + edges.high[1]) / 2] as const;
  const isocentre_mm = placement.isocentre_mm ?? middle;
  const through = chord(isocentre_mm, along, edges);
  if (through === null) return null;
  const isocentre_depth_mm = placement.isocentre_depth_mm ?? -through[0];
  const reach = ([0, 1] as const).flatMap((i) =>
    ([0, 1] as const).map((k) => {
      const corner = [i === 0 ? edges.low[0] : edges.high[0], k === 0 ? edges.low[1] : edges.high[1]] as const;
      return Math.abs((corner[0] - isocentre_mm[0]) * across[0] + (corner[1] - isocentre_mm[1]) * across[1]);
    }),
  );
  return {
    slice,
    table,
    listed_g_cm3,
    outside: placement.outside,
    isocentre_mm,
    isocentre_depth_mm,
    along,
    across,
    depth_mm: isocentre_depth_mm + through[1],
    width_mm: 2 * Math.max(...reach),
  };
}

/** Coordinates of a point of the box along the two axes of the slice. */
export function pointAt(
  { along, across, isocentre_mm, isocentre_depth_mm }: PlacedCt,
  z_mm: number,
  x_mm: number,
): readonly [number, number] {
  const way = z_mm - isocentre_depth_mm;
  return [isocentre_mm[0] + way * along[0] + x_mm * across[0], isocentre_mm[1] + way * along[1] + x_mm * across[1]];
}

/** Hounsfield units of the pixel at a point of the box; null outside the image. */
export function huAt(ct: PlacedCt, z_mm: number, x_mm: number): number | null {
  const { slice } = ct;
  const [u, v] = pointAt(ct, z_mm, x_mm);
  const column = Math.round((u - slice.origin_mm[0]) / slice.spacing_mm[0]);
  const row = Math.round((v - slice.origin_mm[1]) / slice.spacing_mm[1]);
  if (column < 0 || row < 0 || column >= slice.columns || row >= slice.rows) return null;
  return slice.hu[row * slice.columns + column] ?? null;
}

/** Material and relative density of a Hounsfield unit. */
export function mediumOf(ct: PlacedCt, hu: number): { readonly material: string; readonly density_scale: number } {
  const index = materialAt(ct.table, hu);
  const scale = densityAt(ct.table, hu) / (ct.listed_g_cm3[index] ?? 1);
  return { material: ct.table.materials[index]?.[1] ?? 'water', density_scale: scale };
}
