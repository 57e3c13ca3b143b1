/**
 * Dose integrated across the beam axis. A tilted beam leaves the energy of a step in the cell of the step's middle: it
 * is spread along the axis as far as the step goes, or as the cell reaches where that is more, and by the cell's width
 * across (a trapezium). No energy is lost, and neither steps nor cells show as a comb. Along +z the profile is the
 * plain sum over x.
 */

export interface AxisGeometry {
  readonly nz: number;
  readonly nx: number;
  readonly dz_mm: number;
  readonly dx_mm: number;
  /** Entrance point of the beam; x from the centre of the geometry, z from its front. */
  readonly x_mm: number;
  readonly z_mm: number;
  /** From +z. */
  readonly angle_rad: number;
  /** Path of a solver's step along the axis; 0 where that is not known, or cells hold what fell into them. */
  readonly step_mm?: number;
  /** True where the engine has spread the energy of a step over the cells that it crosses, by path stepping. */
  readonly spread?: boolean;
}

export interface AxisProfile {
  /** Depth along the axis of the first bin's near edge, counted from the entrance point. */
  readonly start_mm: number;
  readonly step_mm: number;
  /** MeV per mm of axis, one per bin. */
  readonly values: Float64Array;
  /** Variance along the axis by which values are wider than means over bins would be, mm². */
  readonly blur_mm2: number;
}

/** Below this the shadow of dx is far less than a thousandth of a bin: the axis is +z. */
const STRAIGHT = 1e-9;

/**
 * Share of a trapezium (the sum of two uniform widths) that lies below s, from
 * its centre. Integral of the convolution of two boxes of widths a ≥ b.
 */
function shareBelow(s: number, a: number, b: number): number {
  const half = (a + b) / 2;
  if (s <= -half) return 0;
  if (s >= half) return 1;
  if (s > 0) return 1 - shareBelow(-s, a, b);
  const flat = (a - b) / 2;
  if (s <= -flat) return (s + half) ** 2 / (2 * a * b);
  return b / (2 * a) + (s + flat) / a;
}

const ROUNDING = 1e-9;

/** How far along the axis a cell's energy is spread by its depth, or by the step that left it there. */
export function reachOf({ dz_mm, angle_rad, step_mm }: AxisGeometry): number {
  return Math.max(Math.abs(dz_mm * Math.cos(angle_rad)), step_mm ?? 0);
}

/** Variance of a step that is spread over cells along one direction, and counted by them; 0 within a cell. */
function spread_mm2(step_mm: number, cell_mm: number, part: number): number {
  const length = Math.abs(step_mm * part);
  return length > cell_mm * (1 + ROUNDING) ? ((length * part) ** 2 + (cell_mm * part) ** 2) / 12 : 0;
}

/** dose: MeV per cell, [z][x]. */
export function axisProfile(dose: Float64Array, g: AxisGeometry): AxisProfile {
  const [uz, ux] = [Math.cos(g.angle_rad), Math.sin(g.angle_rad)];
  const step = g.dz_mm;
  if (Math.abs(ux) < STRAIGHT && uz > 0) {
    const values = new Float64Array(g.nz);
    for (let z = 0; z < g.nz; z += 1) {
      let sum = 0;
      for (let x = 0; x < g.nx; x += 1) sum += dose[z * g.nx + x] ?? 0;
      values[z] = sum / step;
    }
    return { start_mm: -g.z_mm, step_mm: step, values, blur_mm2: 0 };
  }
  const [shadowZ, shadowX] = [Math.abs(g.dz_mm * uz), Math.abs(g.dx_mm * ux)];
  const reach = reachOf(g);
  const [wide, narrow] = [Math.max(reach, shadowX), Math.max(Math.min(reach, shadowX), 1e-12)];
  const half = (wide + narrow) / 2;
  const along = (z_mm: number, x_mm: number): number => (z_mm - g.z_mm) * uz + (x_mm - g.x_mm) * ux;
  const [depth, side] = [g.nz * g.dz_mm, (g.nx * g.dx_mm) / 2];
  const corners = [along(0, -side), along(0, side), along(depth, -side), along(depth, side)];
  // The entrance is a bin edge, so that the first bins are those of the beam and not shared with what lies before it.
  const first = Math.floor(Math.min(...corners) / step);
  const bins = Math.ceil(Math.max(...corners) / step) - first;
  const values = new Float64Array(bins);
  for (let z = 0; z < g.nz; z += 1) {
    for (let x = 0; x < g.nx; x += 1) {
      const energy = dose[z * g.nx + x] ?? 0;
      if (energy === 0) continue;
      const centre = along((z + 0.5) * g.dz_mm, (x + 0.5) * g.dx_mm - side) - first * step;
      const last = Math.min(bins - 1, Math.floor((centre + half) / step));
      let below = 0;
      for (let bin = Math.max(0, Math.floor((centre - half) / step)); bin <= last; bin += 1) {
        // All that is left goes into the last bin: rounding loses nothing.
        const next = bin === last ? 1 : shareBelow((bin + 1) * step - centre, wide, narrow);
        values[bin] = (values[bin] ?? 0) + (energy * (next - below)) / step;
        below = next;
      }
    }
  }
  // Once over the way of its deposit, where it was scored, and once where it is spread.
  const deposit = g.step_mm || Math.hypot(shadowZ, shadowX);
  const engine = g.spread ? spread_mm2(deposit, g.dz_mm, uz) + spread_mm2(deposit, g.dx_mm, ux) : 0;
  const blur_mm2 = (deposit ** 2 + wide ** 2 + narrow ** 2) / 12 + engine;
  return { start_mm: first * step, step_mm: step, values, blur_mm2 };
}
