/** The numbers behind a map and behind curves, as arrays with names and units. */
import type { FieldMap, MapAxis } from '../../../electron/contract/fields.ts';
import { sampleEdge } from '../field-image.ts';
import type { LineScene } from '../line-view.ts';
import { axisArray, curveArray, type FigureArray, identifier } from './figure.ts';

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

/** Curves that share their positions share one array of them. */
export function curveArrays({ horizontal, vertical, curves }: LineScene): readonly FigureArray[] {
  const out: FigureArray[] = [];
  const axes = new Map<ArrayLike<number>, string>();
  for (const [i, curve] of curves.entries()) {
    let axis = axes.get(curve.x);
    if (axis === undefined) {
      axis = `${identifier(horizontal.title)}${axes.size === 0 ? '' : `_${axes.size + 1}`}`;
      axes.set(curve.x, axis);
      out.push(axisArray(axis, horizontal.unit, horizontal.title, curve.x));
    }
    const words = curve.name ?? `${vertical.title}${curves.length === 1 ? '' : ` ${i + 1}`}`;
    const name = identifier(words);
    const unique = out.some((array) => array.name === name) ? `${name}_${i + 1}` : name;
    out.push(curveArray(unique, vertical.unit, words, axis, curve.y));
  }
  return out;
}
