/** How large the grid of a scenario is and how much memory it takes at least. */
import type { TransportScenario } from '../../../contract/scenario/index.ts';
import { highestEnergy, stoppingAt } from '../stopping-table.ts';
import type { TransportContext } from './context.ts';

export interface GridEstimate {
  readonly ne: number;
  readonly ntheta: number;
  readonly nz: number;
  readonly nx: number;
  readonly cells: number;
  /** What the leanest variant that the scenario allows takes at least. The engine's own plan is exact. */
  readonly state_bytes: number;
}

/** As the engine builds them: the grid reaches this many sigma above the beam's energy. */
export const beamSigmas = 5;

/** Variants that store only what a moving window or one plane needs. */
const windowed: readonly string[] = ['auto', 'window', 'cuda-window', 'cuda-persistent'];

/** Below this many straggling widths a window of energy and depth cannot hold the beam. */
const leastWindow_sigmas = 4;

export function energyBins(scenario: TransportScenario, context: TransportContext): number {
  const { beam, grid } = scenario;
  const top = Math.min(beam.energy_MeV + beamSigmas * beam.energy_sigma_MeV, highestEnergy(context.water));
  if (grid.energy.kind === 'uniform') {
    return Math.max(1, Math.ceil((top - grid.energy.min_MeV) / grid.energy.step_MeV - 1e-9) + 1);
  }
  const range_mm = (energy: number): number => stoppingAt(context.rangeTable, context.water, energy).range * 10;
  const start = range_mm(beam.energy_MeV);
  const below = Math.floor((start - range_mm(grid.cutoff_MeV)) / grid.energy.step_mm);
  return Math.max(1, below + 1 + Math.ceil((range_mm(top) - start) / grid.energy.step_mm - 1e-9));
}

/** Bins of an axis that a window around a spread of `sigma_mm` takes at least. */
function windowBins(bins: number, step_mm: number, sigma_mm: number): number {
  return Math.min(bins, Math.ceil((leastWindow_sigmas * sigma_mm) / step_mm) + 2);
}

export function angleBins(scenario: TransportScenario): number {
  return Math.round((2 * scenario.grid.theta_max_mrad) / scenario.grid.dtheta_mrad) + 1;
}

export function estimateGrid(scenario: TransportScenario, context: TransportContext): GridEstimate {
  const { geometry, grid, solver, initial } = scenario;
  const ne = energyBins(scenario, context);
  const ntheta = angleBins(scenario);
  const nz = Math.max(1, Math.round(geometry.depth_mm / grid.dz_mm));
  const nx = Math.max(1, Math.round(geometry.width_mm / grid.dx_mm));
  const depthStepping = solver.stepping === 'depth';
  const canWindow = windowed.includes(solver.variant) && initial.kind === 'beam' && !depthStepping;
  let storedEnergies = ne;
  let storedDepths = depthStepping ? 1 : nz;
  if (canWindow && grid.energy.kind === 'range') {
    // Straggling in range is 1.1 % of the range at most; half of it holds for the run as a whole.
    const range_mm = stoppingAt(context.rangeTable, context.water, scenario.beam.energy_MeV).range * 10;
    storedEnergies = windowBins(ne, grid.energy.step_mm, 0.005 * range_mm);
    storedDepths = windowBins(nz, grid.dz_mm, 0.005 * range_mm);
  }
  const bytesPerCell = solver.precision === 'fp64' ? 8 : 4;
  return {
    ne,
    ntheta,
    nz,
    nx,
    cells: ne * ntheta * nz * nx,
    state_bytes: 2 * bytesPerCell * storedEnergies * ntheta * storedDepths * nx,
  };
}
