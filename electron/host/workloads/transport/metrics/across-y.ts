/**
 * Width of a beam along y, the axis that the plane model integrates over. The dose in Gy follows from it. In matter
 * that is layered across the beam, the two lateral axes are independent. Scattering along y then follows Fermi–Eyges
 * theory, whatever happens in the plane.
 */
import { BraggError } from '../../../../contract/errors.ts';
import { errorFromNative, loadAddon, type TransportProblem } from '../../../io/addon/addon.ts';

/**
 * Spots of a field that differ only in position and weight. Contains their width in mm and their deposited energy in
 * MeV/mm for each row of z, and the position and weight of each spot.
 */
export interface YKind {
  readonly sigma_y_mm: Float64Array;
  readonly sigma_x_mm: Float64Array;
  readonly depth_dose: Float64Array;
  readonly x_mm: Float64Array;
  readonly weight: Float64Array;
}

interface Width {
  readonly sigma_y_mm: Float64Array;
}
interface NoWidth {
  readonly reason: string;
}

/**
 * Width σ_y in mm for each row of z, constant beyond the range. If spots differ, one width for each kind of spot. If no
 * width can be computed, the reason.
 */
export type LateralWidths = Width | { readonly kinds: readonly YKind[] } | NoWidth;

/** First row of z that contains two materials. Null if the matter is layered. */
function mixedRow({
  map,
  grid,
}: TransportProblem): { readonly row: number; readonly beside: readonly [number, number] } | null {
  // If all cells are equal, comparing the map with itself shifted by one cell is faster than a loop.
  const cells = Buffer.from(map.buffer, map.byteOffset, map.byteLength);
  if (cells.subarray(1).equals(cells.subarray(0, -1))) return null;
  for (let row = 0; row < grid.nz; row += 1) {
    const first = map[row * grid.nx] ?? 0;
    for (let x = 1; x < grid.nx; x += 1) {
      const other = map[row * grid.nx + x] ?? 0;
      if (other !== first) return { row, beside: [first, other] };
    }
  }
  return null;
}

/** Whether each row of z has a single material. */
export const isLayered = (problem: TransportProblem): boolean => mixedRow(problem) === null;

type Beam = TransportProblem['beam'];

/** Result for plane doses, which are sums over spots at several positions in y. */
export const planeDosesUndefined: NoWidth = {
  reason: 'spots have different positions in y, which the model integrates over (use braggbench volume for their dose)',
};

/** Returns the first spot if all spots have the same energy, width along y and angular spread. Null otherwise. */
function commonBeam({ beam, spots = [] }: TransportProblem): Beam | null {
  const [first = beam, ...others] = spots;
  const same = (a: Beam, b: Beam): boolean =>
    a.energy_MeV === b.energy_MeV && a.y_sigma_mm === b.y_sigma_mm && a.angle_sigma_rad === b.angle_sigma_rad;
  return others.every((spot) => same(spot, first)) ? first : null;
}

export function lateralWidths(problem: TransportProblem): LateralWidths {
  if (problem.initial.kind === 'filled')
    return { reason: 'phase space was filled with random numbers: there is no beam' };
  const { beam: asked, spots = [asked] } = problem;
  if (spots.some(({ angle_rad }) => angle_rad !== 0)) {
    return { reason: 'a beam is tilted: widths along y are computed only for beams along z' };
  }
  if (spots.some(({ y_mm = 0 }) => y_mm !== 0)) return planeDosesUndefined;
  const mixed = mixedRow(problem);
  if (mixed !== null) {
    const at = ((mixed.row + 0.5) * problem.grid.dz_mm).toPrecision(4);
    const [one, other] = mixed.beside.map((i) => problem.materials[i]?.name ?? 'matter');
    return { reason: `matter is not layered: at z = ${Number(at)} mm ${one} and ${other} are next to each other` };
  }
  const beam = commonBeam(problem);
  if (beam === null) {
    return {
      reason:
        'the spots differ in energy or width, but only their sum is stored ' + '(set output.gray to separate them)',
    };
  }
  return widthAlongY(problem, beam, beam.y_sigma_mm ?? beam.x_sigma_mm);
}

/** Width of a beam along z. `width`: width at the entrance in mm. */
export function widthAlongY(problem: TransportProblem, beam: Beam, width: number): Width | NoWidth {
  if (!(width > 0)) return { reason: 'the beam has no width (set beam.x_sigma_mm or beam.y_sigma_mm)' };
  const { spots: _spots, ...single } = problem;
  try {
    const { sigma_x_mm } = loadAddon().fermiEyges({ ...single, beam: { ...beam, x_mm: 0, x_sigma_mm: width } });
    const first = Math.floor(beam.z_mm / problem.grid.dz_mm);
    const last = sigma_x_mm.at(-1);
    if (last === undefined) return { reason: 'the beam stops in its first cell' };
    return {
      sigma_y_mm: Float64Array.from(
        { length: problem.grid.nz },
        (_, row) => sigma_x_mm[Math.max(0, row - first)] ?? last,
      ),
    };
  } catch (error) {
    const failure = errorFromNative(error);
    if (failure instanceof BraggError && failure.code !== 'internal') return { reason: failure.message };
    throw failure;
  }
}
