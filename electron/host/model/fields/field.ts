/** Computed quantity over two axes, in the form that comparisons show for every workload. */
import type { Curve, FieldMap, FieldStatistic, Viewport } from '../../../contract/fields.ts';
import { asideIfLarge } from '../../io/aside/large.ts';
import { type GridAxis, mapAxis, reduced, sampling } from './reduce.ts';

export interface ComparedField {
  readonly quantity: string;
  readonly unit: string;
  readonly values: Float32Array | Float64Array;
  /** From values to the unit. */
  readonly scale: number;
  readonly horizontal: GridAxis;
  readonly vertical: GridAxis;
  readonly strideHorizontal: number;
  readonly strideVertical: number;
  readonly statistic: FieldStatistic;
  /** The curve that the workload reads off it; null where it has none. */
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
  // A pixel needs no size.
  if (horizontal.unit === 'px') return `${cells} pixels`;
  return `${cells} cells of ${width(horizontal)} × ${width(vertical)} ${horizontal.unit}²`;
}

/** In the field's unit, reduced to the viewport. */
export async function fieldMap(field: ComparedField, { horizontal, vertical, pixels }: Viewport): Promise<FieldMap> {
  const { quantity, unit, scale, statistic } = field;
  const across = sampling(field.horizontal, horizontal, pixels[0]);
  const up = sampling(field.vertical, vertical, pixels[1]);
  return {
    quantity,
    unit,
    horizontal: mapAxis(field.horizontal, across),
    vertical: mapAxis(field.vertical, up),
    ...(await reduced(field, across, up, statistic, scale)),
  };
}

interface Two {
  readonly here: ComparedField['values'];
  readonly reference: ComparedField['values'];
}

const subtract = asideIfLarge('subtract fields', ({ here, reference }: Two) =>
  here.map((value, i) => value - (reference[i] ?? 0)),
);

/** `here` less `reference`; null where the grids differ. */
export async function difference(here: ComparedField, reference: ComparedField): Promise<ComparedField | null> {
  if (!sameGrid(here, reference)) return null;
  return { ...here, values: await subtract({ here: here.values, reference: reference.values }) };
}
