/**
 * Dose in three dimensions by moments, in Gy. In files as in exported maps, x is the first axis, depth the second, and
 * y the third. For a supine patient, they point to the left, the back and the head.
 */

import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import {
  MAX_VOLUME_CELLS,
  type VolumeAxis,
  type VolumeFrame,
  type VolumeSlice,
  type VolumeSummary,
  type volumeFileExtensions,
  type volumeRequestSchema,
} from '../../../../contract/beams/volume.ts';
import { BraggError } from '../../../../contract/errors.ts';
import type { FieldMap, Viewport } from '../../../../contract/fields.ts';
import { formatBytes } from '../../../../domain/values/units.ts';
import {
  errorFromNative,
  type NativeAddon,
  type TransportProblem,
  type VolumeDose,
  type VolumeDoseProgress,
} from '../../../io/addon/addon.ts';
import type { LaneQueue } from '../../../io/flow/lanes.ts';
import type { FrameSink } from '../../../io/flow/subscribers.ts';
import { defineArrayTask } from '../../../io/threads/task.ts';
import { type DirectedVolume, metaImageBytes, nrrdBytes, rtDoseBytes } from '../../../io/volumes/write.ts';
import { type GridAxis, reducePlane, sampleAxis, sampledMapAxis } from '../../../model/fields/field.ts';

type Request = z.output<typeof volumeRequestSchema>;

/** Dose in Gy of 10⁹ protons that each deposit 1 MeV in 1 mm³ with a density of 1 g/cm³. */
const GRAY = 160.2176634;
const BILLION = 1e9;
/** Margin of the grid around spots: standard deviations of a spot, and mm for its halo. */
const REACH = { sigmas: 5, halo_mm: 30 } as const;

const writers = { mha: metaImageBytes, nrrd: nrrdBytes, dcm: rtDoseBytes } as const;
const mimes = { mha: 'application/octet-stream', nrrd: 'application/octet-stream', dcm: 'application/dicom' } as const;
/** Time in ms between two progress reports. */
const REPORT_MS = 100;
/** Maximum time in ms before the computation yields to the event loop. */
const SLICE_MS = 8;

/**
 * Side in mm of the square that contains the dose of every spot. The width from scattering at the end of the range is
 * about 2.5 % of the range.
 */
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
  /** Dose in each cell at index (z · ny + y) · nx + x. */
  readonly values: Float64Array;
}

const placeOf = ({ sizes, spacing_mm }: Volume, axis: 0 | 1 | 2, index: number): number =>
  (index + 0.5 - (axis === 2 ? 0 : sizes[axis] / 2)) * spacing_mm[axis];

/** Cell with the largest dose, and the smallest dose above 0, for logarithmic colour scales. */
interface Extent {
  readonly most: number;
  readonly minPositive: number;
  readonly cell: readonly [number, number, number];
}

/** Converts the dose from MeV per cell to Gy, in place. */
async function toGray(
  problem: TransportProblem,
  { sizes: [nx, ny, nz], spacing_mm: [dx, dy, dz], values }: Volume,
  times: number,
): Promise<Extent> {
  let [most, at, minPositive] = [0, 0, Number.POSITIVE_INFINITY];
  let until = performance.now() + SLICE_MS;
  for (let z = 0; z < nz; z += 1) {
    const density = problem.materials[problem.map[z * problem.grid.nx] ?? 0]?.density_g_cm3 ?? 1;
    const factor = (GRAY * times) / (dx * dy * dz * density);
    for (let i = z * nx * ny; i < (z + 1) * nx * ny; i += 1) {
      const value = factor * (values[i] ?? 0);
      values[i] = value;
      if (value > most) [most, at] = [value, i];
      if (value > 0 && value < minPositive) minPositive = value;
    }
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + SLICE_MS;
  }
  const cell = [at % nx, Math.floor(at / nx) % ny, Math.floor(at / (nx * ny))] as const;
  return { most, minPositive: most > 0 ? minPositive : 0, cell };
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

/** Converts a volume to the axes of a file, which are x, depth and y. */
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

const fileOf = defineArrayTask(
  'write a dose volume',
  (of: { readonly volume: Volume; readonly ending: (typeof volumeFileExtensions)[number]; readonly content: string }) =>
    writers[of.ending](volumeForFile(of.volume), { content: of.content, frame: null }),
);

const contentLabel = (unit: string): string => `dose, ${unit.replace('10⁹', '1e9')}`;

/** Unit of the dose, and the factor that converts it to the dose of all protons of the field. */
function unitOf({ protons_per_mu, whole_field }: Request, protons: number): { unit: string; times: number } {
  if (whole_field) return { unit: 'Gy', times: 1 / BILLION };
  if (protons_per_mu === undefined) return { unit: 'Gy per 10⁹ protons', times: 1 / protons };
  return { unit: 'Gy per MU', times: protons_per_mu / BILLION / protons };
}

interface VolumeParts {
  readonly addon: Pick<NativeAddon, 'volumeDose'>;
  readonly memoryLimit_bytes: number;
}

/** Number of cells across the beam. Throws BraggError if there are too many for a viewer or for the memory limit. */
function cellsAcross({ grid: { nz } }: TransportProblem, across_mm: number, cell_mm: number, limit_bytes: number) {
  const n = Math.max(1, Math.round(across_mm / cell_mm));
  const cells = n * n * nz;
  const change = 'Use larger cells, or a smaller across_mm.';
  const what = `${n} × ${n} × ${nz} cells of ${cell_mm} mm`;
  if (cells > MAX_VOLUME_CELLS) {
    throw new BraggError('invalid', `${what}; allowed: at most ${MAX_VOLUME_CELLS} in total. ${change}`);
  }
  // Writing the dose to a file needs a second copy of it.
  const bytes = 2 * cells * Float64Array.BYTES_PER_ELEMENT;
  if (bytes > limit_bytes) {
    const allowed = `allowed: ${formatBytes(limit_bytes)}`;
    throw new BraggError('memory', `${what} need ${formatBytes(bytes)} of memory; ${allowed}. ${change}`);
  }
  return n;
}

type ComputedVolume = Omit<VolumeSummary, 'slices' | 'file'> & { readonly volume: Volume; readonly extent: Extent };

async function computeVolume(
  { addon, memoryLimit_bytes }: VolumeParts,
  problem: TransportProblem,
  request: Request,
  signal: AbortSignal,
  reportProgress: (progress: VolumeDoseProgress) => void = () => undefined,
): Promise<ComputedVolume> {
  const begun = performance.now();
  const { cell_mm } = request;
  const n = cellsAcross(problem, request.across_mm ?? transverseSide_mm(problem, cell_mm), cell_mm, memoryLimit_bytes);
  const { nz, dz_mm } = problem.grid;
  signal.throwIfAborted();
  const inFull = { ...problem, solver: { ...problem.solver, precision: 'fp64' as const } };
  const solving = addon.volumeDose(inFull, { nx: n, ny: n, dx_mm: cell_mm, dy_mm: cell_mm });
  const cancel = (): void => solving.cancel();
  signal.addEventListener('abort', cancel);
  const reports = setInterval(() => reportProgress(solving.progress()), REPORT_MS);
  const dose: VolumeDose = await solving.done
    .catch((error: unknown) => {
      throw errorFromNative(error);
    })
    .finally(() => {
      clearInterval(reports);
      signal.removeEventListener('abort', cancel);
    });
  const { beam, spots = [beam] } = problem;
  const protons = spots.reduce((sum, { weight }) => sum + weight, 0);
  const { unit, times } = unitOf(request, protons);
  const volume: Volume = { sizes: [n, n, nz], spacing_mm: [cell_mm, cell_mm, dz_mm], values: dose.dose_MeV };
  const extent = await toGray(problem, volume, times);
  const [x, y, z] = extent.cell;
  const { in: entering, outside, neutral, left, products, misfit, rel_error } = dose.energy;
  const deposited = dose.depth_dose_MeV.reduce((a, b) => a + b, 0) - outside;
  return {
    volume,
    extent,
    unit,
    sizes: [...volume.sizes],
    spacing_mm: [...volume.spacing_mm],
    most: extent.most,
    most_at_mm: [placeOf(volume, 0, x), placeOf(volume, 1, y), placeOf(volume, 2, z)],
    energy: { in: entering, deposited, outside, neutral, left, products, rel_error },
    products_misfit: products > 0 ? misfit / products : 0,
    spots: spots.filter(({ weight }) => weight > 0).length,
    protons,
    seconds: (performance.now() - begun) / 1000,
  };
}

export async function solveVolume(
  parts: VolumeParts,
  problem: TransportProblem,
  request: Request,
  signal: AbortSignal,
): Promise<VolumeSummary> {
  const { volume, extent, ...answer } = await computeVolume(parts, problem, request, signal);
  const { file: ending } = request;
  return {
    ...answer,
    slices: slicesOf(volume, extent.cell),
    file: ending === undefined ? null : await fileOf({ volume, ending, content: contentLabel(answer.unit) }),
  };
}

const axisNames = ['x', 'y', 'z'] as const satisfies readonly VolumeAxis[];

function axisOf(volume: Volume, axis: 0 | 1 | 2): GridAxis {
  const step = volume.spacing_mm[axis];
  const edges = Float64Array.from({ length: volume.sizes[axis] + 1 }, (_, i) => placeOf(volume, axis, i) - 0.5 * step);
  return { name: axisNames[axis], unit: 'mm', uniform: true, edges };
}

/** Indices of the horizontal and vertical axis of the plane perpendicular to each axis. */
const axesAcross = { x: [2, 1], y: [2, 0], z: [0, 1] } as const satisfies Record<VolumeAxis, readonly (0 | 1 | 2)[]>;

/** Computes volumes on request. Each volume is retained while its stream is open. */
export class DoseVolumes {
  readonly #parts: VolumeParts & { readonly lanes: LaneQueue };
  readonly #open = new Map<string, ComputedVolume>();

  constructor(parts: VolumeParts & { readonly lanes: LaneQueue }) {
    this.#parts = parts;
  }

  /** Starts a computation. The returned function cancels it, or frees the computed volume. */
  open(problemOf: () => Promise<TransportProblem>, request: Request, sink: FrameSink<VolumeFrame>): () => void {
    const ending = new AbortController();
    const id = randomBytes(9).toString('base64url');
    this.#solve(id, problemOf, request, sink, ending.signal).catch((error: unknown) =>
      sink.end(ending.signal.aborted ? undefined : errorFromNative(error)),
    );
    return () => {
      ending.abort();
      this.#open.delete(id);
    };
  }

  async #solve(
    id: string,
    problemOf: () => Promise<TransportProblem>,
    request: Request,
    sink: FrameSink<VolumeFrame>,
    signal: AbortSignal,
  ): Promise<void> {
    const problem = await problemOf();
    const reportWaiting = (): void => sink.offer(() => ({ state: 'waiting' }));
    await this.#parts.lanes.enqueue({ id: `volume-${id}`, lane: 'cpu', signal, waits: reportWaiting }, async () => {
      const reportProgress = ({ kinds, solved, summed }: VolumeDoseProgress): void =>
        sink.offer(() => ({ state: 'solving', kinds, solved, summed, planes: problem.grid.nz }));
      reportProgress({ kinds: 0, solved: 0, summed: 0 });
      const solved = await computeVolume(this.#parts, problem, request, signal, reportProgress);
      if (signal.aborted) return;
      this.#open.set(id, solved);
      const { volume: _volume, extent: _extent, ...shown } = solved;
      sink.offer(() => ({ state: 'solved', volume: { id, ...shown } }));
    });
  }

  /** Returns the plane through the cell at a position. Throws BraggError. */
  async slice(
    id: string,
    across: VolumeAxis,
    at_mm: number,
    viewport: Viewport,
  ): Promise<{ readonly map: FieldMap; readonly at_mm: number }> {
    const { volume, extent, unit } = this.#requireVolume(id);
    const fixed = axisNames.indexOf(across) as 0 | 1 | 2;
    const [h, v] = axesAcross[across];
    const { sizes, spacing_mm, values } = volume;
    const index = Math.round((at_mm - placeOf(volume, fixed, 0)) / spacing_mm[fixed]);
    const cell = Math.min(Math.max(index, 0), sizes[fixed] - 1);
    const strides = [1, sizes[0], sizes[0] * sizes[1]] as const;
    const plane = new Float64Array(sizes[h] * sizes[v]);
    for (let row = 0; row < sizes[v]; row += 1) {
      for (let column = 0; column < sizes[h]; column += 1) {
        plane[row * sizes[h] + column] = values[cell * strides[fixed] + row * strides[v] + column * strides[h]] ?? 0;
      }
    }
    const [horizontal, vertical] = [axisOf(volume, h), axisOf(volume, v)];
    const [columns, rows] = [
      sampleAxis(horizontal, viewport.horizontal, viewport.pixels[0]),
      sampleAxis(vertical, viewport.vertical, viewport.pixels[1]),
    ];
    const source = { values: plane, strideHorizontal: 1, strideVertical: sizes[h] };
    const map: FieldMap = {
      quantity: 'dose',
      unit,
      horizontal: sampledMapAxis(horizontal, columns),
      vertical: sampledMapAxis(vertical, rows),
      ...(await reducePlane(source, columns, rows, 'mean', 1)),
      // All slices share one colour scale.
      ...{ min: 0, max: extent.most, minPositive: extent.minPositive },
    };
    return { map, at_mm: placeOf(volume, fixed, cell) };
  }

  async file(id: string, ending: (typeof volumeFileExtensions)[number]): Promise<{ mime: string; bytes: Uint8Array }> {
    const { volume, unit } = this.#requireVolume(id);
    return { mime: mimes[ending], bytes: await fileOf({ volume, ending, content: contentLabel(unit) }) };
  }

  #requireVolume(id: string): ComputedVolume {
    const found = this.#open.get(id);
    if (found === undefined) throw new BraggError('not-found', 'This dose is no longer in memory. Compute it again.');
    return found;
  }
}
