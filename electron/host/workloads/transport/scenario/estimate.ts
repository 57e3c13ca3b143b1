/** Size of a scenario's grid, and the memory that every variant needs at least. */
import { spotsOf, type TransportScenario } from '../../../../contract/scenario/index.ts';
import { highestEnergy, stoppingAt } from '../../../model/scenarios/stopping-table.ts';
import { takenRangeStep_mm } from './bins-per-step.ts';
import type { TransportContext } from './context.ts';

export interface GridEstimate {
  readonly ne: number;
  readonly ntheta: number;
  readonly nz: number;
  readonly nx: number;
  readonly cells: number;
  /**
   * Least memory of the leanest method: a window that follows the beam, or one plane in depth stepping. The engine's
   * plan knows the variant and is exact.
   */
  readonly state_bytes: number;
}

/** One picture of a run, its dose and the sums over every two axes, is copied while the page waits. */
export const mostPictureBytes = 96 * 2 ** 20;

export function pictureBytes({ ne, ntheta, nz, nx }: Pick<GridEstimate, 'ne' | 'ntheta' | 'nz' | 'nx'>): number {
  const sums = nz * nx + nx * ntheta + ne * ntheta + ne * nz + ne * nx + nz * ntheta;
  return 4 * sums + 8 * nz * nx;
}

/** As the engine builds them: the grid reaches this many sigma above the beam's energy. */
export const beamSigmas = 5;

/** Below this many straggling widths a window of energy and depth cannot hold the beam. */
const leastWindow_sigmas = 4;

/** Straggling grows to 1.1 % of the range; half of that holds for the run as a whole. */
const leastStraggling = 0.005;

export function energyBins(scenario: TransportScenario, context: TransportContext): number {
  const { beam, grid } = scenario;
  const reached = spotsOf(beam).reduce(
    (most, one) => Math.max(most, one.energy_MeV + beamSigmas * one.energy_sigma_MeV),
    0,
  );
  const top = Math.min(reached, highestEnergy(context.water));
  if (grid.energy.kind === 'uniform') {
    return Math.max(1, Math.ceil((top - grid.energy.min_MeV) / grid.energy.step_MeV - 1e-9) + 1);
  }
  const range_mm = (energy: number): number => stoppingAt(context.rangeTable, context.water, energy).range * 10;
  const start = range_mm(beam.energy_MeV);
  // A bin stands for half a step on either side, and holds protons as long as there is range left.
  const step = takenRangeStep_mm(scenario, context);
  const lowest = Math.max(range_mm(grid.cutoff_MeV) - step / 2, 1e-9 * step);
  const below = Math.floor((start - lowest) / step);
  return Math.max(1, below + 1 + Math.ceil((range_mm(top) - start) / step - 1e-9));
}

/** Bins of an axis that a window around a spread of `sigma` takes at least, in the unit of `step`. */
function windowBins(bins: number, step: number, sigma: number): number {
  return Math.min(bins, Math.ceil((leastWindow_sigmas * sigma) / step) + 2);
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
  let storedEnergies = ne;
  let storedDepths = depthStepping ? 1 : nz;
  if (initial.kind === 'beam' && !depthStepping) {
    const { range, stopping } = stoppingAt(context.rangeTable, context.water, scenario.beam.energy_MeV);
    const spread_mm = leastStraggling * range * 10;
    const slowest = spotsOf(scenario.beam).reduce((least, { energy_MeV }) => Math.min(least, energy_MeV), Infinity);
    const slowest_mm = stoppingAt(context.rangeTable, context.water, slowest).range * 10;
    const [step, spread, apart] =
      grid.energy.kind === 'range'
        ? [takenRangeStep_mm(scenario, context), spread_mm, range * 10 - slowest_mm]
        : [grid.energy.step_MeV, (spread_mm / 10) * stopping, scenario.beam.energy_MeV - slowest];
    storedEnergies = Math.min(ne, windowBins(ne, step, spread) + Math.floor(apart / step));
    storedDepths = windowBins(nz, grid.dz_mm, spread_mm);
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
