/** The plane of a dose volume that a run's dose is compared with: one axis is depth, one across, a third is summed. */
import { BraggError } from '../../../contract/errors.ts';
import type { Volume } from '../../io/volumes/volume.ts';
import type { DoseMap } from './gamma.ts';

const names = ['x', 'y', 'z'] as const;
export type VolumeAxis = (typeof names)[number];

/** Axes of a volume by name; of a plane the second one is depth, of a volume the third. */
export interface PlaneOfVolume {
  readonly depth?: VolumeAxis | undefined;
  readonly across?: VolumeAxis | undefined;
  /** mm that are added to the file's positions. */
  readonly shift_depth_mm?: number;
  readonly shift_across_mm?: number;
}

function planeAxesOf(sizes: readonly number[], plane: PlaneOfVolume) {
  const depth = names.indexOf(plane.depth ?? (sizes.length === 2 ? 'y' : 'z'));
  return { depth, across: names.indexOf(plane.across ?? 'x') };
}

/** Which axis is neither depth nor across; undefined of a plane. */
export function summedAxis(sizes: readonly number[], plane: PlaneOfVolume): number | undefined {
  const { depth, across } = planeAxesOf(sizes, plane);
  return [0, 1, 2].find((axis) => axis < sizes.length && axis !== depth && axis !== across);
}

export function volumeDose(file: string, volume: Volume, plane: PlaneOfVolume = {}): DoseMap {
  const { sizes, spacing_mm, origin_mm, values } = volume;
  const { depth, across } = planeAxesOf(sizes, plane);
  if (depth === across || depth >= sizes.length || across >= sizes.length) {
    const there = names.slice(0, sizes.length).join(', ');
    throw new BraggError('invalid', `${file}: depth and across must be two of its axes: ${there}.`);
  }
  const strides = sizes.map((_, axis) => sizes.slice(0, axis).reduce((a, b) => a * b, 1));
  const [nz, nx] = [sizes[depth] ?? 0, sizes[across] ?? 0];
  const [dz, dx] = [spacing_mm[depth] ?? 1, spacing_mm[across] ?? 1];
  const other = summedAxis(sizes, plane);
  const layers = other === undefined ? 1 : (sizes[other] ?? 1);
  const dose = new Float64Array(nz * nx);
  for (let z = 0; z < nz; z += 1) {
    for (let x = 0; x < nx; x += 1) {
      let sum = 0;
      for (let y = 0; y < layers; y += 1) {
        const at =
          z * (strides[depth] ?? 0) +
          x * (strides[across] ?? 0) +
          y * (other === undefined ? 0 : (strides[other] ?? 0));
        sum += values[at] ?? 0;
      }
      // As energy: comparisons divide by the area of a cell.
      dose[z * nx + x] = sum * dz * dx;
    }
  }
  const from = (axis: number, shift = 0): number => (origin_mm[axis] ?? 0) - (spacing_mm[axis] ?? 1) / 2 + shift;
  return {
    dose,
    nz,
    nx,
    dz_mm: dz,
    dx_mm: dx,
    z_from_mm: from(depth, plane.shift_depth_mm),
    x_from_mm: from(across, plane.shift_across_mm),
  };
}

/** Scaled so that the largest dose by area is 1. */
export function toPeak(map: DoseMap): DoseMap {
  const peak = map.dose.reduce((a, b) => Math.max(a, b), 0) / (map.dz_mm * map.dx_mm);
  return peak > 0 ? { ...map, dose: map.dose.map((value) => value / peak) } : map;
}
