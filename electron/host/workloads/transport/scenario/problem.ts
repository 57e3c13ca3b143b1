/**
 * Result of reading a transport scenario: the engine's problem, the size of its grid, and the smallest memory with
 * which any variant can solve it. The contents of a cell become a material of the solver: one medium, or a mixture.
 */
import {
  type Spot,
  spotsOf,
  type TransportDocument,
  type TransportScenario,
} from '../../../../contract/scenario/index.ts';
import type { YieldingTask } from '../../../../domain/values/pausing.ts';
import type { TransportProblem } from '../../../io/addon/addon.ts';
import { highestEnergy, type StoppingTable, stoppingAt } from '../../../model/scenarios/stopping-table.ts';
import type { ScenarioText } from '../../scenarios/read.ts';
import { engineRangeStep_mm } from './bins-per-step.ts';
import { cellContents } from './cell-contents.ts';
import { type Contents, type Medium, materialOf, type TransportContext, tableOf } from './context.ts';
import type { PlacedCt } from './placed-ct.ts';

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

/** Depth stepping divides by the cosine of the angle; beyond this limit, paths between planes are too long. */
export const depthSteppingLimit_mrad = (Math.PI / 3) * 1000;

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
export interface Reading extends ScenarioText {
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

const emptyReading = {
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
export function narrowToTransport(
  reading: TransportReading | (ScenarioText & { readonly kind: string | null }),
  file: string | null,
): Reading {
  const { draft, issues, kind, locate } = reading;
  if (kind === null) return { draft, issues, locate, ...emptyReading };
  if (isTransport(reading)) return reading;
  const message = `${JSON.stringify(kind)} is another workload; allowed: transport`;
  const at = { severity: 'error', file, path: 'kind', line: null, column: null } as const;
  return {
    draft: null,
    issues: [{ ...at, message, value: kind, allowed: 'transport' }, ...issues],
    locate,
    ...emptyReading,
  };
}

type ProblemMaterial = TransportProblem['materials'][number];

function nameOf({ material, density_scale }: Medium): string {
  return density_scale === 1 ? material : `${material}, density × ${Number(density_scale.toPrecision(6))}`;
}

function pureMaterial(context: TransportContext, medium: Medium): ProblemMaterial {
  const material = materialOf(context, medium.material);
  const table = tableOf(context, medium.material);
  return {
    name: nameOf(medium),
    density_g_cm3: material.density_g_cm3 * medium.density_scale,
    z_over_a: material.z_over_a,
    x0_g_cm2: material.radiation_length_g_cm2,
    xs_g_cm2: material.scattering_length_g_cm2,
    energies_MeV: table.energies_MeV,
    stopping_MeV_cm2_g: table.stopping_MeV_cm2_g,
    elements: Object.entries(material.composition).map(([symbol, mass_fraction]) => ({ symbol, mass_fraction })),
  };
}

/** Mass stopping power of a mixture with these mass shares (Bragg's rule), at every energy of the parts' tables. */
function mixedTable(
  context: TransportContext,
  parts: readonly { readonly table: StoppingTable; readonly mass: number }[],
): Pick<ProblemMaterial, 'energies_MeV' | 'stopping_MeV_cm2_g'> {
  const energies = Float64Array.from(new Set(parts.flatMap(({ table }) => [...table.energies_MeV]))).sort();
  const mixed = new Float64Array(energies.length);
  for (const { table, mass } of parts) {
    const own = context.rangeTable(table.energies_MeV, table.stopping_MeV_cm2_g, energies).stopping_MeV_cm2_g;
    own.forEach((stopping, i) => {
      mixed[i] = (mixed[i] ?? 0) + mass * stopping;
    });
  }
  return { energies_MeV: energies, stopping_MeV_cm2_g: mixed };
}

/** Mass fractions of the elements in a mixture with these mass shares. */
function mixedElements(
  parts: readonly { readonly material: ProblemMaterial; readonly mass: number }[],
): ProblemMaterial['elements'] {
  const fractions = new Map<string, number>();
  for (const { material, mass } of parts) {
    for (const { symbol, mass_fraction } of material.elements) {
      fractions.set(symbol, (fractions.get(symbol) ?? 0) + mass * mass_fraction);
    }
  }
  return [...fractions].map(([symbol, mass_fraction]) => ({ symbol, mass_fraction }));
}

/**
 * Mixture in a cell with areas f of densities ρ: the density is Σfρ, the mass shares are w = fρ / Σfρ. S, Z/A, 1/X₀ and
 * 1/X_S per mass are additive: sums of w times the values of the parts.
 */
function mixMaterials(context: TransportContext, contents: Contents): ProblemMaterial {
  const found = contents.map(({ medium, share }) => ({ share, material: pureMaterial(context, medium), medium }));
  const [first] = found;
  if (first !== undefined && found.length === 1) return first.material;
  const density = found.reduce((sum, { share, material }) => sum + share * material.density_g_cm3, 0);
  const parts = found.map((one) => ({ ...one, mass: (one.share * one.material.density_g_cm3) / density }));
  const sum = (value: (material: ProblemMaterial) => number): number =>
    parts.reduce((total, { material, mass }) => total + mass * value(material), 0);
  return {
    name: parts.map(({ medium, share }) => `${Number((100 * share).toPrecision(3))} % ${nameOf(medium)}`).join(' + '),
    density_g_cm3: density,
    z_over_a: sum((one) => one.z_over_a),
    x0_g_cm2: 1 / sum((one) => 1 / one.x0_g_cm2),
    xs_g_cm2: 1 / sum((one) => 1 / one.xs_g_cm2),
    elements: mixedElements(parts),
    ...mixedTable(
      context,
      parts.map(({ medium, mass }) => ({ table: tableOf(context, medium.material), mass })),
    ),
  };
}

/**
 * Cached, because checks, estimates and runs need the same mixtures, of which there may be 255; each needs a third of a
 * millisecond.
 */
const cachedContexts = new WeakMap<
  Contents,
  { readonly context: TransportContext; readonly material: ProblemMaterial }
>();

function problemMaterial(context: TransportContext, contents: Contents): ProblemMaterial {
  const kept = cachedContexts.get(contents);
  if (kept?.context === context) return kept.material;
  const material = mixMaterials(context, contents);
  cachedContexts.set(contents, { context, material });
  return material;
}

/** Computes the materials of a list cooperatively, so that `problemMaterial` finds them in the cache. */
export function* mixAll(context: TransportContext, list: readonly Contents[]): YieldingTask<void> {
  for (const contents of list) {
    problemMaterial(context, contents);
    yield;
  }
}

type ProblemBeam = TransportProblem['beam'];

/** Width in the entry plane of a beam or a spot at an angle. */
function widthInPlane(
  beam: TransportScenario['beam'],
  of: { readonly x_sigma_mm: number; readonly angle_deg: number },
): number {
  return beam.x_sigma_is === 'plane' ? of.x_sigma_mm : of.x_sigma_mm / Math.cos((of.angle_deg * Math.PI) / 180);
}

/** The beam's spots in the engine's form; empty if there is a single beam. */
function spotsOfProblem({ beam }: TransportScenario): readonly ProblemBeam[] {
  return (beam.spots ?? []).map((spot: Spot) => ({
    energy_MeV: spot.energy_MeV,
    energy_sigma_MeV: spot.energy_sigma_MeV,
    angle_rad: (spot.angle_deg * Math.PI) / 180,
    angle_sigma_rad: spot.angle_sigma_mrad / 1000,
    x_mm: spot.x_mm,
    ...(spot.y_mm === undefined ? {} : { y_mm: spot.y_mm }),
    x_sigma_mm: widthInPlane(beam, spot),
    y_sigma_mm: beam.y_sigma_mm ?? spot.x_sigma_mm,
    focus_mm: beam.focus_mm,
    z_mm: beam.z_mm,
    weight: beam.weight * spot.weight,
  }));
}

/** Builds the problem; `scenario` has passed its checks. */
export function resolveTransport(scenario: TransportScenario, context: TransportContext): TransportProblem {
  const { beam, geometry, grid, solver, physics } = scenario;
  const nx = Math.round(geometry.width_mm / grid.dx_mm);
  const nz = Math.round(geometry.depth_mm / grid.dz_mm);
  const contents = cellContents(scenario, context, nz, nx);
  const spots = spotsOfProblem(scenario);
  const angle_rad = (beam.angle_deg * Math.PI) / 180;
  return {
    beam: {
      energy_MeV: beam.energy_MeV,
      energy_sigma_MeV: beam.energy_sigma_MeV,
      angle_rad,
      angle_sigma_rad: beam.angle_sigma_mrad / 1000,
      x_mm: beam.x_mm,
      x_sigma_mm: widthInPlane(beam, beam),
      y_sigma_mm: beam.y_sigma_mm ?? beam.x_sigma_mm,
      focus_mm: beam.focus_mm,
      z_mm: beam.z_mm,
      weight: spots.length === 0 ? beam.weight : spots.reduce((sum, { weight }) => sum + weight, 0),
    },
    ...(spots.length === 0 ? {} : { spots }),
    grid: {
      nx,
      nz,
      ntheta: angleBins(scenario),
      // Cells fill the box exactly, even if sizes in the file are rounded.
      dx_mm: geometry.width_mm / nx,
      dz_mm: geometry.depth_mm / nz,
      dtheta_rad: grid.dtheta_mrad / 1000,
      theta_centre_rad: angle_rad,
      energy:
        grid.energy.kind === 'range' ? { kind: 'range', step_mm: engineRangeStep_mm(scenario, context) } : grid.energy,
      cutoff_MeV: grid.cutoff_MeV,
    },
    materials: contents.list.map((one) => problemMaterial(context, one)),
    map: contents.map(),
    initial: scenario.initial,
    physics: {
      scattering: physics.scattering,
      straggling: physics.straggling,
      nuclear: physics.nuclear,
      ...(physics.nuclear === 'icru63' ? { nuclear_tables: context.nuclearTables } : {}),
    },
    solver: { ...solver, memory_limit_bytes: context.memoryLimit_bytes },
    keyframes: scenario.output.keyframes,
    ...(scenario.output.let ? { tracks: { spectra_mm: Float64Array.from(scenario.output.spectra_mm) } } : {}),
  };
}
