/**
 * Size of a scenario's grid, and the smallest memory with which any variant can solve it. Also the result of reading a
 * transport scenario.
 */
import { spotsOf, type TransportDocument, type TransportScenario } from '../../../../contract/scenario/index.ts';
import type { TransportProblem } from '../../../io/addon/addon.ts';
import { highestEnergy, stoppingAt } from '../../../model/scenarios/stopping-table.ts';
import type { Read } from '../../scenarios/read.ts';
import { engineRangeStep_mm } from './bins-per-step.ts';
import type { TransportContext } from './context.ts';
import type { PlacedCt } from './ct/placed-ct.ts';

export interface GridEstimate {
  readonly ne: number;
  readonly ntheta: number;
  readonly nz: number;
  readonly nx: number;
  readonly cells: number;
  /**
   * Memory needed by the most economical method: a window that follows the beam, or one plane in depth stepping. The
   * exact value is in the engine's plan for a variant.
   */
  readonly state_bytes: number;
}

/** Limit on one keyframe, its dose and the sums over every pair of axes, because it is copied while the page waits. */
export const maxPictureBytes = 96 * 2 ** 20;
/** Limit on the cells of the dose and material maps. */
export const maxMapCells = 2 ** 22;

export function pictureBytes({ ne, ntheta, nz, nx }: Pick<GridEstimate, 'ne' | 'ntheta' | 'nz' | 'nx'>): number {
  const sums = nz * nx + nx * ntheta + ne * ntheta + ne * nz + ne * nx + nz * ntheta;
  return 4 * sums + 8 * nz * nx;
}

/** Upper end of the grid in standard deviations above the beam's energy, as in the engine. */
export const beamSigmas = 5;

/** Smallest window of energy and depth that can contain the beam, in straggling widths. */
const leastWindow_sigmas = 4;

/** Straggling as a share of the range, averaged over the run; at the end it is 1.1 %. */
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
  // A bin covers half a step on either side, and contains protons while there is residual range.
  const step = engineRangeStep_mm(scenario, context);
  const lowest = Math.max(range_mm(grid.cutoff_MeV) - step / 2, 1e-9 * step);
  const below = Math.floor((start - lowest) / step);
  return Math.max(1, below + 1 + Math.ceil((range_mm(top) - start) / step - 1e-9));
}

/** Minimum number of bins in a window around a spread of `sigma`, in the unit of `step`. */
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
        ? [engineRangeStep_mm(scenario, context), spread_mm, range * 10 - slowest_mm]
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

/** Result of reading a transport scenario, or a text that is not a scenario. */
export interface Reading extends Read {
  /** The draft in the newest version; null if it has errors. */
  readonly document: TransportDocument | null;
  /** Scenario with every default, as far as possible if there are errors. Null if no energy is usable. */
  readonly scenario: TransportScenario | null;
  readonly estimate: GridEstimate | null;
  /** CSDA range along the beam axis from the entrance, through the regions on it; mm. */
  readonly range_mm: number | null;
  /** CSDA range in water of density 1; mm. */
  readonly waterRange_mm: number | null;
  /** Title of the stopping-power table of water in use. */
  readonly table: string | null;
  /** CT that the scenario names, with its position in the box. */
  readonly ct: PlacedCt | null;
  /** Builds the problem for the engine; null if there are errors. */
  readonly problem: (() => TransportProblem) | null;
}

export interface TransportReading extends Reading {
  readonly kind: 'transport';
}

const nothing = {
  document: null,
  scenario: null,
  estimate: null,
  range_mm: null,
  waterRange_mm: null,
  table: null,
  ct: null,
  problem: null,
};

const isTransport = (reading: { readonly kind: string | null }): reading is TransportReading =>
  reading.kind === 'transport';

/** Narrows a reading to transport; one of another kind becomes empty, with an error that states it. */
export function asTransport(
  reading: TransportReading | (Read & { readonly kind: string | null }),
  file: string | null,
): Reading {
  const { draft, issues, kind, locate } = reading;
  if (kind === null) return { draft, issues, locate, ...nothing };
  if (isTransport(reading)) return reading;
  const message = `${JSON.stringify(kind)} is another workload; allowed: transport`;
  const at = { severity: 'error', file, path: 'kind', line: null, column: null } as const;
  return {
    draft: null,
    issues: [{ ...at, message, value: kind, allowed: 'transport' }, ...issues],
    locate,
    ...nothing,
  };
}
