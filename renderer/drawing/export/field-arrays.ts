/** The numbers behind a map, as arrays with names and units. */
import type { FieldMap, MapAxis } from '../../../electron/contract/fields.ts';
import { sampleEdge } from '../field-image.ts';
import { axisArray, type FigureArray, identifier } from './figure.ts';

const axisWords: Readonly<Record<MapAxis['name'], string>> = {
  z: 'depth',
  x: 'lateral position',
  theta: 'angle from +z',
  e: 'kinetic energy',
};

function axisArrays(axis: MapAxis): readonly FigureArray[] {
  const edges = Float64Array.from({ length: axis.count + 1 }, (_, i) => sampleEdge(axis, i));
  const centres = edges.slice(0, -1).map((edge, i) => (edge + (edges[i + 1] ?? edge)) / 2);
  const words = axisWords[axis.name];
  return [
    axisArray(axis.name, axis.unit, `${words}, centres of the samples`, centres),
    axisArray(`${axis.name}_edges`, axis.unit, `${words}, edges of the samples`, edges),
  ];
}

/** Field [vertical][horizontal], and of each axis centres and edges. */
export function fieldArrays(field: FieldMap): readonly FigureArray[] {
  const { horizontal, vertical, values, unit, quantity } = field;
  return [
    ...axisArrays(vertical),
    ...axisArrays(horizontal),
    {
      name: identifier(quantity),
      unit,
      description: `${quantity}, mean over each sample`,
      shape: [vertical.count, horizontal.count],
      values,
      axes: [vertical.name, horizontal.name],
    },
  ];
}
