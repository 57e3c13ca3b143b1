/** Depth doses over each other, and below them what each differs from the reference by. */

import type { Curve } from '../../../electron/contract/fields.ts';
import { axisArray, curveArray, identifier } from '../export/figure.ts';
import { horizontalRoom, plotAxes, verticalRoom } from './axes.ts';
import { type Figure, type FigureSize, type Ink, type Point, type Shape, textWidth } from './figure.ts';

export interface NamedCurve {
  readonly name: string;
  readonly ink: Ink;
  readonly dash: readonly number[];
  readonly curve: Curve;
  /** Null of the reference. */
  readonly residual: Curve | null;
}

/** Heights in labels: of a wide place more, as its curves would be flat. */
const [LEAST, MOST] = [18, 30];
const TALL_PER_WIDTH = 0.24;
/** Room for its axis' title. */
const RESIDUAL = 15;

/** More points than this along one figure's width are not seen. */
const POINTS_PER_PIXEL = 1;

function line(curve: Curve, most: number, place: (x: number, y: number) => Point): readonly Point[] {
  const every = Math.max(1, Math.ceil(curve.values.length / most));
  const points: Point[] = [];
  // Each group keeps the value farthest from zero, so that peaks stay.
  for (let i = 0; i < curve.values.length; i += every) {
    let best = i;
    for (let j = i; j < Math.min(curve.values.length, i + every); j += 1) {
      if (Math.abs(curve.values[j] ?? 0) > Math.abs(curve.values[best] ?? 0)) best = j;
    }
    points.push(place(curve.positions[best] ?? 0, curve.values[best] ?? 0));
  }
  return points;
}

function reach(values: ArrayLike<number>): number {
  let most = 0;
  for (let i = 0; i < values.length; i += 1) most = Math.max(most, Math.abs(values[i] ?? 0));
  return most;
}

export function curvesFigure(curves: readonly NamedCurve[], { width, label }: FigureSize): Figure {
  const perLine: { readonly items: NamedCurve[]; width: number }[] = [{ items: [], width: 0 }];
  for (const item of curves) {
    const need = textWidth(item.name, label) + 4.5 * label;
    let current = perLine.at(-1);
    if (current === undefined || current.width + need > width) {
      current = { items: [], width: 0 };
      perLine.push(current);
    }
    current.items.push(item);
    current.width += need;
  }
  const legend = perLine.length * 1.6 * label + label * 0.5;
  const shapes: Shape[] = [];
  perLine.forEach(({ items }, row) => {
    let at = label * 0.5;
    const y = (row + 0.7) * 1.6 * label;
    for (const { name, ink, dash } of items) {
      shapes.push({ kind: 'line', from: [at, y], to: [at + 2 * label, y], ink, width: 2, dash });
      shapes.push({ kind: 'text', at: [at + 2.5 * label, y + 0.35 * label], text: name, ink: 'text', size: label });
      at += textWidth(name, label) + 4.5 * label;
    }
  });
  const left = verticalRoom(label);
  const box = {
    left,
    top: legend,
    width: width - left - label,
    height: Math.min(MOST * label, Math.max(LEAST * label, width * TALL_PER_WIDTH)),
  };
  const ends = curves.flatMap(({ curve }) => [curve.positions[0] ?? 0, curve.positions.at(-1) ?? 1]);
  const [from, to] = [Math.min(0, ...ends), Math.max(1e-9, ...ends)];
  const depth = { title: 'Depth along the beam', unit: 'mm', kind: 'linear', from, to } as const;
  const peak = Math.max(1e-300, ...curves.map(({ curve }) => reach(curve.values)));
  const unit = curves[0]?.curve.unit ?? 'MeV/mm';
  const dose = plotAxes(depth, { title: 'Dose', unit, kind: 'linear', from: 0, to: peak * 1.06 }, box, label);
  shapes.push(...dose.shapes);
  const most = Math.max(2, box.width * POINTS_PER_PIXEL);
  for (const { curve, ink, dash } of curves) {
    const points = line(curve, most, (x, y) => [dose.x.toPixel(x), dose.y.toPixel(y)]);
    shapes.push({ kind: 'path', points, ink, dash });
  }
  const others = curves.filter(({ residual }) => residual !== null);
  const lower = {
    left,
    top: box.top + box.height + horizontalRoom(label) + label,
    width: box.width,
    height: RESIDUAL * label,
  };
  const bottom = others.length === 0 ? box.top + box.height : lower.top + lower.height;
  if (others.length > 0) {
    const largest = Math.max(...others.map(({ residual }) => reach(residual?.values ?? []))) || peak * 1e-12;
    const axis = {
      title: 'Less the reference',
      unit,
      kind: 'linear',
      from: -largest * 1.1,
      to: largest * 1.1,
    } as const;
    const plot = plotAxes(depth, axis, lower, label);
    shapes.push(...plot.shapes);
    const zero = plot.y.toPixel(0);
    shapes.push({ kind: 'line', from: [left, zero], to: [left + lower.width, zero], ink: 'text-muted' });
    for (const { residual, ink, dash } of others) {
      if (residual === null) continue;
      const points = line(residual, most, (x, y) => [plot.x.toPixel(x), plot.y.toPixel(y)]);
      shapes.push({ kind: 'path', points, ink, dash, width: 1.25 });
    }
  }
  return {
    width,
    height: Math.round(bottom + horizontalRoom(label) + label / 2),
    title: 'Depth dose, and what it differs by',
    shapes,
    arrays: curves.flatMap(({ name, curve, residual }, row) => {
      const prefix = `${identifier(name)}_${row + 1}`;
      const depths = axisArray(`${prefix}_depth_mm`, 'mm', `depth, ${name}`, curve.positions);
      const values = curveArray(`${prefix}_dose`, unit, `dose, ${name}`, depths.name, curve.values);
      if (residual === null) return [depths, values];
      const places = axisArray(`${prefix}_residual_depth_mm`, 'mm', `depth, ${name}`, residual.positions);
      const words = `dose less the reference's, ${name}`;
      return [depths, values, places, curveArray(`${prefix}_residual`, unit, words, places.name, residual.values)];
    }),
    notes: {},
  };
}
