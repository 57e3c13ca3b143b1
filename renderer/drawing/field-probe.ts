/** Value of a field at a point. */
import type { FieldMap, MapAxis } from '../../electron/contract/fields.ts';
import { sampleEdge } from './field-image.ts';
import { cellOfEdges, uniformCell } from './scale.ts';

interface Probe {
  readonly value: number;
  /** Edges of the sample that holds the point. */
  readonly horizontal: readonly [from: number, to: number];
  readonly vertical: readonly [from: number, to: number];
}

function sampleAt(axis: MapAxis, position: number): number {
  return axis.edges === null
    ? uniformCell(position, axis.from, axis.to, axis.count)
    : cellOfEdges(position, axis.edges);
}

/** Null if the point is outside the part of the field that was sent. */
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
