/**
 * Fills in defaults that depend on the range of the beam, so that a file with only an energy gives a good result.
 * Values set by the user are never changed, and defaults adapt to them.
 */
import {
  cellLimits_mm,
  depthLimits_mm,
  spotsOf,
  type TransportScenario,
  type TransportWithBeam,
  widthLimits_mm,
} from '../../../../contract/scenario/index.ts';
import {
  multipleAbove,
  roundedAbove,
  roundedBelow,
  roundedNear,
  twoDigitsBelow,
  withoutRoundingError,
} from '../../../model/scenarios/rounded.ts';
import { lowestEnergy, type StoppingValues, stoppingAt } from '../../../model/scenarios/stopping-table.ts';
import { gridMedium } from './axis-range.ts';
import { chosenRangeStep_mm, pathPerCell } from './bins-per-step.ts';
import { materialOf, rangeStraggling_mm, type TransportContext, tableOf } from './context.ts';
import type { PlacedCt } from './placed-ct.ts';
import { depthSteppingLimit_mrad, estimateGrid, maxMapCells, maxPictureBytes, pictureBytes } from './problem.ts';

/** Width of a beam at the end of its range in water, in mm: a power law, fitted like that of the range straggling. */
const widthAtEnd_mm = (range_mm: number): number => 0.906 * (range_mm / 40.8) ** 0.991;

const isCrossed = (range_mm: number, depth_mm: number): boolean => depth_mm < crossedShare * range_mm;

/**
 * Width of a beam at a depth in mm. Before protons slow down noticeably, it grows as the depth to the power of 3/2.
 * Matter that scatters more than water widens the beam in proportion to its scattering angles.
 */
const widthAt_mm = ({ own_mm, scattering }: Ranges, depth_mm: number): number =>
  scattering * widthAtEnd_mm(own_mm) * (isCrossed(own_mm, depth_mm) ? (depth_mm / own_mm) ** 1.5 : 1);

/** Distal 80–20 % falloff divided by the straggling. The falloff must contain three cells. */
const falloffPerStraggling = 1.312;
const cellsPerFalloff = 3;
/**
 * Maximum length of a cell in depth in mm of water, before it is rounded down. Above 180 MeV, a third of the falloff is
 * a millimetre. Means over cells of that length lower the peak by 0.8 %. Then only 83 % (201 MeV) and 70 % (214 MeV) of
 * depths pass 1 %/1 mm against Monte Carlo, instead of 98 %.
 */
const longestCell_mm = 0.75;
/**
 * Cell width along the axis of a tilted beam, relative to the straggling. Lateral cells affect the falloff of such a
 * beam. This width is an eighth of that of the narrowest falloff.
 */
const cellPerStraggling = 0.16;
/** Number of cells in the width of the beam at its end. Halving such cells changes the width by less than 1 %. */
const cellsPerWidth = 3.5;
/**
 * Depth of the box divided by the range. The dose ends three standard deviations beyond the range, and the remaining
 * depth is for display.
 */
const depthPerRange = 1.2;
/** Half width of the angle range. In water, less than 1e-6 of the protons of any therapeutic energy are beyond it. */
const theta_max_mrad = 400;
/** Width of angle bins in water. The kernel of a step has the exact variance for any width. */
const waterBin_mrad = 5;
/**
 * Factor on the ratio of scattering angles to those in water. Three quarters of this ratio suffice for the angle range.
 */
const angleMargin = 0.75;
/**
 * Minimum default angle range, because a smaller one loses too many protons. If depth stepping does not support it, the
 * scenario has an error.
 */
const leastAngle_mrad = 200;
/** Possible cutoff energies. The highest one whose residual range does not affect the peak is used. */
const cutoffs_MeV = [2, 1.5, 1, 0.7, 0.5, 0.3, 0.2] as const;
/**
 * Maximum default cutoff. With a higher one the peak is up to 7 % too high, because the residual energy is deposited
 * locally.
 */
const highestCutoff_MeV = 0.5;
/**
 * Ratio of scattering angles to those in water above which slow protons turn back within a step and leave the angle
 * grid.
 */
const turnsRound = 1.3;
/** Maximum residual range at the cutoff, divided by the straggling. */
const residualPerStraggling = 0.1;
const residualPerStragglingInMetals = 0.5;

/** Limits of the schema. They apply to materials with ranges beyond any grid. */
const [widest_mm, deepest_mm] = [widthLimits_mm.max, depthLimits_mm.max];
const { min: finest_mm, max: coarsest_mm } = cellLimits_mm;
/** Minimum number of cells in a box that the beam crosses without stopping. */
const minCells = 40;

/** Depth of a box, as a share of the range, below which the beam is far narrower than at the end of its range. */
const crossedShare = 0.1;
/**
 * Width of a box that the beam crosses without stopping, divided by the width of the beam at its back. The box is at
 * least as wide as deep, to contain reaction products.
 */
const widthPerBeam = 16;

interface Ranges {
  /** Range in water in mm. */
  readonly water_mm: number;
  /** Range in the background, or in the denser region in which the beam stops. */
  readonly own_mm: number;
  /** Path along a straight line. It includes the additional range in regions that stop less than the background. */
  readonly path_mm: number;
  /** Ratio of scattering angles to those in water. 1 for tissue, which is close to water. */
  readonly scattering: number;
}

function rangesOfBeam(scenario: TransportWithBeam, context: TransportContext): Ranges {
  const { energy_MeV } = scenario.beam;
  const { background, regions } = scenario.geometry;
  const at = (material: string): StoppingValues =>
    stoppingAt(context.rangeTable, tableOf(context, material), energy_MeV);
  const linear = (material: string, scale: number): number =>
    at(material).stopping * materialOf(context, material).density_g_cm3 * scale;
  const { medium, range_mm } = gridMedium(scenario, context);
  const density = materialOf(context, medium.material).density_g_cm3 * medium.density_scale;
  const own_mm = (at(medium.material).range * 10) / density;
  const inRegion = Number.isFinite(range_mm);
  let path_mm = inRegion ? range_mm : own_mm;
  for (const region of inRegion ? [] : regions) {
    const ratio = linear(region.material, region.density_scale) / linear(background, 1);
    if (ratio < 1) path_mm += (1 - ratio) * (region.z_mm[1] - region.z_mm[0]);
  }
  const water_mm = stoppingAt(context.rangeTable, context.water, energy_MeV).range * 10;
  const scattering = Math.sqrt(
    scatteringOver(medium.material, scenario, context) / scatteringOver('water', scenario, context),
  );
  return { water_mm, own_mm, path_mm, scattering: scattering > turnsRound ? scattering : 1 };
}

/** Computes a missing size or cell from the other one, so that a whole number of cells fills the size. */
function sizeAndCell(size: number | undefined, cell: number | undefined, wanted: { size: number; cell: number }) {
  if (cell !== undefined) return { size: size ?? multipleAbove(wanted.size, cell), cell };
  if (size === undefined) return { size: multipleAbove(wanted.size, wanted.cell), cell: wanted.cell };
  return { size, cell: withoutRoundingError(size / Math.max(1, Math.ceil(size / wanted.cell - 1e-6))) };
}

function wantedSize(scenario: TransportWithBeam, found: Ranges, ct: PlacedCt | null): { width: number; depth: number } {
  const { own_mm, path_mm } = found;
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
    ? Math.max(widthPerBeam * widthAt_mm(found, depth_mm), depth_mm)
    : own_mm;
  const regionWidth = 2 * Math.max(0, ...geometry.regions.flatMap(({ x_mm }) => (x_mm ?? []).map(Math.abs)));
  const regionDepth = Math.max(0, ...geometry.regions.map(({ z_mm }) => z_mm[1]));
  return {
    width: Math.min(widest_mm, Math.max(roundedNear(across_mm + aside), regionWidth)),
    depth: Math.min(deepest_mm, Math.max(roundedAbove(along), regionDepth)),
  };
}

/** Highest cutoff that affects neither peak nor R80. It is within the tables and a uniform energy grid. */
function cutoffOf(scenario: TransportWithBeam, context: TransportContext): number {
  const { beam, grid } = scenario;
  const metal = scatteringToWater(scenario, context) > turnsRound;
  const range_mm = (energy: number): number => stoppingAt(context.rangeTable, context.water, energy).range * 10;
  const rest = metal ? residualPerStragglingInMetals : residualPerStraggling;
  const shown = rest * rangeStraggling_mm(range_mm(beam.energy_MeV));
  const lowest = Math.max(lowestEnergy(context.water), grid.energy.kind === 'uniform' ? grid.energy.min_MeV : 0);
  const highest = metal ? cutoffs_MeV[0] : highestCutoff_MeV;
  const allowed = cutoffs_MeV.filter((cutoff) => cutoff >= lowest);
  const hidden = allowed.find((cutoff) => cutoff <= highest && range_mm(cutoff) <= shown);
  return hidden ?? allowed.at(-1) ?? cutoffs_MeV[0];
}

/**
 * Factor on the share of a thin region, which may be at the end of the range. There, slow protons scatter this many
 * times as much as on average.
 */
const maxAtEnd = 4;

const massRange = (material: string, { beam }: TransportWithBeam, context: TransportContext): number =>
  stoppingAt(context.rangeTable, tableOf(context, material), beam.energy_MeV).range;

/** Square of the scattering angle in a material, accumulated over the range of the beam: R/X_S. */
const scatteringOver = (material: string, scenario: TransportWithBeam, context: TransportContext): number =>
  massRange(material, scenario, context) / materialOf(context, material).scattering_length_g_cm2;

/**
 * Largest scattering angle in the background or a region, relative to that in water: √(R/X_S). A region counts by its
 * thickness.
 */
function scatteringToWater(scenario: TransportWithBeam, context: TransportContext): number {
  const { geometry } = scenario;
  const rangeOf = (material: string): number => massRange(material, scenario, context);
  const squared = (material: string): number => scatteringOver(material, scenario, context);
  const part = ({ material, density_scale, z_mm }: (typeof geometry.regions)[number]): number => {
    const thickness = 0.1 * (z_mm[1] - z_mm[0]) * materialOf(context, material).density_g_cm3 * density_scale;
    return Math.min(1, (maxAtEnd * thickness) / rangeOf(material)) * squared(material);
  };
  const background = squared(geometry.background);
  const most = Math.max(background, ...geometry.regions.map(part));
  return Math.sqrt(most / squared('water'));
}

/** Width of the angle bins. It is wider for metals, in proportion to their scattering angles. */
function angleBin_mrad(scenario: TransportWithBeam, context: TransportContext): number {
  const more = scatteringToWater(scenario, context);
  return more > turnsRound ? twoDigitsBelow(waterBin_mrad * more) : waterBin_mrad;
}

/** Limit of the angle grid, measured from the angle of the beam, as far as the stepping supports it. */
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
  return Math.min(wanted, withoutRoundingError(most));
}

/** Solver step: one cell in depth, or the nearest multiple of a range step given by the file. */
function solverStep_mm(scenario: TransportWithBeam, dz_mm: number): number {
  const { energy } = scenario.grid;
  const step_mm = scenario.solver.stepping === 'depth' ? dz_mm : pathPerCell(scenario, dz_mm);
  if (energy.kind !== 'range' || energy.step_mm === undefined) return step_mm;
  return withoutRoundingError(Math.max(1, Math.round(step_mm / energy.step_mm)) * energy.step_mm);
}

/** Preferred cell size in depth in mm. It is limited by the falloff and by the cell's thickness in water. */
function depthCellSize_mm({ own_mm, water_mm }: Ranges): number {
  const falloff = falloffPerStraggling * rangeStraggling_mm(own_mm);
  return Math.min(falloff / cellsPerFalloff, (longestCell_mm * own_mm) / water_mm);
}

/**
 * Preferred cell size across the beam in mm. It is a share of the width of the beam at its end, or at the back of a box
 * that it crosses. For a tilted beam it is also limited by its effect on the falloff.
 */
function lateralCellSize_mm({ beam }: TransportWithBeam, found: Ranges, depth_mm: number, entrance_mm: number): number {
  const width = Math.hypot(widthAt_mm(found, depth_mm), entrance_mm) / cellsPerWidth;
  const tilt = Math.abs(Math.sin((beam.angle_deg * Math.PI) / 180));
  return tilt === 0 ? width : Math.min(width, (cellPerStraggling * rangeStraggling_mm(found.own_mm)) / tilt);
}

/** Cell sizes across the beam in mm, for boxes whose maps would be too large with finer cells. */
const coarserAcross_mm = [0.5, 1, 2, 5];

/**
 * Returns `scenario` with all values filled in, without checks.
 *
 * A deep box may have too many cells for a keyframe, for example if it contains the air gap of a nozzle. Cells across
 * then depend on the width of the beam at its entrance too. If that is not enough, they are the finest ones that fit,
 * because the gap widens the beam.
 */
export function completeTransport(scenario: TransportWithBeam, context: TransportContext): TransportScenario {
  const complete = completeWithEntrance(scenario, context, 0);
  const fits = (found: TransportScenario): boolean => {
    const cells = estimateGrid(found, context);
    return pictureBytes(cells) <= maxPictureBytes && cells.nz * cells.nx <= maxMapCells;
  };
  if (complete.initial.kind !== 'beam' || scenario.grid.dx_mm !== undefined || fits(complete)) return complete;
  const narrowest_mm = spotsOf(scenario.beam).reduce((least, { x_sigma_mm }) => Math.min(least, x_sigma_mm), Infinity);
  const wider_mm = coarserAcross_mm.map((cell) => cell * cellsPerWidth).filter((width) => width > narrowest_mm);
  for (const width_mm of [narrowest_mm, ...wider_mm]) {
    const coarser = completeWithEntrance(scenario, context, width_mm);
    if (fits(coarser)) return coarser;
  }
  return complete;
}

/**
 * Returns the CT with its slice and the position of the box in it, so that a stored run is complete without the image.
 */
function withPlacement(
  ct: TransportWithBeam['geometry']['ct'],
  placed: PlacedCt | null,
): Pick<TransportWithBeam['geometry'], 'ct'> {
  if (ct === undefined || placed === null) return {};
  const { slice, isocentre_mm, isocentre_depth_mm } = placed;
  const frame = slice.frame === '' ? {} : { frame_of_reference: slice.frame };
  return { ct: { ...ct, at_mm: slice.at_mm, isocentre_mm: [...isocentre_mm], isocentre_depth_mm, ...frame } };
}

function completeWithEntrance(
  scenario: TransportWithBeam,
  context: TransportContext,
  entrance_mm: number,
): TransportScenario {
  const found = rangesOfBeam(scenario, context);
  const wanted = wantedSize(scenario, found, context.ct);
  const { geometry, grid, solver } = scenario;
  // A beam in metal fills several times as many cells as in water. Rounding its cells down to 1, 2, 2.5 or 5 would
  // double the time.
  const below = found.scattering > 1 ? twoDigitsBelow : roundedBelow;
  const cell = (length_mm: number, box_mm: number): number =>
    Math.min(coarsest_mm, Math.max(finest_mm, below(Math.min(length_mm, box_mm / minCells))));
  const depth = sizeAndCell(geometry.depth_mm, grid.dz_mm, {
    size: wanted.depth,
    cell: cell(depthCellSize_mm(found), geometry.depth_mm ?? wanted.depth),
  });
  const width = sizeAndCell(geometry.width_mm, grid.dx_mm, {
    size: wanted.width,
    cell: cell(lateralCellSize_mm(scenario, found, depth.size, entrance_mm), geometry.width_mm ?? wanted.width),
  });
  const boxed = { ...scenario, geometry: { ...geometry, depth_mm: depth.size } };
  const step_mm = solver.step_mm ?? solverStep_mm(scenario, depth.cell);
  // Depth stepping uses the cell size in depth as its step, and ignores the step in the file.
  const taken_mm = solver.stepping === 'depth' ? pathPerCell(scenario, depth.cell) : step_mm;
  const { energy } = grid;
  const dtheta_mrad = grid.dtheta_mrad ?? angleBin_mrad(scenario, context);
  return {
    ...scenario,
    geometry: {
      ...geometry,
      ...withPlacement(geometry.ct, context.ct),
      width_mm: width.size,
      depth_mm: depth.size,
      regions: geometry.regions.map(({ x_mm = [-width.size / 2, width.size / 2], ...region }) => ({ ...region, x_mm })),
    },
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
