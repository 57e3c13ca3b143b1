/** Line in the z–x plane along which the depth dose is evaluated. */
import { valueAt } from '../../../electron/contract/scenario/index.ts';
import type { ResolvedTransport } from '../../../electron/contract/scenario/transport/workload.ts';

export interface BeamAxis {
  readonly entrance_mm: { readonly z: number; readonly x: number };
  /** Angle from +z towards +x. */
  readonly angle_rad: number;
}

export function beamAxis(resolved: ResolvedTransport | null): BeamAxis {
  const read = (key: string): number => {
    const value = valueAt(resolved?.scenario, ['beam', key]);
    return typeof value === 'number' ? value : 0;
  };
  return { entrance_mm: { z: read('z_mm'), x: read('x_mm') }, angle_rad: (read('angle_deg') * Math.PI) / 180 };
}

/** Depth in mm of a point's projection onto the axis. */
export function depthAlong(axis: BeamAxis, z: number, x: number): number {
  const { entrance_mm, angle_rad } = axis;
  return (z - entrance_mm.z) * Math.cos(angle_rad) + (x - entrance_mm.x) * Math.sin(angle_rad);
}

export function pointAlong(axis: BeamAxis, depth_mm: number): { readonly z: number; readonly x: number } {
  const { entrance_mm, angle_rad } = axis;
  return {
    z: entrance_mm.z + depth_mm * Math.cos(angle_rad),
    x: entrance_mm.x + depth_mm * Math.sin(angle_rad),
  };
}

/** Value of the curve at `position` by linear interpolation; null outside. */
export function interpolate(positions: ArrayLike<number>, values: ArrayLike<number>, position: number): number | null {
  const last = positions.length - 1;
  if (last < 0 || !(position >= (positions[0] ?? 0)) || !(position <= (positions[last] ?? 0))) return null;
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) <= position) low = middle;
    else high = middle;
  }
  const [a, b] = [positions[low] ?? 0, positions[high] ?? 0];
  const [u, v] = [values[low] ?? 0, values[high] ?? 0];
  return b === a ? u : u + ((v - u) * (position - a)) / (b - a);
}
