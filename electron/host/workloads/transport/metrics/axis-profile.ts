/**
 * Dose integrated across the beam axis. A tilted beam leaves the energy of a step in the cell of the step's middle: it
 * is spread along the axis as far as the step goes, or as the cell reaches where that is more; across, by the cell's
 * width (a trapezium). No energy is lost, and neither steps nor cells show as a comb. Along +z the profile is the plain
 * sum over x.
 */
import {
  axisProfile as nativeProfile,
  axisProfileLater as nativeProfileLater,
  type Per,
} from '../../../io/addon/reduction.ts';

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

const ROUNDING = 1e-9;

/** Length along the axis over which a cell's energy is spread: its projected depth or its step, whichever is longer. */
export function reachOf({ dz_mm, angle_rad, step_mm }: Pick<AxisGeometry, 'dz_mm' | 'angle_rad' | 'step_mm'>): number {
  return Math.max(Math.abs(dz_mm * Math.cos(angle_rad)), step_mm ?? 0);
}

/** Variance of a step that is spread over cells along one direction, and counted by them; 0 within a cell. */
function spread_mm2(step_mm: number, cell_mm: number, part: number): number {
  const length = Math.abs(step_mm * part);
  return length > cell_mm * (1 + ROUNDING) ? ((length * part) ** 2 + (cell_mm * part) ** 2) / 12 : 0;
}

/** Variance by which a tilted profile is wider than means over bins would be, mm². */
export function blurOf(g: AxisGeometry): number {
  const [uz, ux] = [Math.cos(g.angle_rad), Math.sin(g.angle_rad)];
  if (Math.abs(ux) < STRAIGHT && uz > 0) return 0;
  const [shadowZ, shadowX] = [Math.abs(g.dz_mm * uz), Math.abs(g.dx_mm * ux)];
  // Once over the way of its deposit, where it was scored, and once where it is spread.
  const deposit = g.step_mm || Math.hypot(shadowZ, shadowX);
  const engine = g.spread ? spread_mm2(deposit, g.dz_mm, uz) + spread_mm2(deposit, g.dx_mm, ux) : 0;
  return (deposit ** 2 + reachOf(g) ** 2 + shadowX ** 2) / 12 + engine;
}

/** dose: MeV per cell, [z][x]. The addon makes the bins. */
export function axisProfile(dose: Float64Array, g: AxisGeometry): AxisProfile {
  return { ...nativeProfile(dose, { ...g, reach_mm: reachOf(g) }), blur_mm2: blurOf(g) };
}

/** The same off the event loop; with `per` of what each cell is divided by. */
export async function axisProfileLater(dose: Float64Array, g: AxisGeometry, per?: Per): Promise<AxisProfile> {
  return { ...(await nativeProfileLater(dose, { ...g, reach_mm: reachOf(g) }, per)), blur_mm2: blurOf(g) };
}
