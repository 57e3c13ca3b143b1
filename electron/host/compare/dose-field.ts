/** A dose with where its cells lie, whoever computed it. */
import type { FieldMap, Viewport } from '../../contract/fields.ts';
import type { TransportProblem } from '../addon.ts';
import { extent, type GridAxis, mapAxis, reduce, sampling } from '../display/reduce.ts';
import type { AxisGeometry } from '../metrics/axis-profile.ts';

export interface DoseField {
  /** MeV per cell, [z][x]. */
  readonly dose: Float64Array;
  readonly geometry: AxisGeometry;
}

export function fieldOfProblem({ grid, beam }: TransportProblem, dose: Float64Array): DoseField {
  const { nz, nx, dz_mm, dx_mm } = grid;
  const { x_mm, z_mm, angle_rad } = beam;
  return { dose, geometry: { nz, nx, dz_mm, dx_mm, x_mm, z_mm, angle_rad } };
}

export function sameGrid({ geometry: a }: DoseField, { geometry: b }: DoseField): boolean {
  return a.nz === b.nz && a.nx === b.nx && a.dz_mm === b.dz_mm && a.dx_mm === b.dx_mm;
}

export function gridText({ geometry: { nz, nx, dz_mm, dx_mm } }: DoseField): string {
  return `${nz} × ${nx} cells of ${dz_mm} × ${dx_mm} mm²`;
}

/** Edges of `count` cells, in whole cells from the first edge. */
function axis(name: 'z' | 'x', count: number, width_mm: number, first: number): GridAxis {
  const edges = Float64Array.from({ length: count + 1 }, (_, i) => (first + i) * width_mm);
  return { name, unit: 'mm', edges, uniform: true };
}

/** MeV/mm² over depth (across) and x (up), reduced to the viewport. */
export function doseMap({ dose, geometry }: DoseField, { horizontal, vertical, pixels }: Viewport): FieldMap {
  const { nz, nx, dz_mm, dx_mm } = geometry;
  const z = axis('z', nz, dz_mm, 0);
  const x = axis('x', nx, dx_mm, -nx / 2);
  const [across, up] = [sampling(z, horizontal, pixels[0]), sampling(x, vertical, pixels[1])];
  const scale = 1 / (dz_mm * dx_mm);
  return {
    quantity: 'dose',
    unit: 'MeV/mm²',
    horizontal: mapAxis(z, across),
    vertical: mapAxis(x, up),
    values: reduce({ values: dose, strideHorizontal: nx, strideVertical: 1 }, across, up, scale),
    ...extent(dose, scale),
  };
}

/** `here` less `reference`; null where the grids differ. */
export function difference(here: DoseField, reference: DoseField): DoseField | null {
  if (!sameGrid(here, reference)) return null;
  return { ...here, dose: here.dose.map((value, i) => value - (reference.dose[i] ?? 0)) };
}
