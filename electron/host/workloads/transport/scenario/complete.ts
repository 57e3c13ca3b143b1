/**
 * Fills in what follows from the beam's range, so that a file with nothing but
 * an energy runs well. Values that the user set are never changed; values that
 * were left out adapt to them.
 */
import { spotsOf, type TransportScenario, type TransportWithBeam } from '../../../../contract/scenario/index.ts';
import { multipleAbove, niceAbove, niceBelow, niceNear, tidy } from '../../../model/scenarios/nice.ts';
import { lowestEnergy, type StoppingAt, stoppingAt } from '../../../model/scenarios/stopping-table.ts';
import { chosenRangeStep_mm, wayPerCell } from './bins-per-step.ts';
import { materialOf, type TransportContext, tableOf } from './context.ts';
import type { PlacedCt } from './ct/placed-ct.ts';
import { rangeStraggling_mm } from './straggling.ts';

/** Beam width at the end of the range in water, both in mm: a fit as that of the straggling. */
const widthAtEnd_mm = (range_mm: number): number => 0.906 * (range_mm / 40.8) ** 0.991;

/** The distal 80–20 % falloff is this many times the straggling; three cells have to lie in it. */
const falloffPerStraggling = 1.312;
const cellsPerFalloff = 3;
/** A tilted beam's cells across show in its falloff: the narrowest beam's width along the axis is an eighth. */
const cellPerStraggling = 0.16;
/** With this many cells in the beam's width at the end, halving them changes the width by less than 1 %. */
const cellsPerWidth = 3.5;
/** The dose ends three straggling widths behind the range; the rest is for the eye. */
const depthPerRange = 1.2;
/** Beyond this angle from the beam lie less than 1e-6 of the protons of any therapeutic energy in water. */
const theta_max_mrad = 400;
/** Three quarters of that are enough for tissues; what scatters more takes as much more. */
const angleMargin = 0.75;
/** With fewer a beam loses so much that its file should say so: what depth stepping does not take is then an error. */
const leastAngle_mrad = 200;
/** Depth stepping ends at 60°. */
const depthSteppingLimit_mrad = (Math.PI / 3) * 1000;
/** Energies at which protons may stop; the highest whose rest of range does not show in the peak is taken. */
const cutoffs_MeV = [2, 1.5, 1, 0.7, 0.5, 0.3, 0.2] as const;
/** With more the peak is up to 7 % too high, as the rest of the energy is deposited at once. */
const highestCutoff_MeV = 0.5;
/** In matter that scatters this much more than water slow protons turn round within a step, and leave the angle grid. */
const turnsRound = 1.3;
/** What the rest of the range may be of the straggling. */
const restPerStraggling = 0.1;
const restPerStragglingInMetals = 0.5;

/** Bounds of the schema, for materials in which a beam goes further than any grid. */
const widest_mm = 10_000;
const deepest_mm = 5000;
const finest_mm = 1e-5;
const coarsest_mm = 100;
/** A box that the beam crosses without stopping still gets this many cells. */
const fewestCells = 40;

interface Ranges {
  /** In the background. */
  readonly own_mm: number;
  /** Along a straight line, with what regions that stop less than the background add. */
  readonly path_mm: number;
}

function ranges(scenario: TransportWithBeam, context: TransportContext): Ranges {
  const { energy_MeV } = scenario.beam;
  const { background, regions } = scenario.geometry;
  const at = (material: string): StoppingAt => stoppingAt(context.rangeTable, tableOf(context, material), energy_MeV);
  const linear = (material: string, scale: number): number =>
    at(material).stopping * materialOf(context, material).density_g_cm3 * scale;
  const own_mm = (at(background).range * 10) / materialOf(context, background).density_g_cm3;
  let path_mm = own_mm;
  for (const region of regions) {
    const ratio = linear(region.material, region.density_scale) / linear(background, 1);
    if (ratio < 1) path_mm += (1 - ratio) * (region.z_mm[1] - region.z_mm[0]);
  }
  return { own_mm, path_mm };
}

/** Both ways of the pair (size, cell) that divide: whichever was left out gives way. */
function sizeAndCell(size: number | undefined, cell: number | undefined, wanted: { size: number; cell: number }) {
  if (cell !== undefined) return { size: size ?? multipleAbove(wanted.size, cell), cell };
  if (size === undefined) return { size: multipleAbove(wanted.size, wanted.cell), cell: wanted.cell };
  return { size, cell: tidy(size / Math.max(1, Math.ceil(size / wanted.cell - 1e-6))) };
}

function wantedSize(
  scenario: TransportWithBeam,
  { own_mm, path_mm }: Ranges,
  ct: PlacedCt | null,
): { width: number; depth: number } {
  if (ct !== null) {
    return { width: Math.min(widest_mm, ct.width_mm), depth: Math.min(deepest_mm, Math.max(ct.depth_mm, 1)) };
  }
  const { beam, geometry } = scenario;
  const angle = (Math.abs(beam.angle_deg) * Math.PI) / 180;
  const reach = spotsOf(beam).map(
    (spot) =>
      Math.abs(spot.x_mm) + path_mm * Math.sin((Math.abs(spot.angle_deg) * Math.PI) / 180) + 4 * spot.x_sigma_mm,
  );
  const aside = 2 * reach.reduce((most, one) => Math.max(most, one), 0);
  const along = beam.z_mm + path_mm * (depthPerRange * Math.cos(angle) + 0.3 * Math.sin(angle));
  const regionWidth = 2 * Math.max(0, ...geometry.regions.flatMap(({ x_mm }) => x_mm.map(Math.abs)));
  const regionDepth = Math.max(0, ...geometry.regions.map(({ z_mm }) => z_mm[1]));
  return {
    width: Math.min(widest_mm, Math.max(niceNear(own_mm + aside), regionWidth)),
    depth: Math.min(deepest_mm, Math.max(niceAbove(along), regionDepth)),
  };
}

/** The highest cutoff that neither peak nor R80 shows, as far as the tables and a uniform energy grid go down. */
function cutoffOf(scenario: TransportWithBeam, context: TransportContext): number {
  const { beam, grid } = scenario;
  const metal = scatteringToWater(scenario, context) > turnsRound;
  const range_mm = (energy: number): number => stoppingAt(context.rangeTable, context.water, energy).range * 10;
  const rest = metal ? restPerStragglingInMetals : restPerStraggling;
  const shown = rest * rangeStraggling_mm(range_mm(beam.energy_MeV));
  const lowest = Math.max(lowestEnergy(context.water), grid.energy.kind === 'uniform' ? grid.energy.min_MeV : 0);
  const highest = metal ? cutoffs_MeV[0] : highestCutoff_MeV;
  const allowed = cutoffs_MeV.filter((cutoff) => cutoff >= lowest);
  const hidden = allowed.find((cutoff) => cutoff <= highest && range_mm(cutoff) <= shown);
  return hidden ?? allowed.at(-1) ?? cutoffs_MeV[0];
}

/** Scattering over the whole range, √(R/X_S), beside water's; the largest of the materials in the box. */
function scatteringToWater({ beam, geometry }: TransportWithBeam, context: TransportContext): number {
  const squared = (material: string): number =>
    stoppingAt(context.rangeTable, tableOf(context, material), beam.energy_MeV).range /
    materialOf(context, material).scattering_length_g_cm2;
  const all = [geometry.background, ...geometry.regions.map(({ material }) => material)];
  return Math.sqrt(Math.max(...all.map(squared)) / squared('water'));
}

/** The angle grid from the beam's angle to its end, as far as the stepping takes it. */
function largestAngle(scenario: TransportWithBeam, context: TransportContext): number {
  const { beam, grid, solver } = scenario;
  const scattered = theta_max_mrad * Math.max(1, angleMargin * scatteringToWater(scenario, context));
  const off_mrad = spotsOf(beam).map(
    (spot) => (Math.abs(spot.angle_deg - beam.angle_deg) * 1000 * Math.PI) / 180 + 4 * spot.angle_sigma_mrad,
  );
  const off = off_mrad.reduce((most, one) => Math.max(most, one), 0);
  const wanted = multipleAbove(scattered + off, grid.dtheta_mrad);
  if (solver.stepping !== 'depth') return wanted;
  const room = depthSteppingLimit_mrad - (Math.abs(beam.angle_deg) * 1000 * Math.PI) / 180;
  const most = Math.max(leastAngle_mrad, Math.floor(room / grid.dtheta_mrad) * grid.dtheta_mrad);
  return Math.min(wanted, tidy(most));
}

/** The solver step: a cell in depth, or the whole multiple of a given range step nearest to it. */
function stepOf(scenario: TransportWithBeam, dz_mm: number): number {
  const { energy } = scenario.grid;
  const step_mm = scenario.solver.stepping === 'depth' ? dz_mm : wayPerCell(scenario, dz_mm);
  if (energy.kind !== 'range' || energy.step_mm === undefined) return step_mm;
  return tidy(Math.max(1, Math.round(step_mm / energy.step_mm)) * energy.step_mm);
}

/** Wanted cell across, mm: by the beam's width at the end, and by what it adds to a tilted beam's falloff. */
function acrossOf({ beam }: TransportWithBeam, { own_mm }: Ranges): number {
  const width = widthAtEnd_mm(own_mm) / cellsPerWidth;
  const tilt = Math.abs(Math.sin((beam.angle_deg * Math.PI) / 180));
  return tilt === 0 ? width : Math.min(width, (cellPerStraggling * rangeStraggling_mm(own_mm)) / tilt);
}

/** `scenario` with every number present. Nothing is checked here. */
export function completeTransport(scenario: TransportWithBeam, context: TransportContext): TransportScenario {
  const found = ranges(scenario, context);
  const wanted = wantedSize(scenario, found, context.ct);
  const { geometry, grid, solver } = scenario;
  const cell = (length_mm: number, box_mm: number): number =>
    Math.min(coarsest_mm, Math.max(finest_mm, niceBelow(Math.min(length_mm, box_mm / fewestCells))));
  const falloff = falloffPerStraggling * rangeStraggling_mm(found.own_mm);
  const depth = sizeAndCell(geometry.depth_mm, grid.dz_mm, {
    size: wanted.depth,
    cell: cell(falloff / cellsPerFalloff, geometry.depth_mm ?? wanted.depth),
  });
  const width = sizeAndCell(geometry.width_mm, grid.dx_mm, {
    size: wanted.width,
    cell: cell(acrossOf(scenario, found), geometry.width_mm ?? wanted.width),
  });
  const step_mm = solver.step_mm ?? stepOf(scenario, depth.cell);
  // Depth stepping steps by the cell in depth, whatever the file says of the step.
  const taken_mm = solver.stepping === 'depth' ? wayPerCell(scenario, depth.cell) : step_mm;
  const { energy } = grid;
  return {
    ...scenario,
    geometry: { ...geometry, width_mm: width.size, depth_mm: depth.size },
    grid: {
      ...grid,
      dx_mm: width.cell,
      dz_mm: depth.cell,
      theta_max_mrad: grid.theta_max_mrad ?? largestAngle(scenario, context),
      cutoff_MeV: grid.cutoff_MeV ?? cutoffOf(scenario, context),
      energy:
        energy.kind === 'range'
          ? { kind: 'range', step_mm: energy.step_mm ?? chosenRangeStep_mm(scenario, context, taken_mm) }
          : energy,
    },
    solver: { ...solver, step_mm },
  };
}
