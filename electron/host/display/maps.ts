/** Maps for the screen from a run's dose and marginals. */
import { BraggError } from '../../contract/errors.ts';
import type { AxisName, FieldMap } from '../../contract/fields.ts';
import type { MapRequest } from '../../contract/run.ts';
import type { Marginals } from '../addon.ts';
import type { Axes } from '../runs/run-data.ts';
import { gridAxes } from './grid-axes.ts';
import { extent, mapAxis, reduce, sampling } from './reduce.ts';

/** What maps can be made from: dose always, marginals where the moment has them. */
export interface Fields {
  readonly axes: Axes;
  /** MeV per cell, [z][x]. */
  readonly dose: Float64Array | null;
  readonly marginals: Marginals | null;
}

/** The marginals that the engine keeps: slow axis first. */
const marginals: readonly {
  readonly key: 'zx' | 'xtheta' | 'etheta' | 'ez';
  readonly axes: readonly [AxisName, AxisName];
}[] = [
  { key: 'zx', axes: ['z', 'x'] },
  { key: 'xtheta', axes: ['x', 'theta'] },
  { key: 'etheta', axes: ['e', 'theta'] },
  { key: 'ez', axes: ['e', 'z'] },
];

interface Source {
  readonly values: Float32Array | Float64Array;
  readonly axes: readonly [AxisName, AxisName];
  readonly scale: number;
  readonly quantity: string;
  readonly unit: string;
}

function same(pair: readonly [AxisName, AxisName], a: AxisName, b: AxisName): boolean {
  return (pair[0] === a && pair[1] === b) || (pair[0] === b && pair[1] === a);
}

function sourceOf(fields: Fields, { quantity, horizontal, vertical }: MapRequest): Source {
  if (quantity === 'dose') {
    if (!same(['z', 'x'], horizontal, vertical)) throw new BraggError('unsupported', 'Dose has the axes z and x only.');
    if (fields.dose === null) throw new BraggError('not-found', 'Keyframes keep protons, not dose.');
    const cell = fields.axes.dz_mm * fields.axes.dx_mm;
    return { values: fields.dose, axes: ['z', 'x'], scale: 1 / cell, quantity: 'dose', unit: 'MeV/mm²' };
  }
  const kept = marginals.find(({ axes }) => same(axes, horizontal, vertical));
  if (kept === undefined) {
    const pairs = marginals.map(({ axes }) => axes.join('–')).join(', ');
    throw new BraggError('unsupported', `Protons over ${horizontal} and ${vertical} are not kept; there are ${pairs}.`);
  }
  if (fields.marginals === null) throw new BraggError('not-found', 'This run kept no keyframes.');
  return {
    values: fields.marginals[kept.key],
    axes: kept.axes,
    scale: 1,
    quantity: 'protons',
    unit: 'protons per cell',
  };
}

export function makeMap(fields: Fields, request: MapRequest): FieldMap {
  const source = sourceOf(fields, request);
  const axes = gridAxes(fields.axes);
  const { viewport } = request;
  const [horizontal, vertical] = [axes[request.horizontal], axes[request.vertical]];
  const across = sampling(horizontal, viewport.horizontal, viewport.pixels[0]);
  const down = sampling(vertical, viewport.vertical, viewport.pixels[1]);
  const contiguous = axes[source.axes[1]].edges.length - 1;
  const horizontalIsContiguous = source.axes[1] === request.horizontal;
  const plane = {
    values: source.values,
    strideHorizontal: horizontalIsContiguous ? 1 : contiguous,
    strideVertical: horizontalIsContiguous ? contiguous : 1,
  };
  return {
    quantity: source.quantity,
    unit: source.unit,
    horizontal: mapAxis(horizontal, across),
    vertical: mapAxis(vertical, down),
    values: reduce(plane, across, down, source.scale),
    ...extent(source.values, source.scale),
  };
}

export function makeMaps(fields: Fields, requests: readonly MapRequest[]): FieldMap[] {
  return requests.map((request) => makeMap(fields, request));
}
