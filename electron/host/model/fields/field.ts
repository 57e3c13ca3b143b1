/**
 * Computed quantity over two axes, in the common format that comparisons display for every workload. Reduces one axis,
 * and then a map, to the samples that a screen can show. Compares the curves of several subjects.
 */
import type { ComparedCurve } from '../../../contract/bench/comparison.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { Curve, FieldMap, FieldStatistic, Interval, MapAxis, Viewport } from '../../../contract/fields.ts';
import { reduceField, type Sampling, type ValueScaling } from '../../io/addon/reduction.ts';
import { onThreadIfLarge } from '../../io/threads/task.ts';

/** An axis of the grid: count + 1 cell edges, ascending, in display units. */
export interface GridAxis {
  readonly name: string;
  readonly unit: string;
  readonly edges: Float64Array;
  readonly uniform: boolean;
}

/** Index of the cell that contains `position`, or of the nearest one. */
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
 * Divides the window into at most `pixels` samples. Samples begin at multiples of their width from the axis' start, so
 * that panning does not make the picture shimmer.
 */
export function sampleAxis(axis: GridAxis, window: Interval | null, pixels: number): Sampling {
  const all = axis.edges.length - 1;
  const from = window === null ? 0 : cellAt(axis.edges, window[0]);
  let to = window === null ? all : cellAt(axis.edges, window[1]) + 1;
  // A window that ends on the edge of a cell does not include the next cell.
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
  readonly per?: ValueScaling;
}

type ReducedField = Pick<FieldMap, 'values' | 'statistic' | 'min' | 'max' | 'minPositive'>;
type Extent = Pick<FieldMap, 'min' | 'max' | 'minPositive'>;

/** Extremes by array; an array always has the same divisor. */
const cachedExtents = { plain: new WeakMap<object, Extent>(), divided: new WeakMap<object, Extent>() };

/**
 * Samples of a plane, row by row along the vertical axis, in units of `scale`. A sample is the mean over its cells, or
 * the signed value farthest from zero, so that spots stay visible. Extremes of the whole field are cached by array, so
 * that panning does not read all pixels again. The addon works on a separate thread; nobody may write to the array
 * meanwhile.
 */
export async function reducePlane(
  plane: Plane,
  across: Sampling,
  down: Sampling,
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
  /** Factor from `values` to the unit. */
  readonly scale: number;
  readonly horizontal: GridAxis;
  readonly vertical: GridAxis;
  readonly strideHorizontal: number;
  readonly strideVertical: number;
  readonly statistic: FieldStatistic;
  /** Curve that the workload derives from the field; null if there is none. */
  readonly curve: (() => Promise<Curve>) | null;
}

function sameAxis(a: GridAxis, b: GridAxis): boolean {
  return (
    a.name === b.name && a.edges.length === b.edges.length && a.edges.every((edge, i) => Object.is(edge, b.edges[i]))
  );
}

export function sameGrid(a: ComparedField, b: ComparedField): boolean {
  return a.quantity === b.quantity && sameAxis(a.horizontal, b.horizontal) && sameAxis(a.vertical, b.vertical);
}

export function gridText({ horizontal, vertical }: ComparedField): string {
  const [across, up] = [horizontal.edges, vertical.edges];
  const width = ({ edges }: GridAxis): number => Number(((edges[1] ?? 0) - (edges[0] ?? 0)).toPrecision(6));
  const cells = `${across.length - 1} × ${up.length - 1}`;
  // Pixels are shown without a size.
  if (horizontal.unit === 'px') return `${cells} pixels`;
  return `${cells} cells of ${width(horizontal)} × ${width(vertical)} ${horizontal.unit}²`;
}

/** The field in its unit, reduced to the viewport. */
export async function fieldMap(field: ComparedField, { horizontal, vertical, pixels }: Viewport): Promise<FieldMap> {
  const { quantity, unit, scale, statistic } = field;
  const across = sampleAxis(field.horizontal, horizontal, pixels[0]);
  const up = sampleAxis(field.vertical, vertical, pixels[1]);
  return {
    quantity,
    unit,
    horizontal: mapAxis(field.horizontal, across),
    vertical: mapAxis(field.vertical, up),
    ...(await reducePlane(field, across, up, statistic, scale)),
  };
}

interface FieldPair {
  readonly here: ComparedField['values'];
  readonly reference: ComparedField['values'];
}

const subtract = onThreadIfLarge('subtract fields', ({ here, reference }: FieldPair) =>
  here.map((value, i) => value - (reference[i] ?? 0)),
);

/** `here` minus `reference`; null if the grids differ. */
export async function difference(here: ComparedField, reference: ComparedField): Promise<ComparedField | null> {
  if (!sameGrid(here, reference)) return null;
  return { ...here, values: await subtract({ here: here.values, reference: reference.values }) };
}

/** Value of the curve at `position`, interpolated linearly; NaN outside. Positions are equally spaced. */
function valueAt({ positions, values }: Curve, position: number): number {
  const first = positions[0] ?? 0;
  const step = (positions[1] ?? first + 1) - first;
  const place = (position - first) / step;
  // Removes the rounding error of a position that coincides with a point of the curve.
  const nearest = Math.round(place);
  if (Math.abs(place - nearest) < 1e-9) return values[nearest] ?? Number.NaN;
  const [low, part] = [Math.floor(place), place - Math.floor(place)];
  return (1 - part) * (values[low] ?? Number.NaN) + part * (values[low + 1] ?? Number.NaN);
}

function residualOf(here: Curve, reference: Curve): Curve {
  const differences = here.values.map((value, i) => value - valueAt(reference, here.positions[i] ?? Number.NaN));
  const inside = [...differences.keys()].filter((i) => Number.isFinite(differences[i] ?? Number.NaN));
  return {
    ...here,
    quantity: 'difference from the reference',
    positions: Float64Array.from(inside, (i) => here.positions[i] ?? 0),
    values: Float64Array.from(inside, (i) => differences[i] ?? 0),
  };
}

export const noAnswer = 'a stored session contains times but no results: run the variant, or benchmark it here';
const noCurve = 'it has no curve';

export async function comparedCurves(
  all: readonly (ComparedField | null)[],
  reference: number,
): Promise<ComparedCurve[]> {
  const curves = await Promise.all(all.map(async (field) => (await field?.curve?.()) ?? null));
  const against = curves[reference] ?? null;
  return curves.map((curve, i) => ({
    curve,
    reason: curve !== null ? null : all[i] === null ? noAnswer : noCurve,
    residual: curve === null || against === null || i === reference ? null : residualOf(curve, against),
  }));
}
