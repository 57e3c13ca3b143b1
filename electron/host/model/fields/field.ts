/**
 * Fields: computed quantities over two axes, in the form that all workloads' comparisons display. Reduces an axis, and
 * then a map, to the samples that a screen can show. Also compares the curves of several runs.
 */
import type { ComparedCurve } from '../../../contract/bench/comparison.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { Curve, FieldMap, FieldStatistic, Interval, MapAxis, Viewport } from '../../../contract/fields.ts';
import { type AxisSampling, reduceField, type ValueScaling } from '../../io/addon/reduction.ts';
import { defineArrayTask } from '../../io/threads/task.ts';

/** An axis of a grid, as the edges of its cells: one more than cells, ascending, in display units. */
export interface GridAxis {
  readonly name: string;
  readonly unit: string;
  readonly edges: Float64Array;
  readonly uniform: boolean;
}

/** Index of the cell that contains `position`; the nearest cell if it is outside. */
function cellIndexAt(edges: Float64Array, position: number): number {
  let [low, high] = [0, edges.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((edges[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Divides a window of an axis into at most `pixels` samples. Samples start at multiples of their width from the start
 * of the axis, so that the picture does not flicker when it is panned.
 */
export function sampleAxis(axis: GridAxis, window: Interval | null, pixels: number): AxisSampling {
  const all = axis.edges.length - 1;
  const from = window === null ? 0 : cellIndexAt(axis.edges, window[0]);
  let to = window === null ? all : cellIndexAt(axis.edges, window[1]) + 1;
  // If the window ends at the edge of a cell, the next cell is not included.
  if (window !== null && to - 1 > from && (axis.edges[to - 1] ?? 0) >= window[1]) to -= 1;
  for (let cells = Math.max(1, Math.ceil((to - from) / pixels)); ; cells += 1) {
    const first = Math.floor(from / cells) * cells;
    const end = Math.min(all, Math.ceil(to / cells) * cells);
    const count = Math.ceil((end - first) / cells);
    if (count <= pixels) return { first, end, cells, count };
  }
}

export function sampledMapAxis(axis: GridAxis, part: AxisSampling): MapAxis {
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

/** A two-dimensional array with its strides; either of its axes can be the horizontal one on the screen. */
interface Plane {
  readonly values: Float32Array | Float64Array;
  readonly strideHorizontal: number;
  readonly strideVertical: number;
  /** Divisor for each value; absent if values are not divided. */
  readonly per?: ValueScaling;
}

type ReducedField = Pick<FieldMap, 'values' | 'statistic' | 'min' | 'max' | 'minPositive'>;
type Extent = Pick<FieldMap, 'min' | 'max' | 'minPositive'>;

/**
 * Cached minima and maxima of whole arrays. Entries need no divisor in their key, because each array always has the
 * same one.
 */
const cachedExtents = { plain: new WeakMap<object, Extent>(), divided: new WeakMap<object, Extent>() };

/**
 * Samples of a plane, row by row along the vertical axis, multiplied by `scale`. A sample is the mean of its cells, or
 * their value of largest magnitude, so that small spots stay visible. The extremes of the whole field are cached by
 * array, so that panning does not read all cells again. The addon works on its own threads; meanwhile the array must
 * not change.
 */
export async function reducePlane(
  plane: Plane,
  across: AxisSampling,
  down: AxisSampling,
  statistic: FieldStatistic,
  scale: number,
): Promise<ReducedField> {
  const { values, strideHorizontal, strideVertical, per } = plane;
  if (values.length === 0) throw new BraggError('internal', 'a field without cells');
  const extents = per === undefined ? cachedExtents.plain : cachedExtents.divided;
  const before = extents.get(values);
  const strides = { strideAcross: strideHorizontal, strideDown: strideVertical };
  const how = { ...strides, across, down, statistic, scale, extent: before === undefined ? 1 : 0 } as const;
  const { values: samples, ...found } = await reduceField(values, how, per);
  const { min, max, minPositive } = before ?? found;
  extents.set(values, { min, max, minPositive });
  return { values: samples, statistic, min: min * scale, max: max * scale, minPositive: minPositive * scale };
}

export interface ComparedField {
  readonly quantity: string;
  readonly unit: string;
  readonly values: Float32Array | Float64Array;
  /** Factor from the values in the array to the displayed unit. */
  readonly scale: number;
  readonly horizontal: GridAxis;
  readonly vertical: GridAxis;
  readonly strideHorizontal: number;
  readonly strideVertical: number;
  readonly statistic: FieldStatistic;
  /** Computes the curve of the field, such as a depth dose; null if there is none. */
  readonly curve: (() => Promise<Curve>) | null;
}

function isSameAxis(a: GridAxis, b: GridAxis): boolean {
  return (
    a.name === b.name && a.edges.length === b.edges.length && a.edges.every((edge, i) => Object.is(edge, b.edges[i]))
  );
}

export function isSameGrid(a: ComparedField, b: ComparedField): boolean {
  return a.quantity === b.quantity && isSameAxis(a.horizontal, b.horizontal) && isSameAxis(a.vertical, b.vertical);
}

export function gridText({ horizontal, vertical }: ComparedField): string {
  const [across, up] = [horizontal.edges, vertical.edges];
  const width = ({ edges }: GridAxis): number => Number(((edges[1] ?? 0) - (edges[0] ?? 0)).toPrecision(6));
  const cells = `${across.length - 1} × ${up.length - 1}`;
  // Axes in pixels have no physical size to show.
  if (horizontal.unit === 'px') return `${cells} pixels`;
  return `${cells} cells of ${width(horizontal)} × ${width(vertical)} ${horizontal.unit}²`;
}

/** Map of a field in its unit, reduced to the pixels of the viewport. */
export async function fieldMap(field: ComparedField, { horizontal, vertical, pixels }: Viewport): Promise<FieldMap> {
  const { quantity, unit, scale, statistic } = field;
  const across = sampleAxis(field.horizontal, horizontal, pixels[0]);
  const up = sampleAxis(field.vertical, vertical, pixels[1]);
  return {
    quantity,
    unit,
    horizontal: sampledMapAxis(field.horizontal, across),
    vertical: sampledMapAxis(field.vertical, up),
    ...(await reducePlane(field, across, up, statistic, scale)),
  };
}

interface FieldPair {
  readonly here: ComparedField['values'];
  readonly reference: ComparedField['values'];
}

const subtract = defineArrayTask('subtract fields', ({ here, reference }: FieldPair) =>
  here.map((value, i) => value - (reference[i] ?? 0)),
);

/** Field of the differences `here` - `reference`; null if the grids differ. */
export async function fieldDifference(here: ComparedField, reference: ComparedField): Promise<ComparedField | null> {
  if (!isSameGrid(here, reference)) return null;
  return { ...here, values: await subtract({ here: here.values, reference: reference.values }) };
}

/**
 * Value of a curve at a position, by linear interpolation; NaN outside. The curve's positions must be equally spaced.
 */
function curveValueAt({ positions, values }: Curve, position: number): number {
  const first = positions[0] ?? 0;
  const step = (positions[1] ?? first + 1) - first;
  const place = (position - first) / step;
  // If the position coincides with a point of the curve, removes the rounding error of its index.
  const nearest = Math.round(place);
  if (Math.abs(place - nearest) < 1e-9) return values[nearest] ?? Number.NaN;
  const [low, part] = [Math.floor(place), place - Math.floor(place)];
  return (1 - part) * (values[low] ?? Number.NaN) + part * (values[low + 1] ?? Number.NaN);
}

function curveDifference(here: Curve, reference: Curve): Curve {
  const differences = here.values.map((value, i) => value - curveValueAt(reference, here.positions[i] ?? Number.NaN));
  const inside = [...differences.keys()].filter((i) => Number.isFinite(differences[i] ?? Number.NaN));
  return {
    ...here,
    quantity: 'difference from the reference',
    positions: Float64Array.from(inside, (i) => here.positions[i] ?? 0),
    values: Float64Array.from(inside, (i) => differences[i] ?? 0),
  };
}

export const NO_ANSWER = 'a stored session contains times but no results: run the variant, or benchmark it here';
const NO_CURVE = 'it has no curve';

export async function compareCurves(
  all: readonly (ComparedField | null)[],
  reference: number,
): Promise<ComparedCurve[]> {
  const curves = await Promise.all(all.map(async (field) => (await field?.curve?.()) ?? null));
  const against = curves[reference] ?? null;
  return curves.map((curve, i) => ({
    curve,
    reason: curve !== null ? null : all[i] === null ? NO_ANSWER : NO_CURVE,
    residual: curve === null || against === null || i === reference ? null : curveDifference(curve, against),
  }));
}
