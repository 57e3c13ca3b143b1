/** A dose with where its cells lie, whoever computed it. */
import type { TransportProblem } from '../../io/addon/addon.ts';
import type { ComparedField } from '../../model/fields/field.ts';
import type { GridAxis } from '../../model/fields/reduce.ts';
import { type AxisGeometry, axisProfileLater } from './metrics/axis-profile.ts';
import { profileCurve } from './metrics/run-metrics.ts';

/** Edges of `count` cells, in whole cells from the first edge. */
function axis(name: 'z' | 'x', count: number, width_mm: number, first: number): GridAxis {
  const edges = Float64Array.from({ length: count + 1 }, (_, i) => (first + i) * width_mm);
  return { name, unit: 'mm', edges, uniform: true };
}

/** `dose`: MeV per cell, [z][x]. Shown as MeV/mm² over depth (across) and x (up). */
export function doseField(dose: Float64Array, geometry: AxisGeometry): ComparedField {
  const { nz, nx, dz_mm, dx_mm } = geometry;
  return {
    quantity: 'dose',
    unit: 'MeV/mm²',
    values: dose,
    scale: 1 / (dz_mm * dx_mm),
    horizontal: axis('z', nz, dz_mm, 0),
    vertical: axis('x', nx, dx_mm, -nx / 2),
    strideHorizontal: nx,
    strideVertical: 1,
    statistic: 'mean',
    curve: async () => profileCurve(await axisProfileLater(dose, geometry)),
  };
}

export function doseFieldOf({ grid, beam }: TransportProblem, dose: Float64Array): ComparedField {
  const { nz, nx, dz_mm, dx_mm } = grid;
  const { x_mm, z_mm, angle_rad } = beam;
  return doseField(dose, { nz, nx, dz_mm, dx_mm, x_mm, z_mm, angle_rad });
}
