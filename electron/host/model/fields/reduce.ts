/** Reduces one axis, and then a map, to the samples that a screen can show. */
import { BraggError } from '../../../contract/errors.ts';
import type { Interval, MapAxis } from '../../../contract/fields.ts';

/** An axis of the grid: its cell edges, count + 1, ascending, in display units. */
export interface GridAxis {
  readonly name: string;
  readonly unit: string;
  readonly edges: Float64Array;
  readonly uniform: boolean;
}

/** Part of an axis in samples: sample i covers the cells from first + i·cells, the last one perhaps fewer. */
export interface Sampling {
  readonly first: number;
  /** One past the last cell. */
  readonly end: number;
  readonly cells: number;
  readonly count: number;
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
export interface Plane {
  readonly values: Float32Array | Float64Array;
  readonly strideHorizontal: number;
  readonly strideVertical: number;
}

/** Means over the cells of each sample, times `scale`; row by row along the vertical axis. */
export function reduce(plane: Plane, horizontal: Sampling, vertical: Sampling, scale: number): Float32Array {
  const { values, strideHorizontal, strideVertical } = plane;
  const out = new Float32Array(horizontal.count * vertical.count);
  if (horizontal.cells === 1 && vertical.cells === 1) {
    const start = vertical.first * strideVertical + horizontal.first * strideHorizontal;
    for (let v = 0; v < vertical.count; v += 1) {
      const row = start + v * strideVertical;
      const to = v * horizontal.count;
      for (let h = 0; h < horizontal.count; h += 1) out[to + h] = (values[row + h * strideHorizontal] ?? 0) * scale;
    }
    return out;
  }
  let at = 0;
  for (let v = 0; v < vertical.count; v += 1) {
    const v0 = vertical.first + v * vertical.cells;
    const v1 = Math.min(vertical.end, v0 + vertical.cells);
    for (let h = 0; h < horizontal.count; h += 1) {
      const h0 = horizontal.first + h * horizontal.cells;
      const h1 = Math.min(horizontal.end, h0 + horizontal.cells);
      let sum = 0;
      for (let i = v0; i < v1; i += 1) {
        const row = i * strideVertical;
        for (let j = h0; j < h1; j += 1) sum += values[row + j * strideHorizontal] ?? 0;
      }
      out[at] = (sum * scale) / ((v1 - v0) * (h1 - h0));
      at += 1;
    }
  }
  return out;
}

/** The cell of each sample that is farthest from zero, with its sign: spots stay in sight, in differences too. */
export function peaks({ values, strideHorizontal, strideVertical }: Plane, across: Sampling, down: Sampling) {
  const out = new Float32Array(across.count * down.count);
  for (let i = down.first; i < down.end; i += 1) {
    const row = Math.floor((i - down.first) / down.cells) * across.count;
    for (let h = 0; h < across.count; h += 1) {
      const from = across.first + h * across.cells;
      const to = Math.min(across.end, from + across.cells);
      let most = out[row + h] ?? 0;
      for (let j = from; j < to; j += 1) {
        const value = values[i * strideVertical + j * strideHorizontal] ?? 0;
        // What is not a number shows as that.
        if (!(Math.abs(value) <= Math.abs(most)) && !Number.isNaN(most)) most = value;
      }
      out[row + h] = most;
    }
  }
  return out;
}

interface Extent {
  readonly min: number;
  readonly max: number;
  /** 0 where nothing is positive. */
  readonly minPositive: number;
}

function extentOf(values: Float32Array | Float64Array): Extent {
  if (values.length === 0) throw new BraggError('internal', 'a field without cells');
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let positive = Number.POSITIVE_INFINITY;
  // By index and without branches that depend on the data: this runs over every cell of every live frame.
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? 0;
    min = Math.min(min, value);
    max = Math.max(max, value);
    positive = Math.min(positive, value > 0 ? value : Number.POSITIVE_INFINITY);
  }
  return { min, max, minPositive: positive === Number.POSITIVE_INFINITY ? 0 : positive };
}

const extents = new WeakMap<Float32Array | Float64Array, Extent>();

/**
 * Smallest, largest and smallest positive value of a whole field, times `scale`. Found once for an array, which nobody
 * writes to any more: every move over an image of a run that has ended would read all of its pixels again.
 */
export function extent(values: Float32Array | Float64Array, scale: number): Extent {
  const found = extents.get(values) ?? extentOf(values);
  extents.set(values, found);
  const { min, max, minPositive } = found;
  return { min: min * scale, max: max * scale, minPositive: minPositive * scale };
}
