/**
 * A scenario that answers soon: depth stepping, cells that are larger by whole factors, and few stored moments. Energies
 * keep the grid of the scenario, which is what range and falloff hang on.
 */
import type { ScenarioDraft } from '../../../../contract/scenario/draft.ts';
import type { TransportScenario } from '../../../../contract/scenario/index.ts';
import type { TransportProblem } from '../../../io/addon/addon.ts';

/** Cells of the scenario in one of the coarser grid. */
export interface Factors {
  readonly x: number;
  readonly z: number;
  readonly theta: number;
}

export const asItIs: Factors = { x: 1, z: 1, theta: 1 };

/** Depth stepping ends at 60° from the axis. */
const LIMIT_MRAD = (Math.PI / 3) * 1000;
/** Fewer cells across the box, or bins on either side of the beam, show nothing. */
const FEWEST_CELLS = 16;
const FEWEST_BINS = 8;
/** Keyframes saved while a control is dragged: each needs longer than the steps between two of them. */
const MOST_KEYFRAMES = 9;

/** The cell that divides a box into as many as are left of them. */
function cell(box_mm: number, cell_mm: number, factor: number): number {
  const cells = Math.round(box_mm / cell_mm);
  return box_mm / Math.max(Math.min(cells, FEWEST_CELLS), Math.ceil(cells / factor));
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** `document` with the numbers of `complete`, which it comes to, on a grid that is coarser by `factors`. */
export function coarser(
  document: ScenarioDraft,
  complete: TransportScenario,
  factors: Factors,
  variant: 'auto' | 'moments' = 'auto',
): ScenarioDraft {
  const { geometry, grid, beam, output } = complete;
  const { step_mm: _, ...solver } = record(document['solver']);
  const bins = Math.round(grid.theta_max_mrad / grid.dtheta_mrad);
  const room_mrad = LIMIT_MRAD - (Math.abs(beam.angle_deg) * 1000 * Math.PI) / 180;
  const left = Math.max(Math.min(bins, FEWEST_BINS), Math.ceil(bins / factors.theta));
  const dtheta_mrad = left === bins ? grid.dtheta_mrad : grid.theta_max_mrad / left;
  const within = Math.min(left, Math.floor(room_mrad / dtheta_mrad));
  return {
    ...document,
    geometry: { ...record(document['geometry']), width_mm: geometry.width_mm, depth_mm: geometry.depth_mm },
    grid: {
      ...record(document['grid']),
      dx_mm: cell(geometry.width_mm, grid.dx_mm, factors.x),
      dz_mm: cell(geometry.depth_mm, grid.dz_mm, factors.z),
      dtheta_mrad,
      theta_max_mrad: within * dtheta_mrad,
      energy: grid.energy,
      cutoff_MeV: grid.cutoff_MeV,
    },
    solver: { ...solver, stepping: 'depth', variant, precision: 'fp32' },
    output: { ...record(document['output']), keyframes: Math.min(output.keyframes, MOST_KEYFRAMES) },
  };
}

/** Whether moments solve the problem: layers across the whole width, and beams along z. */
export function isLayered({ map, grid, beam, spots, initial }: TransportProblem): boolean {
  if (initial.kind !== 'beam' || (spots ?? [beam]).some(({ angle_rad }) => angle_rad !== 0)) return false;
  for (let cell = 0; cell < map.length; cell += 1) {
    if (map[cell] !== map[cell - (cell % grid.nx)]) return false;
  }
  return true;
}
