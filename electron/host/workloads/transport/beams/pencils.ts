/**
 * Computes a dose as pencil-beam codes do: the moments solver traces each pencil along its axis. A pencil passes
 * through the matter of its column, so protons that scatter sideways do not see the matter of neighbouring columns.
 * Comparison with the solver for the plane shows the effect of this approximation.
 */
import { BraggError } from '../../../../contract/errors.ts';
import { errorFromNative, type NativeAddon, type TransportProblem } from '../../../io/addon/addon.ts';
import { metaImageBytes } from '../../../io/volumes/write.ts';
import { dosePerMass } from '../metrics/dose-per-mass.ts';

type Beam = TransportProblem['beam'];

/** Half width of a spot, in standard deviations, that is covered by pencils. 1e-9 of the protons are outside. */
const REACH = 6;

interface PencilDose {
  /** Dose in MeV per cell at index z · nx + x. */
  readonly dose: Float64Array;
  readonly pencils: number;
  /** Number of columns with different matter. Each is solved once. */
  readonly columns: number;
}

/**
 * Divides a spot into one pencil per column, whose standard deviation is the width of the column. A sum of Gaussians at
 * distances of one standard deviation equals a Gaussian to 1e-8. A narrower spot is a single pencil.
 */
function pencilsOf(spot: Beam, { nx, dx_mm }: Pick<TransportProblem['grid'], 'nx' | 'dx_mm'>): readonly Beam[] {
  const variance = spot.x_sigma_mm ** 2 - dx_mm ** 2;
  if (variance < dx_mm ** 2) return [spot];
  const columnAt = (x_mm: number): number => Math.floor(x_mm / dx_mm + nx / 2);
  const reach = REACH * Math.sqrt(variance);
  const columns = Array.from(
    { length: columnAt(spot.x_mm + reach) - columnAt(spot.x_mm - reach) + 1 },
    (_, i) => (columnAt(spot.x_mm - reach) + i + 0.5 - nx / 2) * dx_mm,
  );
  const shares = columns.map((x_mm) => Math.exp(-((x_mm - spot.x_mm) ** 2) / (2 * variance)));
  const sum = shares.reduce((a, b) => a + b, 0);
  return columns.map((x_mm, i) => ({
    ...spot,
    x_mm,
    x_sigma_mm: dx_mm,
    weight: (spot.weight * (shares[i] ?? 0)) / sum,
  }));
}

/** Throws BraggError if the pencils of a spot are not parallel to z. */
function checkAlongZ({ initial }: TransportProblem, spots: readonly Beam[]): void {
  if (initial.kind === 'filled')
    throw new BraggError('unsupported', 'initial.kind = filled has no beam; allowed: beam.');
  for (const { angle_rad, angle_sigma_rad, focus_mm = 0 } of spots) {
    if (angle_rad !== 0) {
      const angle = `beam.angle_deg = ${(angle_rad * 180) / Math.PI}`;
      throw new BraggError('unsupported', `${angle}: pencils are traced along z; allowed: 0.`);
    }
    if (focus_mm !== 0 && angle_sigma_rad > 0) {
      throw new BraggError(
        'unsupported',
        `beam.focus_mm = ${focus_mm}: pencils of a focused beam are tilted relative to each other; allowed: 0.`,
      );
    }
  }
}

/**
 * Returns a problem in which every column has the matter of one column. It also contains the spot of highest energy
 * with weight 0, so that the grid is that of the complete field.
 */
function columnProblem(problem: TransportProblem, column: Uint8Array, pencils: readonly Beam[]): TransportProblem {
  const { beam, spots = [beam], grid, tracks: _tracks, ...rest } = problem;
  const highest = spots.reduce((best, spot) => (spot.energy_MeV > best.energy_MeV ? spot : best));
  const map = new Uint8Array(grid.nz * grid.nx);
  for (let z = 0; z < grid.nz; z += 1) map.fill(column[z] ?? 0, z * grid.nx, (z + 1) * grid.nx);
  return {
    ...rest,
    beam: { ...beam, weight: pencils.reduce((sum, { weight }) => sum + weight, 0) },
    spots: [...pencils, { ...highest, weight: 0 }],
    grid,
    map,
    keyframes: 0,
    solver: { ...problem.solver, stepping: 'depth', variant: 'moments', precision: 'fp64' },
  };
}

/** Matter of a column as text, used as a map key. */
const columnKey = (column: Uint8Array): string => String.fromCharCode(...column);

/** Solves all pencils and sums their doses on the grid of the plane. Throws BraggError. */
export async function pencilDose(
  addon: Pick<NativeAddon, 'layTransport'>,
  problem: TransportProblem,
  signal: AbortSignal,
): Promise<PencilDose> {
  const { beam, spots = [beam], grid, map } = problem;
  const { nx, nz, dx_mm } = grid;
  const used = spots.filter(({ weight }) => weight > 0);
  checkAlongZ(problem, used);
  const columns = new Map<string, { readonly column: Uint8Array; readonly pencils: Beam[] }>();
  for (const pencil of used.flatMap((spot) => pencilsOf(spot, grid))) {
    // Outside of the box, the matter of its outermost column continues.
    const at = Math.min(Math.max(Math.floor(pencil.x_mm / dx_mm + nx / 2), 0), nx - 1);
    const column = Uint8Array.from({ length: nz }, (_, z) => map[z * nx + at] ?? 0);
    const known = columns.get(columnKey(column)) ?? { column, pencils: [] };
    columns.set(columnKey(column), known);
    known.pencils.push(pencil);
  }
  const dose = new Float64Array(nz * nx);
  let count = 0;
  for (const { column, pencils } of columns.values()) {
    signal.throwIfAborted();
    const run = await addon.layTransport(columnProblem(problem, column, pencils));
    const cancel = (): void => run.cancel();
    signal.addEventListener('abort', cancel);
    try {
      const { error, dose: own } = await run.start(() => undefined, { unwatched: true });
      signal.throwIfAborted();
      if (error !== null) throw errorFromNative(error);
      for (let i = 0; i < dose.length; i += 1) dose[i] = (dose[i] ?? 0) + (own[i] ?? 0);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
    count += pencils.length;
  }
  return { dose, pencils: count, columns: columns.size };
}

/** Builds a file with the dose in the plane in Gy mm per 10⁹ protons. The first axis is x, the second is depth. */
export function pencilFile(problem: TransportProblem, dose: Float64Array): Uint8Array {
  const { beam, spots = [beam], grid, map, materials } = problem;
  const { nx, nz, dx_mm, dz_mm } = grid;
  const density = Float64Array.from(map, (material) => materials[material]?.density_g_cm3 ?? Number.NaN);
  const protons = spots.reduce((sum, { weight }) => sum + weight, 0);
  const perProton = 1 / (protons * dx_mm * dz_mm);
  return metaImageBytes(
    {
      sizes: [nx, nz],
      spacing_mm: [dx_mm, dz_mm],
      origin_mm: [(0.5 - nx / 2) * dx_mm, 0.5 * dz_mm],
      values: (dosePerMass(dose, density) ?? dose).map((value) => value * perProton),
    },
    { content: 'sum of the doses of pencil beams, Gy mm per 1e9 protons' },
  );
}
