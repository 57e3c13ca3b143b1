/**
 * Dose in three dimensions by moments, in Gy. As in exported maps, x is the first axis of a file, depth the second, and
 * y the third. For a supine patient, they point to the left, the back and the head.
 */

import type { z } from 'zod';
import {
  MAX_VOLUME_CELLS,
  type VolumeAnswer,
  type VolumeSlice,
  type volumeRequestSchema,
} from '../../../../contract/beams/volume.ts';
import { BraggError } from '../../../../contract/errors.ts';
import type { NativeAddon, TransportProblem, VolumeDose } from '../../../io/addon/addon.ts';
import { type DirectedVolume, metaImageBytes, nrrdBytes, rtDoseBytes } from '../../../io/volumes/write.ts';

type Request = z.output<typeof volumeRequestSchema>;

/** Gy for 10⁹ protons that each deposit 1 MeV in 1 mm³ of 1 g/cm³. */
const GRAY = 160.2176634;
const BILLION = 1e9;
/** Extent of the grid: standard deviations of a spot, and mm for its halo. */
const REACH = { sigmas: 5, halo_mm: 30 } as const;

const writers = { mha: metaImageBytes, nrrd: nrrdBytes, dcm: rtDoseBytes } as const;

/** Side of the square that contains the dose of every spot; scattering at the end of the range is about 2.5 % of it. */
function transverseSide_mm({ beam, spots = [beam], grid }: TransportProblem, cell_mm: number): number {
  const scattered = 0.025 * grid.nz * grid.dz_mm;
  const reach = spots.reduce((most, spot) => {
    const width = Math.hypot(Math.max(spot.x_sigma_mm, spot.y_sigma_mm ?? 0), scattered);
    return Math.max(most, Math.max(Math.abs(spot.x_mm), Math.abs(spot.y_mm ?? 0)) + REACH.sigmas * width);
  }, 0);
  return 2 * cell_mm * Math.ceil((reach + REACH.halo_mm) / cell_mm);
}

interface Volume {
  readonly sizes: readonly [number, number, number];
  readonly spacing_mm: readonly [number, number, number];
  /** Dose in each cell, [z][y][x]. */
  readonly values: Float64Array;
}

const placeOf = ({ sizes, spacing_mm }: Volume, axis: 0 | 1 | 2, index: number): number =>
  (index + 0.5 - (axis === 2 ? 0 : sizes[axis] / 2)) * spacing_mm[axis];

/** Converts MeV per cell to Gy. */
function volumeInGray(
  problem: TransportProblem,
  { dose_MeV }: VolumeDose,
  volume: Omit<Volume, 'values'>,
  times: number,
) {
  const [nx, ny, nz] = volume.sizes;
  const [dx, dy, dz] = volume.spacing_mm;
  const values = new Float64Array(dose_MeV.length);
  for (let z = 0; z < nz; z += 1) {
    const density = problem.materials[problem.map[z * problem.grid.nx] ?? 0]?.density_g_cm3 ?? 1;
    const factor = (GRAY * times) / (dx * dy * dz * density);
    for (let i = z * nx * ny; i < (z + 1) * nx * ny; i += 1) values[i] = factor * (dose_MeV[i] ?? 0);
  }
  return values;
}

/** Returns the three planes through a cell. */
function slicesOf(volume: Volume, [x0, y0, z0]: readonly [number, number, number]): VolumeSlice[] {
  const [nx, ny, nz] = volume.sizes;
  const at = (x: number, y: number, z: number): number => volume.values[(z * ny + y) * nx + x] ?? 0;
  const filled = (rows: number, columns: number, value: (row: number, column: number) => number): Float64Array =>
    Float64Array.from({ length: rows * columns }, (_, i) => value(Math.floor(i / columns), i % columns));
  return [
    {
      ...{ across: 'y', at_mm: placeOf(volume, 1, y0), columns: 'x', rows: 'z' },
      values: filled(nz, nx, (z, x) => at(x, y0, z)),
    },
    {
      ...{ across: 'x', at_mm: placeOf(volume, 0, x0), columns: 'y', rows: 'z' },
      values: filled(nz, ny, (z, y) => at(x0, y, z)),
    },
    {
      ...{ across: 'z', at_mm: placeOf(volume, 2, z0), columns: 'x', rows: 'y' },
      values: filled(ny, nx, (y, x) => at(x, y, z0)),
    },
  ];
}

/** Axes of the file: x, depth, y; see above. */
function volumeForFile(volume: Volume): DirectedVolume {
  const [nx, ny, nz] = volume.sizes;
  const [dx, dy, dz] = volume.spacing_mm;
  const values = new Float64Array(volume.values.length);
  for (let z = 0; z < nz; z += 1) {
    for (let y = 0; y < ny; y += 1) {
      const row = volume.values.subarray((z * ny + y) * nx, (z * ny + y + 1) * nx);
      values.set(row, (y * nz + z) * nx);
    }
  }
  return {
    sizes: [nx, nz, ny],
    spacing_mm: [dx, dz, dy],
    origin_mm: [placeOf(volume, 0, 0), placeOf(volume, 2, 0), placeOf(volume, 1, 0)],
    values,
  };
}

export async function solveVolume(
  addon: Pick<NativeAddon, 'volumeDose'>,
  problem: TransportProblem,
  request: Request,
  signal: AbortSignal,
): Promise<VolumeAnswer> {
  const begun = performance.now();
  const { cell_mm, protons_per_mu, file } = request;
  const across_mm = request.across_mm ?? transverseSide_mm(problem, cell_mm);
  const n = Math.max(1, Math.round(across_mm / cell_mm));
  const { nz, dz_mm } = problem.grid;
  if (n * n * nz > MAX_VOLUME_CELLS) {
    throw new BraggError(
      'invalid',
      `${n} × ${n} × ${nz} cells of ${cell_mm} mm; allowed: at most ${MAX_VOLUME_CELLS} in total. Use larger cells, or a smaller across_mm.`,
    );
  }
  signal.throwIfAborted();
  const inFull = { ...problem, solver: { ...problem.solver, precision: 'fp64' as const } };
  const solving = addon.volumeDose(inFull, { nx: n, ny: n, dx_mm: cell_mm, dy_mm: cell_mm });
  const cancel = (): void => solving.cancel();
  signal.addEventListener('abort', cancel);
  const dose = await solving.done.finally(() => signal.removeEventListener('abort', cancel));
  const { beam, spots = [beam] } = problem;
  const protons = spots.reduce((sum, { weight }) => sum + weight, 0);
  const grid = { sizes: [n, n, nz], spacing_mm: [cell_mm, cell_mm, dz_mm] } as const;
  const times = (protons_per_mu === undefined ? 1 : protons_per_mu / BILLION) / protons;
  const volume: Volume = { ...grid, values: volumeInGray(problem, dose, grid, times) };
  const unit = protons_per_mu === undefined ? 'Gy per 10⁹ protons' : 'Gy per MU';
  const most = volume.values.reduce((a, b) => Math.max(a, b), 0);
  const index = volume.values.indexOf(most);
  const cell = [index % n, Math.floor(index / n) % n, Math.floor(index / (n * n))] as const;
  const content = `dose, ${unit.replace('10⁹', '1e9')}`;
  const { in: entering, outside, neutral, left, products, misfit, rel_error } = dose.energy;
  const deposited = dose.depth_dose_MeV.reduce((a, b) => a + b, 0) - outside;
  return {
    unit,
    sizes: [...grid.sizes],
    spacing_mm: [...grid.spacing_mm],
    most,
    most_at_mm: [placeOf(volume, 0, cell[0]), placeOf(volume, 1, cell[1]), placeOf(volume, 2, cell[2])],
    slices: slicesOf(volume, cell),
    energy: { in: entering, deposited, outside, neutral, left, products, rel_error },
    products_misfit: products > 0 ? misfit / products : 0,
    spots: spots.filter(({ weight }) => weight > 0).length,
    protons,
    seconds: (performance.now() - begun) / 1000,
    file: file === undefined ? null : writers[file](volumeForFile(volume), { content, frame: null }),
  };
}
