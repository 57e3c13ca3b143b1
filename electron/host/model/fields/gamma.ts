/**
 * Gamma index between two dose maps: D. A. Low et al., Med. Phys. 25 (1998) 656. The dose criterion is global; the
 * search is two-dimensional, with bilinear interpolation of the evaluated dose between cells. A dose volume is first
 * reduced to a plane: one axis is depth, one is across, and a third one is summed.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BraggError } from '../../../contract/errors.ts';
import { GammaCounts, type GammaCriteria, gammaThreshold, maxGamma } from '../../../domain/dose/gamma-curve.ts';
import type { Volume } from '../../io/volumes/volume.ts';

export interface DoseMap {
  /** Dose values in any unit, [z][x]. */
  readonly dose: Float64Array;
  readonly nz: number;
  readonly nx: number;
  readonly dz_mm: number;
  readonly dx_mm: number;
  /**
   * Edge of the first cell in depth, 0 by default. `x_from_mm` is the edge across; by default x = 0 is the middle of
   * the map.
   */
  readonly z_from_mm?: number;
  readonly x_from_mm?: number;
}

export interface GammaResult extends GammaCriteria {
  /** Fraction of the points above the dose threshold that have gamma <= 1. */
  readonly passed: number;
  readonly points: number;
  readonly worst: number;
  /** Histogram of gamma in bins of 0.1. Gamma is capped at 3; the last bin contains the capped values. */
  readonly histogram: readonly number[];
}

/** Search steps per distance criterion. */
const SEARCH_STEPS = 10;

const firstZ_mm = ({ z_from_mm }: DoseMap): number => z_from_mm ?? 0;
const firstX_mm = ({ x_from_mm, nx, dx_mm }: DoseMap): number => x_from_mm ?? (-nx * dx_mm) / 2;

/**
 * Dose at a position in mm, or null outside of the map. x is measured from the centre line, so that maps of different
 * widths match.
 */
function doseAtPosition(map: DoseMap, z_mm: number, x_mm: number): number | null {
  const { dose, nz, nx, dz_mm, dx_mm } = map;
  const [row, column] = [(z_mm - firstZ_mm(map)) / dz_mm - 0.5, (x_mm - firstX_mm(map)) / dx_mm - 0.5];
  if (row < -0.5 || row > nz - 0.5 || column < -0.5 || column > nx - 0.5) return null;
  const [z, x] = [Math.min(Math.max(Math.floor(row), 0), nz - 1), Math.min(Math.max(Math.floor(column), 0), nx - 1)];
  const [fz, fx] = [Math.min(Math.max(row - z, 0), 1), Math.min(Math.max(column - x, 0), 1)];
  const at = (i: number, j: number): number => dose[Math.min(i, nz - 1) * nx + Math.min(j, nx - 1)] ?? 0;
  return (1 - fz) * ((1 - fx) * at(z, x) + fx * at(z, x + 1)) + fz * ((1 - fx) * at(z + 1, x) + fx * at(z + 1, x + 1));
}

interface SearchOffset {
  readonly z: number;
  readonly x: number;
  /** Squared distance of the offset, divided by the squared distance criterion. */
  readonly share: number;
}

/** Offsets to search around a point, sorted by distance, so that the search can stop early. */
function searchOffsets(distance_mm: number): readonly SearchOffset[] {
  const step = distance_mm / SEARCH_STEPS;
  const reach = maxGamma * SEARCH_STEPS;
  const all: SearchOffset[] = [];
  for (let i = -reach; i <= reach; i += 1) {
    for (let j = -reach; j <= reach; j += 1) {
      const share = (i * i + j * j) / SEARCH_STEPS ** 2;
      if (share <= maxGamma ** 2) all.push({ z: i * step, x: j * step, share });
    }
  }
  return all.sort((a, b) => a.share - b.share);
}

interface GammaField extends GammaResult {
  /** Gamma in each cell of the reference map, [z][x]; NaN if the reference dose is below the threshold. */
  readonly values: Float32Array;
}

/** Number of cells to process before yielding: about 1 ms for copying, and 5 ms for the search. */
const COPIED_AT_ONCE = 2 ** 18;
const EVALUATED_AT_ONCE = 64;

/** Converts energy per cell to energy per area, and finds its maximum. */
function* energyPerArea(map: DoseMap): Generator<void, { readonly map: DoseMap; readonly peak: number }> {
  const area = map.dz_mm * map.dx_mm;
  const dose = new Float64Array(map.dose.length);
  let peak = 0;
  for (let i = 0; i < dose.length; i += 1) {
    const value = (map.dose[i] ?? 0) / area;
    dose[i] = value;
    peak = Math.max(peak, value);
    if (i % COPIED_AT_ONCE === COPIED_AT_ONCE - 1) yield;
  }
  return { map: { ...map, dose }, peak };
}

/** Computes gamma cell by cell, yielding so that other work on the thread can run in between. */
function* evaluateCells(
  reference: DoseMap,
  evaluated: DoseMap,
  criteria: GammaCriteria,
  values: Float32Array | null,
): Generator<void, GammaResult> {
  const { map: wanted, peak } = yield* energyPerArea(reference);
  const { map: given } = yield* energyPerArea(evaluated);
  const places = searchOffsets(criteria.distance_mm);
  const counts = new GammaCounts();
  const least = (criteria.threshold ?? gammaThreshold) * peak;
  for (let row = 0; row < wanted.nz; row += 1) {
    for (let column = 0; column < wanted.nx; column += 1) {
      const i = row * wanted.nx + column;
      if (i % COPIED_AT_ONCE === 0) {
        values?.fill(Number.NaN, i, i + COPIED_AT_ONCE);
        yield;
      }
      const dose = wanted.dose[i] ?? 0;
      if (!(dose > 0) || dose < least) continue;
      const allowed = criteria.dose * (criteria.local === true ? dose : peak);
      const z = firstZ_mm(wanted) + (row + 0.5) * wanted.dz_mm;
      const x = firstX_mm(wanted) + (column + 0.5) * wanted.dx_mm;
      let best = maxGamma ** 2;
      for (const place of places) {
        if (place.share >= best) break;
        const found = doseAtPosition(given, z + place.z, x + place.x);
        if (found !== null) best = Math.min(best, place.share + ((found - dose) / allowed) ** 2);
      }
      counts.add(Math.sqrt(best));
      if (values !== null) values[i] = Math.sqrt(best);
      if (counts.points % EVALUATED_AT_ONCE === 0) yield;
    }
  }
  const { passed, points, worst, histogram } = counts;
  return { ...criteria, passed, points, worst, histogram };
}

/**
 * Compares `evaluated` with `reference`. Both are converted to dose per area, because their cells may differ in size.
 */
export function gammaIndex(reference: DoseMap, evaluated: DoseMap, criteria: GammaCriteria): GammaResult {
  const work = evaluateCells(reference, evaluated, criteria, null);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Duration of work, in ms, before yielding to the event loop. */
const SLICE_MS = 8;

/**
 * Computes `gamma` and the index of every cell, yielding to the event loop. If the signal is aborted, rejects with its
 * reason.
 */
export async function computeGammaField(
  reference: DoseMap,
  evaluated: DoseMap,
  criteria: GammaCriteria,
  signal: AbortSignal,
): Promise<GammaField> {
  const values = new Float32Array(reference.dose.length);
  const work = evaluateCells(reference, evaluated, criteria, values);
  for (;;) {
    const until = performance.now() + SLICE_MS;
    while (performance.now() < until) {
      const step = work.next();
      if (step.done) return { ...step.value, values };
    }
    await nextTurn();
    signal.throwIfAborted();
  }
}

const axisNames = ['x', 'y', 'z'] as const;
export type VolumeAxis = (typeof axisNames)[number];

/** Selects the axes of a dose volume that are depth and across, by name. By default depth is the last axis. */
export interface VolumePlane {
  readonly depth?: VolumeAxis | undefined;
  readonly across?: VolumeAxis | undefined;
  /** Shift in mm to add to the positions in the file. */
  readonly shift_depth_mm?: number;
  readonly shift_across_mm?: number;
}

function planeAxes(sizes: readonly number[], plane: VolumePlane) {
  const depth = axisNames.indexOf(plane.depth ?? (sizes.length === 2 ? 'y' : 'z'));
  return { depth, across: axisNames.indexOf(plane.across ?? 'x') };
}

/** Axis of a volume that is summed: neither depth nor across. Undefined for a plane. */
export function summedAxis(sizes: readonly number[], plane: VolumePlane): number | undefined {
  const { depth, across } = planeAxes(sizes, plane);
  return [0, 1, 2].find((axis) => axis < sizes.length && axis !== depth && axis !== across);
}

export function doseMapOfVolume(file: string, volume: Volume, plane: VolumePlane = {}): DoseMap {
  const { sizes, spacing_mm, origin_mm, values } = volume;
  const { depth, across } = planeAxes(sizes, plane);
  if (depth === across || depth >= sizes.length || across >= sizes.length) {
    const availableAxes = axisNames.slice(0, sizes.length).join(', ');
    throw new BraggError('invalid', `${file}: depth and lateral position must be two of its axes: ${availableAxes}.`);
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
      // The dose is stored as energy per cell, because comparisons divide by the area of the cell.
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

/** Scales a map so that its largest dose per area is 1. */
export function normalizeToPeak(map: DoseMap): DoseMap {
  const peak = map.dose.reduce((a, b) => Math.max(a, b), 0) / (map.dz_mm * map.dx_mm);
  return peak > 0 ? { ...map, dose: map.dose.map((value) => value / peak) } : map;
}
