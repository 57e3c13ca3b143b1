/** The four axes of a run's grid in display units. */
import type { AxisName } from '../../../../contract/fields.ts';
import type { DoseMap } from '../../../model/fields/gamma.ts';
import type { GridAxis } from '../../../model/fields/reduce.ts';
import type { Axes } from '../run-data.ts';

function uniform(name: AxisName, unit: string, start: number, step: number, count: number): GridAxis {
  return { name, unit, uniform: true, edges: Float64Array.from({ length: count + 1 }, (_, i) => start + i * step) };
}

/** Edges between bins of which only the centres are known: halfway, and as far outside at both ends. */
function energyAxis(centres: Float64Array): GridAxis {
  const n = centres.length;
  const at = (i: number): number => centres[i] ?? 0;
  const edges = new Float64Array(n + 1);
  for (let i = 1; i < n; i += 1) edges[i] = (at(i - 1) + at(i)) / 2;
  edges[0] = n > 1 ? at(0) - (at(1) - at(0)) / 2 : at(0) - 0.5;
  edges[n] = n > 1 ? at(n - 1) + (at(n - 1) - at(n - 2)) / 2 : at(0) + 0.5;
  return { name: 'e', unit: 'MeV', uniform: false, edges };
}

export type GridAxes = Readonly<Record<AxisName, GridAxis>>;

/** Cached, because every map of every frame requests the axes of its run. */
const made = new WeakMap<Axes, GridAxes>();

export function gridAxes(axes: Axes): GridAxes {
  const known = made.get(axes);
  if (known !== undefined) return known;
  const fresh = makeAxes(axes);
  made.set(axes, fresh);
  return fresh;
}

/** Those of a dose of another program. */
export function planeAxes(map: DoseMap): Pick<GridAxes, 'z' | 'x'> {
  const { nz, nx, dz_mm, dx_mm, z_from_mm = 0, x_from_mm = (-nx * dx_mm) / 2 } = map;
  return { z: uniform('z', 'mm', z_from_mm, dz_mm, nz), x: uniform('x', 'mm', x_from_mm, dx_mm, nx) };
}

function makeAxes(axes: Axes): GridAxes {
  const { nz, nx, ntheta, dz_mm, dx_mm, dtheta_rad, theta_centre_rad } = axes;
  const dtheta = 1000 * dtheta_rad;
  return {
    z: uniform('z', 'mm', 0, dz_mm, nz),
    x: uniform('x', 'mm', (-nx * dx_mm) / 2, dx_mm, nx),
    theta: uniform('theta', 'mrad', 1000 * theta_centre_rad - (ntheta * dtheta) / 2, dtheta, ntheta),
    e: energyAxis(axes.energies_MeV),
  };
}
