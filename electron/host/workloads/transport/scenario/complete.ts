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
import { estimateGrid, mostPictureBytes, pictureBytes } from './estimate.ts';
import { rangeStraggling_mm } from './straggling.ts';

/** Beam width at the end of the range in water, both in mm: a fit as that of the straggling. */
const widthAtEnd_mm = (range_mm: number): number => 0.906 * (range_mm / 40.8) ** 0.991;

const isCrossed = (range_mm: number, depth_mm: number): boolean => depth_mm < crossedShare * range_mm;

/** Beam width at a depth: it grows with the depth to the power of 3/2 where protons slow down little. */
const widthAt_mm = (range_mm: number, depth_mm: number): number =>
  widthAtEnd_mm(range_mm) * (isCrossed(range_mm, depth_mm) ? (depth_mm / range_mm) ** 1.5 : 1);

/** The distal 80–20 % falloff is this many times the straggling; three cells have to lie in it. */
const falloffPerStraggling = 1.312;
const cellsPerFalloff = 3;
/**
 * Longest cell in depth, mm of water, before it is rounded down. Above 180 MeV a third of the falloff is a millimetre:
 * means over such cells lower the peak by 0.8 %, and at 201 and 214 MeV 83 and 70 % of depths pass 1 %/1 mm against Monte
 * Carlo where 98 % do.
 */
const longestCell_mm = 0.75;
/** A tilted beam's cells across show in its falloff: the narrowest beam's width along the axis is an eighth. */
const cellPerStraggling = 0.16;
/** With this many cells in the beam's width at the end, halving them changes the width by less than 1 %. */
const cellsPerWidth = 3.5;
/** The dose ends three straggling widths behind the range; the rest is for the eye. */
const depthPerRange = 1.2;
/** Beyond this angle from the beam lie less than 1e-6 of the protons of any therapeutic energy in water. */
const theta_max_mrad = 400;
/** Width of angle bins in water; kernels of a step hold its variance exactly on any. */
const waterBin_mrad = 5;
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
/** Residual range at the cutoff, relative to the straggling. */
const restPerStraggling = 0.1;
const restPerStragglingInMetals = 0.5;

/** Bounds of the schema, for materials in which a beam goes further than any grid. */
const widest_mm = 10_000;
const deepest_mm = 5000;
const finest_mm = 1e-5;
const coarsest_mm = 100;
/** A box that the beam crosses without stopping still gets this many cells. */
const fewestCells = 40;

/** In a box of less than this share of the range a beam is far narrower than at its end. */
const crossedShare = 0.1;
/**
 * Width of such a box relative to the beam's width at its back. It is at least the depth, to contain products of
 * reactions.
 */
const widthPerBeam = 16;

interface Ranges {
  /** In water. */
  readonly water_mm: number;
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
  return { water_mm: stoppingAt(context.rangeTable, context.water, energy_MeV).range * 10, own_mm, path_mm };
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
  const depth_mm = Math.min(geometry.depth_mm ?? deepest_mm, deepest_mm);
  const across_mm = isCrossed(own_mm, depth_mm)
    ? Math.max(widthPerBeam * widthAt_mm(own_mm, depth_mm), depth_mm)
    : own_mm;
  const regionWidth = 2 * Math.max(0, ...geometry.regions.flatMap(({ x_mm }) => x_mm.map(Math.abs)));
  const regionDepth = Math.max(0, ...geometry.regions.map(({ z_mm }) => z_mm[1]));
  return {
    width: Math.min(widest_mm, Math.max(niceNear(across_mm + aside), regionWidth)),
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

/** Slow protons scatter this many times as much as the mean over their range: a foil may lie at its end. */
const mostAtEnd = 4;

/** Scattering over the beam's range in the background and regions, each by its thickness, over that in water: √(R/X_S). */
function scatteringToWater({ beam, geometry }: TransportWithBeam, context: TransportContext): number {
  const rangeOf = (material: string): number =>
    stoppingAt(context.rangeTable, tableOf(context, material), beam.energy_MeV).range;
  const squared = (material: string): number =>
    rangeOf(material) / materialOf(context, material).scattering_length_g_cm2;
  const part = ({ material, density_scale, z_mm }: (typeof geometry.regions)[number]): number => {
    const thickness = 0.1 * (z_mm[1] - z_mm[0]) * materialOf(context, material).density_g_cm3 * density_scale;
    return Math.min(1, (mostAtEnd * thickness) / rangeOf(material)) * squared(material);
  };
  const background = squared(geometry.background);
  const most = Math.max(background, ...geometry.regions.map(part));
  return Math.sqrt(most / squared('water'));
}

/** Width of the angle bins: metals that scatter more spread the beam over wider ones alike. */
function angleBin_mrad(scenario: TransportWithBeam, context: TransportContext): number {
  const more = scatteringToWater(scenario, context);
  return more > turnsRound ? niceBelow(waterBin_mrad * more) : waterBin_mrad;
}

/** The angle grid from the beam's angle to its end, as far as the stepping takes it. */
function largestAngle(scenario: TransportWithBeam, context: TransportContext, dtheta_mrad: number): number {
  const { beam, solver } = scenario;
  const scattered = theta_max_mrad * Math.max(1, angleMargin * scatteringToWater(scenario, context));
  const off_mrad = spotsOf(beam).map(
    (spot) => (Math.abs(spot.angle_deg - beam.angle_deg) * 1000 * Math.PI) / 180 + 4 * spot.angle_sigma_mrad,
  );
  const off = off_mrad.reduce((most, one) => Math.max(most, one), 0);
  const wanted = multipleAbove(scattered + off, dtheta_mrad);
  if (solver.stepping !== 'depth') return wanted;
  const room = depthSteppingLimit_mrad - (Math.abs(beam.angle_deg) * 1000 * Math.PI) / 180;
  const most = Math.max(leastAngle_mrad, Math.floor(room / dtheta_mrad) * dtheta_mrad);
  return Math.min(wanted, tidy(most));
}

/** The solver step: a cell in depth, or the whole multiple of a given range step nearest to it. */
function stepOf(scenario: TransportWithBeam, dz_mm: number): number {
  const { energy } = scenario.grid;
  const step_mm = scenario.solver.stepping === 'depth' ? dz_mm : wayPerCell(scenario, dz_mm);
  if (energy.kind !== 'range' || energy.step_mm === undefined) return step_mm;
  return tidy(Math.max(1, Math.round(step_mm / energy.step_mm)) * energy.step_mm);
}

/** Wanted cell in depth, mm: by the falloff, and by the range in water that a cell takes. */
function deepOf({ own_mm, water_mm }: Ranges): number {
  const falloff = falloffPerStraggling * rangeStraggling_mm(own_mm);
  return Math.min(falloff / cellsPerFalloff, (longestCell_mm * own_mm) / water_mm);
}

/** Wanted cell across, mm: by the beam's width at its end, or behind the box, and by what it adds to a tilted beam's falloff. */
function acrossOf({ beam }: TransportWithBeam, { own_mm }: Ranges, depth_mm: number, entrance_mm: number): number {
  const width = Math.hypot(widthAt_mm(own_mm, depth_mm), entrance_mm) / cellsPerWidth;
  const tilt = Math.abs(Math.sin((beam.angle_deg * Math.PI) / 180));
  return tilt === 0 ? width : Math.min(width, (cellPerStraggling * rangeStraggling_mm(own_mm)) / tilt);
}

/**
 * `scenario` with every number present. Nothing is checked here. A deep box, such as one with a nozzle's air gap, may have
 * more cells than a picture of the run can: cells across then follow the beam's width at its entrance too.
 */
export function completeTransport(scenario: TransportWithBeam, context: TransportContext): TransportScenario {
  const complete = completeBy(scenario, context, 0);
  const isDeep = complete.initial.kind === 'beam' && scenario.grid.dx_mm === undefined;
  if (!isDeep || pictureBytes(estimateGrid(complete, context)) <= mostPictureBytes) return complete;
  const narrowest_mm = spotsOf(scenario.beam).reduce((least, { x_sigma_mm }) => Math.min(least, x_sigma_mm), Infinity);
  return completeBy(scenario, context, narrowest_mm);
}

/** The CT with its slice and the place of the box in it: a run states them without the file. */
function placedIn(
  ct: TransportWithBeam['geometry']['ct'],
  placed: PlacedCt | null,
): Pick<TransportWithBeam['geometry'], 'ct'> {
  if (ct === undefined || placed === null) return {};
  const { slice, isocentre_mm, isocentre_depth_mm } = placed;
  const frame = slice.frame === '' ? {} : { frame_of_reference: slice.frame };
  return { ct: { ...ct, at_mm: slice.at_mm, isocentre_mm: [...isocentre_mm], isocentre_depth_mm, ...frame } };
}

function completeBy(scenario: TransportWithBeam, context: TransportContext, entrance_mm: number): TransportScenario {
  const found = ranges(scenario, context);
  const wanted = wantedSize(scenario, found, context.ct);
  const { geometry, grid, solver } = scenario;
  const cell = (length_mm: number, box_mm: number): number =>
    Math.min(coarsest_mm, Math.max(finest_mm, niceBelow(Math.min(length_mm, box_mm / fewestCells))));
  const depth = sizeAndCell(geometry.depth_mm, grid.dz_mm, {
    size: wanted.depth,
    cell: cell(deepOf(found), geometry.depth_mm ?? wanted.depth),
  });
  const width = sizeAndCell(geometry.width_mm, grid.dx_mm, {
    size: wanted.width,
    cell: cell(acrossOf(scenario, found, depth.size, entrance_mm), geometry.width_mm ?? wanted.width),
  });
  const boxed = { ...scenario, geometry: { ...geometry, depth_mm: depth.size } };
  const step_mm = solver.step_mm ?? stepOf(scenario, depth.cell);
  // Depth stepping steps by the cell in depth, whatever the file says of the step.
  const taken_mm = solver.stepping === 'depth' ? wayPerCell(scenario, depth.cell) : step_mm;
  const { energy } = grid;
  const dtheta_mrad = grid.dtheta_mrad ?? angleBin_mrad(scenario, context);
  return {
    ...scenario,
    geometry: { ...geometry, ...placedIn(geometry.ct, context.ct), width_mm: width.size, depth_mm: depth.size },
    grid: {
      ...grid,
      dx_mm: width.cell,
      dz_mm: depth.cell,
      dtheta_mrad,
      theta_max_mrad: grid.theta_max_mrad ?? largestAngle(scenario, context, dtheta_mrad),
      cutoff_MeV: grid.cutoff_MeV ?? cutoffOf(scenario, context),
      energy:
        energy.kind === 'range'
          ? { kind: 'range', step_mm: energy.step_mm ?? chosenRangeStep_mm(boxed, context, taken_mm) }
          : energy,
    },
    solver: { ...solver, step_mm },
  };
}
