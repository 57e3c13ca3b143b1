/**
 * Widths along y of a field with different spots. In layered matter, each kind of spot has its width, and the plane
 * contains their sum. Shares of the kinds in a cell's dose follow from depth doses, each solved separately in wide
 * columns. In x, the kinds have Fermi–Eyges widths. The sum over kinds equals the dose of the plane.
 */
import { BraggError } from '../../../../contract/errors.ts';
import type { NativeAddon, TransportProblem } from '../../../io/addon/addon.ts';
import { depthDose } from '../beams/depth-doses.ts';
import { isLayered, type LateralWidths, planeDosesUndefined, widthAlongY, type YKind } from './across-y.ts';

type Beam = TransportProblem['beam'];

/** Columns that are wide enough for no proton to leave sideways, and few enough for a negligible time. */
const COLUMNS = { nx: 30, dx_mm: 20 } as const;

/** Key of the parameters that determine depth dose and width of a spot. */
const kindOf = ({
  energy_MeV,
  energy_sigma_MeV,
  angle_sigma_rad,
  x_sigma_mm,
  y_sigma_mm,
  focus_mm,
  z_mm,
}: Beam): string => [energy_MeV, energy_sigma_MeV, angle_sigma_rad, x_sigma_mm, y_sigma_mm, focus_mm, z_mm].join(' ');

/**
 * Maximum numbers of kinds and positions. Kinds are solved one after another, and each cell evaluates every position of
 * every kind.
 */
const LIMITS = { kinds: 300, places: 4000 } as const;

interface SpotKind {
  readonly spot: Beam;
  /** Weights of the spots by position in mm. */
  readonly places: Map<number, number>;
}

/** Groups spots with a non-zero weight by kind. */
function kindsOf(spots: readonly Beam[]): readonly SpotKind[] {
  const kinds = new Map<string, SpotKind>();
  for (const spot of spots) {
    if (!(spot.weight > 0)) continue;
    const known = kinds.get(kindOf(spot)) ?? { spot, places: new Map<number, number>() };
    kinds.set(kindOf(spot), known);
    known.places.set(spot.x_mm, (known.places.get(spot.x_mm) ?? 0) + spot.weight);
  }
  return [...kinds.values()];
}

/**
 * Problem with all spots of one kind at x = 0. It also contains the field's spot of highest energy with weight 0, so
 * that the grid is that of the field.
 */
function wideColumnProblem(problem: TransportProblem, { spot: own, places }: SpotKind): TransportProblem {
  const { spots = [], beam, grid, map } = problem;
  const weight = [...places.values()].reduce((a, b) => a + b, 0);
  const highest = spots.reduce((best, spot) => (spot.energy_MeV > best.energy_MeV ? spot : best), own);
  const columns = new Uint8Array(grid.nz * COLUMNS.nx);
  for (let row = 0; row < grid.nz; row += 1) {
    columns.fill(map[row * grid.nx] ?? 0, row * COLUMNS.nx, (row + 1) * COLUMNS.nx);
  }
  const { tracks: _tracks, ...rest } = problem;
  return {
    ...rest,
    beam: { ...beam, x_mm: 0, weight },
    spots: [
      { ...own, x_mm: 0, weight },
      { ...highest, x_mm: 0, weight: 0 },
    ],
    grid: { ...grid, ...COLUMNS },
    map: columns,
    keyframes: 0,
    solver: { ...problem.solver, stepping: 'depth', variant: 'auto', precision: 'fp32' },
  };
}

/**
 * Whether the matter is layered and spots along z are of several kinds, so that each kind can be solved separately.
 */
export function hasKinds(problem: TransportProblem): boolean {
  const { spots = [], initial } = problem;
  if (initial.kind === 'filled' || !isLayered(problem)) return false;
  return kindsOf(spots).length > 1 && spots.every(({ angle_rad }) => angle_rad === 0);
}

/** Solves one depth dose for each kind of spot. */
export async function yKinds(
  addon: Pick<NativeAddon, 'layTransport'>,
  problem: TransportProblem,
  signal: AbortSignal,
): Promise<LateralWidths> {
  if ((problem.spots ?? []).some(({ y_mm = 0 }) => y_mm !== 0)) return planeDosesUndefined;
  const found = kindsOf(problem.spots ?? []);
  const all = found.reduce((sum, { places }) => sum + places.size, 0);
  if (found.length > LIMITS.kinds || all > LIMITS.places) {
    const allowed = `allowed: ${LIMITS.kinds} kinds at ${LIMITS.places} positions`;
    return { reason: `the spots have ${found.length} kinds at ${all} positions; ${allowed}` };
  }
  const kinds: YKind[] = [];
  try {
    for (const kind of found) {
      const { spot, places } = kind;
      const across = widthAlongY(problem, spot, spot.y_sigma_mm ?? spot.x_sigma_mm);
      if ('reason' in across) return across;
      const inPlane = widthAlongY(problem, spot, spot.x_sigma_mm);
      if ('reason' in inPlane) return inPlane;
      const curve = await depthDose({ addon }, wideColumnProblem(problem, kind), signal);
      kinds.push({
        sigma_y_mm: across.sigma_y_mm,
        sigma_x_mm: inPlane.sigma_y_mm,
        depth_dose: curve,
        x_mm: Float64Array.from(places.keys()),
        weight: Float64Array.from(places.values()),
      });
    }
  } catch (error) {
    if (signal.aborted) return { reason: 'the run was stopped before its spots were separated' };
    if (error instanceof BraggError) return { reason: `its spots could not be separated: ${error.message}` };
    throw error;
  }
  return { kinds };
}
