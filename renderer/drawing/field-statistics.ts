/** Sums and moments of a rectangle of a field, its value at a point, and its values along a line segment. */
import type { FieldMap, MapAxis } from '../../electron/contract/fields.ts';
import { sampleEdge } from './field-image.ts';
import type { MapPoint } from './map-view.ts';
import { cellOfEdges, uniformCell } from './scale.ts';

/** Whether a sample combines several cells. */
export function isReduced({ horizontal, vertical }: FieldMap): boolean {
  return horizontal.cellsPerSample * vertical.cellsPerSample > 1;
}

interface FieldStatistics {
  /** Number of samples whose centre is in the rectangle. */
  readonly samples: number;
  /**
   * Sum over grid cells for a quantity per cell, or integral of a density. A sample counts with its number of cells.
   */
  readonly total: { readonly name: string; readonly value: number; readonly unit: string };
  readonly mean: number;
  readonly max: number;
  readonly maxAt: MapPoint;
  /** Centroid weighted by the values; null if their sum is not above zero. */
  readonly centroid: MapPoint | null;
  /** Standard deviation along each axis, weighted by the values; null if their sum is not above zero. */
  readonly sigma: MapPoint | null;
}

interface AxisSample {
  readonly index: number;
  readonly centre: number;
  readonly cells: number;
}

function samplesWithin(axis: MapAxis, a: number, b: number): readonly AxisSample[] {
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  const out: AxisSample[] = [];
  for (let index = 0; index < axis.count; index += 1) {
    const centre = (sampleEdge(axis, index) + sampleEdge(axis, index + 1)) / 2;
    const cells = index === axis.count - 1 ? axis.lastCells : axis.cellsPerSample;
    if (centre >= low && centre <= high) out.push({ index, centre, cells });
  }
  return out;
}

const PER_CELL = ' per cell';
const PER_AREA = '/mm²';

/** Width of a cell along an axis with equal cells. */
function cellWidth(axis: MapAxis): number {
  return (axis.to - axis.from) / ((axis.count - 1) * axis.cellsPerSample + axis.lastCells);
}

function totalOf({ unit, horizontal, vertical }: FieldMap, sum: number): FieldStatistics['total'] {
  if (unit.endsWith(PER_AREA)) {
    const value = sum * cellWidth(horizontal) * cellWidth(vertical);
    return { name: 'Integral', value, unit: unit.slice(0, -PER_AREA.length) };
  }
  return { name: 'Sum over cells', value: sum, unit: unit.endsWith(PER_CELL) ? unit.slice(0, -PER_CELL.length) : unit };
}

/** Statistics of the rectangle between two corners; null if no sample's centre is inside. */
export function fieldStatistics(field: FieldMap, one: MapPoint, other: MapPoint): FieldStatistics | null {
  const columns = samplesWithin(field.horizontal, one.horizontal, other.horizontal);
  const rows = samplesWithin(field.vertical, one.vertical, other.vertical);
  if (columns.length === 0 || rows.length === 0) return null;
  let [cells, sum, max] = [0, 0, Number.NEGATIVE_INFINITY];
  let maxAt: MapPoint = { horizontal: 0, vertical: 0 };
  let [h, v, hh, vv] = [0, 0, 0, 0];
  // Moments relative to the rectangle's corner: with moments about zero, cancellation would hide the width of a narrow
  // beam far away.
  const [h0, v0] = [columns[0]?.centre ?? 0, rows[0]?.centre ?? 0];
  for (const row of rows) {
    for (const column of columns) {
      const value = field.values[row.index * field.horizontal.count + column.index] ?? 0;
      const weight = row.cells * column.cells;
      const [dh, dv, held] = [column.centre - h0, row.centre - v0, value * weight];
      cells += weight;
      sum += held;
      h += held * dh;
      v += held * dv;
      hh += held * dh * dh;
      vv += held * dv * dv;
      if (value > max) [max, maxAt] = [value, { horizontal: column.centre, vertical: row.centre }];
    }
  }
  const weighted = sum > 0;
  return {
    samples: columns.length * rows.length,
    total: totalOf(field, sum),
    mean: sum / cells,
    max,
    maxAt,
    centroid: weighted ? { horizontal: h0 + h / sum, vertical: v0 + v / sum } : null,
    sigma: weighted
      ? {
          horizontal: Math.sqrt(Math.max(0, hh / sum - (h / sum) ** 2)),
          vertical: Math.sqrt(Math.max(0, vv / sum - (v / sum) ** 2)),
        }
      : null,
  };
}

interface Probe {
  readonly value: number;
  /** Edges of the sample that contains the point. */
  readonly horizontal: readonly [from: number, to: number];
  readonly vertical: readonly [from: number, to: number];
}

function sampleAt(axis: MapAxis, position: number): number {
  return axis.edges === null
    ? uniformCell(position, axis.from, axis.to, axis.count)
    : cellOfEdges(position, axis.edges);
}

/** Value at a point; null if the point is outside the transmitted part of the field. */
export function probe(field: FieldMap, horizontal: number, vertical: number): Probe | null {
  const column = sampleAt(field.horizontal, horizontal);
  const row = sampleAt(field.vertical, vertical);
  const value = field.values[row * field.horizontal.count + column];
  if (column < 0 || row < 0 || value === undefined) return null;
  return {
    value,
    horizontal: [sampleEdge(field.horizontal, column), sampleEdge(field.horizontal, column + 1)],
    vertical: [sampleEdge(field.vertical, row), sampleEdge(field.vertical, row + 1)],
  };
}

interface FieldProfile {
  /**
   * Distance along the segment from its start, in the axes' unit. If their units differ, the share of the segment, 0 to
   * 1.
   */
  readonly distance: Float64Array;
  readonly unit: string;
  readonly horizontal: Float64Array;
  readonly vertical: Float64Array;
  /** Values along the segment; NaN outside the field. */
  readonly values: Float64Array;
}

/** Points per crossed sample, so that steps between cells stay steps. */
const POINTS_PER_SAMPLE = 2;
const MAX_POINTS = 4096;

export function fieldProfile(field: FieldMap, from: MapPoint, to: MapPoint): FieldProfile {
  const { horizontal, vertical } = field;
  const across = (to.horizontal - from.horizontal) / (horizontal.to - horizontal.from);
  const up = (to.vertical - from.vertical) / (vertical.to - vertical.from);
  const samples = Math.hypot(across * horizontal.count, up * vertical.count);
  const points = Math.max(2, Math.min(MAX_POINTS, Math.ceil(samples * POINTS_PER_SAMPLE) + 1));
  const sameUnit = horizontal.unit === vertical.unit;
  const length = sameUnit ? Math.hypot(to.horizontal - from.horizontal, to.vertical - from.vertical) : 1;
  const share = Float64Array.from({ length: points }, (_, i) => i / (points - 1));
  const h = share.map((s) => from.horizontal + s * (to.horizontal - from.horizontal));
  const v = share.map((s) => from.vertical + s * (to.vertical - from.vertical));
  return {
    distance: share.map((s) => s * length),
    unit: sameUnit ? horizontal.unit : '',
    horizontal: h,
    vertical: v,
    values: share.map((_, i) => probe(field, h[i] ?? 0, v[i] ?? 0)?.value ?? Number.NaN),
  };
}
