/** Sums and moments of a rectangle of a field. */
import type { FieldMap, MapAxis } from '../../electron/contract/fields.ts';
import { sampleEdge } from './field-image.ts';
import type { MapPoint } from './map-view.ts';

/** Whether a sample is several cells. */
export function isReduced({ horizontal, vertical }: FieldMap): boolean {
  return horizontal.cellsPerSample * vertical.cellsPerSample > 1;
}

interface FieldStatistics {
  /** Samples whose centre lies in the rectangle. */
  readonly samples: number;
  /** The sum over grid cells of what is counted by the cell, the integral of a density. A sample counts as its cells. */
  readonly total: { readonly name: string; readonly value: number; readonly unit: string };
  readonly mean: number;
  readonly max: number;
  readonly maxAt: MapPoint;
  /** Weighted by the values; null where their sum is not above zero. */
  readonly centroid: MapPoint | null;
  /** Standard deviation along each axis, weighted by the values; null as above. */
  readonly sigma: MapPoint | null;
}

interface Line {
  readonly index: number;
  readonly centre: number;
  readonly cells: number;
}

function linesWithin(axis: MapAxis, a: number, b: number): readonly Line[] {
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  const out: Line[] = [];
  for (let index = 0; index < axis.count; index += 1) {
    const centre = (sampleEdge(axis, index) + sampleEdge(axis, index + 1)) / 2;
    const cells = index === axis.count - 1 ? axis.lastCells : axis.cellsPerSample;
    if (centre >= low && centre <= high) out.push({ index, centre, cells });
  }
  return out;
}

const PER_CELL = ' per cell';
const PER_AREA = '/mm²';

/** A cell's extent along an axis whose cells are equal. */
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

/** Statistics of the rectangle between two corners; null where no sample's centre lies in it. */
export function fieldStatistics(field: FieldMap, one: MapPoint, other: MapPoint): FieldStatistics | null {
  const columns = linesWithin(field.horizontal, one.horizontal, other.horizontal);
  const rows = linesWithin(field.vertical, one.vertical, other.vertical);
  if (columns.length === 0 || rows.length === 0) return null;
  let [cells, sum, max] = [0, 0, Number.NEGATIVE_INFINITY];
  let maxAt: MapPoint = { horizontal: 0, vertical: 0 };
  let [h, v, hh, vv] = [0, 0, 0, 0];
  // Moments about the rectangle's corner: about zero, the squares would drown a narrow beam far from it.
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
