/** Reduces one axis, and then a map, to the samples that a screen can show. */
import { BraggError } from '../../../contract/errors.ts';
import type { FieldMap, FieldStatistic, Interval, MapAxis } from '../../../contract/fields.ts';
import { type Per, reduceField, type Sampling } from '../../io/addon/reduction.ts';

/** An axis of the grid: its cell edges, count + 1, ascending, in display units. */
export interface GridAxis {
  readonly name: string;
  readonly unit: string;
  readonly edges: Float64Array;
  readonly uniform: boolean;
}

/** The cell that `position` lies in, or the nearest one. */
function cellAt(edges: Float64Array, position: number): number {
  let [low, high] = [0, edges.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((edges[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Cells of the window in at most `pixels` samples. Samples begin at multiples
 * of their width counted from the axis' start, so that panning moves the
 * picture and does not make it shimmer.
 */
export function sampling(axis: GridAxis, window: Interval | null, pixels: number): Sampling {
  const all = axis.edges.length - 1;
  const from = window === null ? 0 : cellAt(axis.edges, window[0]);
  let to = window === null ? all : cellAt(axis.edges, window[1]) + 1;
  // A window that ends on an edge shows nothing of the cell beyond.
  if (window !== null && to - 1 > from && (axis.edges[to - 1] ?? 0) >= window[1]) to -= 1;
  for (let cells = Math.max(1, Math.ceil((to - from) / pixels)); ; cells += 1) {
    const first = Math.floor(from / cells) * cells;
    const end = Math.min(all, Math.ceil(to / cells) * cells);
    const count = Math.ceil((end - first) / cells);
    if (count <= pixels) return { first, end, cells, count };
  }
}

export function mapAxis(axis: GridAxis, part: Sampling): MapAxis {
  const { edges, name, unit } = axis;
  const partial = (part.end - part.first) % part.cells !== 0;
  return {
    name,
    unit,
    from: edges[part.first] ?? 0,
    to: edges[part.end] ?? 0,
    count: part.count,
    cellsPerSample: part.cells,
    lastCells: part.end - part.first - (part.count - 1) * part.cells,
    fullFrom: edges[0] ?? 0,
    fullTo: edges[edges.length - 1] ?? 0,
    edges:
      axis.uniform && !partial
        ? null
        : Float64Array.from(
            { length: part.count + 1 },
            (_, i) => edges[Math.min(part.end, part.first + i * part.cells)] ?? 0,
          ),
  };
}

/** A two-dimensional array with its strides, so that either axis can lie across the screen. */
interface Plane {
  readonly values: Float32Array | Float64Array;
  readonly strideHorizontal: number;
  readonly strideVertical: number;
  /** Divisor of each value. */
  readonly per?: Per;
}

type Reduced = Pick<FieldMap, 'values' | 'statistic' | 'min' | 'max' | 'minPositive'>;
type Extent = Pick<FieldMap, 'min' | 'max' | 'minPositive'>;

/** By the array, whose divisor is always the same. */
const known = { plain: new WeakMap<object, Extent>(), divided: new WeakMap<object, Extent>() };

/**
 * Samples of a plane, row by row along the vertical axis, in units of `scale`: means over their cells, or the cells farthest
 * from zero with their sign, so that spots stay in sight. And the extremes of the whole field, which are found once for an
 * array: every move over an image of a run that has ended would read all of its pixels again. The addon does it on a thread
 * of its own; nobody may write to the array meanwhile.
 */
export async function reduced(
  plane: Plane,
  across: Sampling,
  down: Sampling,
  statistic: FieldStatistic,
  scale: number,
): Promise<Reduced> {
  const { values, strideHorizontal, strideVertical, per } = plane;
  if (values.length === 0) throw new BraggError('internal', 'a field without cells');
  const extents = per === undefined ? known.plain : known.divided;
  const before = extents.get(values);
  const strides = { strideAcross: strideHorizontal, strideDown: strideVertical };
  const how = { ...strides, across, down, statistic, scale, extent: before === undefined ? 1 : 0 } as const;
  const { values: samples, ...found } = await reduceField(values, how, per);
  const { min, max, minPositive } = before ?? found;
  extents.set(values, { min, max, minPositive });
  return { values: samples, statistic, min: min * scale, max: max * scale, minPositive: minPositive * scale };
}
