/**
 * Result of reading a transport scenario: the engine's problem, the size of its grid, and the smallest memory with
 * which a variant can solve it. Each distinct cell content, a medium or a mixture, becomes a material of the solver.
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
   * Memory of the most economical method in bytes: a window that follows the beam, or one plane for depth stepping. The
   * engine's plan for a variant contains the exact value.
   */
  readonly state_bytes: number;
}

/**
 * Maximum size in bytes of a keyframe, its dose and the sums over all pairs of axes. It is limited because the page
 * waits while it is copied.
 */
export const maxPictureBytes = 96 * 2 ** 20;
/** Maximum number of cells in maps of dose and material. */
export const maxMapCells = 2 ** 22;

export function pictureBytes({ ne, ntheta, nz, nx }: Pick<GridEstimate, 'ne' | 'ntheta' | 'nz' | 'nx'>): number {
  const sums = nz * nx + nx * ntheta + ne * ntheta + ne * nz + ne * nx + nz * ntheta;
  return 4 * sums + 8 * nz * nx;
}

/** Upper end of the energy grid above the beam's energy, in standard deviations, as in the engine. */
export const beamSigmas = 5;

/**
 * Minimum size of a window in energy and depth that can contain the beam, in standard deviations of the straggling.
 */
const leastWindow_sigmas = 4;

/** Straggling as a share of the range, averaged over the run. At the end of the range it is 1.1 %. */
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
  // Bins extend half a step to both sides of their centre. Count those with a positive residual range.
  const step = engineRangeStep_mm(scenario, context);
  const lowest = Math.max(range_mm(grid.cutoff_MeV) - step / 2, 1e-9 * step);
  const below = Math.floor((start - lowest) / step);
  return Math.max(1, below + 1 + Math.ceil((range_mm(top) - start) / step - 1e-9));
}

/** Minimum number of bins in a window for a spread `sigma`, which has the unit of `step`. */
function windowBins(bins: number, step: number, sigma: number): number {
  return Math.min(bins, Math.ceil((leastWindow_sigmas * sigma) / step) + 2);
}

/**
 * Maximum angle of depth stepping. It divides by the cosine of the angle, so paths between planes would become too
 * long.
 */
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

/** Result of reading a transport scenario, or a text that is no scenario. */
export interface Reading extends ScenarioText {
  /** The draft, converted to the newest version. Null if it has errors. */
  readonly document: TransportDocument | null;
  /** Complete scenario, as far as possible if there are errors. Null if no energy is known. */
  readonly scenario: TransportScenario | null;
  readonly estimate: GridEstimate | null;
  /** CSDA range in mm along the beam axis from the entrance, through the regions on it. */
  readonly range_mm: number | null;
  /** CSDA range in mm in water of density 1. */
  readonly waterRange_mm: number | null;
  /** Title of the stopping-power table of water that is used. */
  readonly table: string | null;
  /** CT of the scenario, with its position in the box. Null if there is none. */
  readonly ct: PlacedCt | null;
  /** Builds the engine's problem. Null if there are errors. */
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

/** Returns the reading if it is of transport. Otherwise returns an empty one with an error that states its kind. */
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

/**
 * Mass stopping power of a mixture with these mass shares by Bragg's rule, at all energies in the tables of its parts.
 */
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

/** Returns the mass fractions of the elements in a mixture, from the mass shares of its parts. */
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
 * Material of a mixture with shares f of the area and densities ρ. Its density is Σfρ, and the mass shares are w = fρ /
 * Σfρ. S, Z/A, 1/X₀ and 1/X_S per mass are sums of w times the values of the parts.
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
 * Cached, because checks, estimates and runs need the same mixtures. There may be 255, each of which needs a third of a
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

/** Computes the materials of a list in slices of work. `problemMaterial` then finds them in the cache. */
export function* mixAll(context: TransportContext, list: readonly Contents[]): YieldingTask<void> {
  for (const contents of list) {
    problemMaterial(context, contents);
    yield;
  }
}

type ProblemBeam = TransportProblem['beam'];

/** Width of a beam or spot in the entrance plane, which it crosses at an angle. */
function widthInPlane(
  beam: TransportScenario['beam'],
  of: { readonly x_sigma_mm: number; readonly angle_deg: number },
): number {
  return beam.x_sigma_is === 'plane' ? of.x_sigma_mm : of.x_sigma_mm / Math.cos((of.angle_deg * Math.PI) / 180);
}

/** Spots of the beam in the engine's form. Empty for a single beam. */
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

/** Builds the problem for the engine from a scenario without errors. */
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
      // Cells must fill the box exactly, even if sizes in the file are rounded.
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
