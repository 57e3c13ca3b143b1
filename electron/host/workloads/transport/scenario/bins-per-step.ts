/**
 * Determines the number of range bins per solver step. Slowing down by a whole number of bins adds no spread. A
 * fraction f of a bin adds a variance of f (1 - f) bins². If this exceeds the straggling of a step, it widens the
 * falloff.
 *
 * Bins must not be coarse compared with the straggling either. The straggling of a step is then a rare jump by one bin.
 * Its variance is correct, but the sum of rare jumps has a fourth cumulant of a bin² times the variance. That of a
 * Gaussian is 0. This makes W80–20 narrower by an eighth of (bin / straggling)². Bins as wide as the falloff make the
 * dose oscillate from cell to cell. Steps that are coarse compared with the falloff are therefore divided into more
 * bins, over which the dose of a cell is averaged.
 */
import type { TransportScenario, TransportWithBeam } from '../../../../contract/scenario/index.ts';
import { withoutRoundingError } from '../../../model/scenarios/rounded.ts';
import { lowestEnergy, stoppingAt } from '../../../model/scenarios/stopping-table.ts';
import { gridMedium } from './axis-range.ts';
import { materialOf, rangeStraggling_mm, type TransportContext, tableOf } from './context.ts';
import { huAt, mediumOf, type PlacedCt } from './placed-ct.ts';

/**
 * Possible numbers of bins per step, in order of preference. Three suffice for every tissue and metal at its usual
 * density. The time is proportional to the number.
 */
const CANDIDATES = [3, 2, 4, 5, 6] as const;
/**
 * Possible numbers of bins if all matter is water. Only plane-to-plane paths of a tilted beam are then fractions of a
 * bin.
 */
const CANDIDATES_IN_WATER = [1, 2, 3, 4, 5, 6] as const;
/** Possible numbers of parts into which a range bin of the file is divided. */
const PARTS = [1, 2, 3, 4, 5, 6] as const;
/** Maximum number of bins per step after the file's bins have been divided. */
const MAX_PER_STEP = 6;
/**
 * Acceptable added variance as a share of the straggling's variance, which widens the falloff by 3 %, 1.5 % or 1 %.
 * With a smaller value of `chosen`, default grids of metals would not fit into usual memory.
 */
const MAX_ADDED_SPREAD = { chosen: 0.06, asked: 0.03, tilted: 0.02 } as const;
/** Maximum width of default bins, relative to the beam's straggling. W80–20 is then accurate to 0.5 %. */
const WIDEST_BIN = 0.22;
/**
 * Possible bin widths for steps shorter than a bin, relative to the beam's straggling. Each is about half of the
 * previous one. A beam in air has such steps; dividing them would need tens of thousands of bins.
 */
const THIN_BINS = [WIDEST_BIN, 0.11, 0.055, 0.0275] as const;
/**
 * Minimum number of bins per step without straggling. With one, the dose in the last cells oscillates from cell to
 * cell. With two, the peak is accurate to a hundredth.
 */
const MIN_WITHOUT_SPREAD = 2;
/** Medians of nine equally likely parts of a standard normal distribution. */
const NORMAL_PARTS = [-1.5932, -0.9674, -0.5895, -0.2822, 0, 0.2822, 0.5895, 0.9674, 1.5932] as const;
/** Parameters of the approximate scattering power of water in rad² per g/cm²: (MeV / pv)² / length. */
const SCATTERING_FIT = { energy_MeV: 15, length_g_cm2: 46.88, share: 0.9 } as const;
const PROTON_MEV = 938.272;
/** Number of energies at which steps are evaluated, between the lowest energy and the beam's. */
const ENERGIES = 200;

interface Medium {
  readonly material: string;
  readonly density_scale: number;
  /** Thickness along z in mm. */
  readonly thickness_mm: number;
}

/** Energies in ascending order, with properties of a beam in water at each energy. */
interface SlowingDown {
  readonly energies_MeV: Float64Array;
  readonly range_mm: Float64Array;
  /** Variance of the residual range in mm². */
  readonly straggling_mm2: Float64Array;
  readonly stopping: Float64Array;
  /** Root mean square angle to the axis in rad, from scattering in water. */
  readonly angle: Float64Array;
  /** Returns the stopping power of a material at these energies. Cached. */
  readonly stoppingIn: (material: string) => Float64Array;
}

export function energyLossOfStep(
  energy_MeV: number,
  context: Pick<TransportContext, 'water' | 'rangeTable' | 'materials'>,
): SlowingDown {
  const lowest = Math.min(lowestEnergy(context.water), energy_MeV / 2);
  const energies = Float64Array.from({ length: ENERGIES }, (_, i) => lowest * (energy_MeV / lowest) ** (i / ENERGIES));
  const { energies_MeV, stopping_MeV_cm2_g } = context.water;
  const found = context.rangeTable(energies_MeV, stopping_MeV_cm2_g, energies);
  const range_mm = found.range_g_cm2.map((range) => range * 10);
  const known = new Map<string, Float64Array>();
  const stoppingIn = (material: string): Float64Array => {
    const table = tableOf(context, material);
    const own =
      known.get(material) ??
      context.rangeTable(table.energies_MeV, table.stopping_MeV_cm2_g, energies).stopping_MeV_cm2_g;
    known.set(material, own);
    return own;
  };
  const straggling_mm2 = range_mm.map((range) => rangeStraggling_mm(range) ** 2);
  const [stopping, angle] = [found.stopping_MeV_cm2_g, rmsAngles(energies, range_mm)];
  return { energies_MeV: energies, range_mm, straggling_mm2, stopping, angle, stoppingIn };
}

function rmsAngles(energies_MeV: Float64Array, range_mm: Float64Array): Float64Array {
  const found = new Float64Array(energies_MeV.length);
  let squared = 0;
  for (let i = energies_MeV.length - 2; i >= 0; i -= 1) {
    const energy = energies_MeV[i] ?? 0;
    const pv = (energy * (energy + 2 * PROTON_MEV)) / (energy + PROTON_MEV);
    const way = ((range_mm[i + 1] ?? 0) - (range_mm[i] ?? 0)) / 10;
    squared += (SCATTERING_FIT.share * (SCATTERING_FIT.energy_MeV / pv) ** 2 * way) / SCATTERING_FIT.length_g_cm2;
    found[i] = Math.sqrt(squared);
  }
  return found;
}

/**
 * Returns the plane-to-plane lengths of a step divided by its length along the axis, for a root mean square angle. A
 * single 1 if all are equal.
 */
type Paths = (angle: number) => readonly number[];
const STRAIGHT: readonly number[] = [1];

function pathsOf({ beam, solver }: TransportWithBeam): Paths {
  if (solver.stepping !== 'depth' || beam.angle_deg === 0) return () => STRAIGHT;
  const tilt = (beam.angle_deg * Math.PI) / 180;
  const steepest = Math.PI / 3;
  return (angle) =>
    NORMAL_PARTS.map((part) => {
      const theta = Math.min(steepest, Math.max(-steepest, tilt + part * angle));
      return Math.cos(tilt) / Math.cos(theta);
    });
}

interface Step {
  /** Length along the axis in mm. */
  readonly length_mm: number;
  /** Relative plane-to-plane lengths at each energy. */
  readonly paths: readonly (readonly number[])[];
}

/** Variance of the residual range, in mm² of water, that bins of width `bin_mm` add on the path through `medium`. */
function addedVariance_mm2(
  medium: Medium,
  water: SlowingDown,
  bin_mm: number,
  step: Step,
  context: TransportContext,
): number {
  const own = water.stoppingIn(medium.material);
  const density = materialOf(context, medium.material).density_g_cm3 * medium.density_scale;
  let added = 0;
  let own_mm = 0;
  let [before, straggled] = [0, 0];
  // Use a loop, because two hundred media and six numbers of bins need a quarter of a million iterations on the event
  // loop.
  for (let i = 0; i < ENERGIES; i += 1) {
    const range = water.range_mm[i] ?? 0;
    const shift_mm = ((own[i] ?? 0) / (water.stopping[i] ?? 1)) * density * step.length_mm;
    const steps = (range - before) / shift_mm;
    // The variance of the straggling between two residual ranges is the difference of the variances at them.
    const variance = water.straggling_mm2[i] ?? 0;
    const held = (variance - straggled) / steps / bin_mm ** 2;
    const paths = step.paths[i] ?? STRAIGHT;
    for (let k = 0; k < paths.length; k += 1) {
      const path = paths[k] ?? 1;
      const bins = (path * shift_mm) / bin_mm;
      const fraction = Math.abs(bins - Math.round(bins));
      const left = fraction * (1 - fraction) - path * held;
      if (left > 0) added += (steps / paths.length) * left * bin_mm ** 2;
    }
    own_mm += steps * step.length_mm;
    before = range;
    straggled = variance;
  }
  // Averaged over its possible positions along the path, the medium adds variance in proportion to its share of the
  // path.
  return added * Math.min(1, medium.thickness_mm / own_mm);
}

/**
 * Returns the background with the beam's largest path in it, and each material of the regions with its total thickness.
 */
function mediaOf(scenario: TransportWithBeam, context: TransportContext): readonly Medium[] {
  const { background, regions } = scenario.geometry;
  const found = new Map<string, Medium>();
  for (const { material, density_scale, z_mm } of regions) {
    const key = `${material} ${density_scale}`;
    const thickness_mm = (found.get(key)?.thickness_mm ?? 0) + z_mm[1] - z_mm[0];
    found.set(key, { material, density_scale, thickness_mm });
  }
  const { background_mm } = gridMedium(scenario, context);
  return [{ material: background, density_scale: 1, thickness_mm: background_mm }, ...found.values()];
}

/** Number of density steps per unit of relative density. CT densities that round to the same step are merged. */
const DENSITY_STEPS = 50;

/** Returns the media on the beam axis in a CT, each with its total thickness. */
function mediaOnAxis({ x_mm, z_mm, angle_deg }: TransportWithBeam['beam'], ct: PlacedCt | null): readonly Medium[] {
  if (ct === null) return [];
  const angle = (angle_deg * Math.PI) / 180;
  const step_mm = Math.min(...ct.slice.spacing_mm);
  const found = new Map<string, Medium>();
  for (let way = 0; z_mm + way * Math.cos(angle) < ct.depth_mm; way += step_mm) {
    const hu = huAt(ct, z_mm + way * Math.cos(angle), x_mm + way * Math.sin(angle));
    if (hu === null) continue;
    const { material, density_scale } = mediumOf(ct, hu);
    const scale = Math.max(1, Math.round(density_scale * DENSITY_STEPS)) / DENSITY_STEPS;
    const key = `${material} ${scale}`;
    const thickness_mm = (found.get(key)?.thickness_mm ?? 0) + step_mm * Math.cos(angle);
    found.set(key, { material, density_scale: scale, thickness_mm });
  }
  return [...found.values()];
}

/** Standard deviation of the residual range at the end of the beam, in mm of water. 0 without straggling. */
function spread_mm({ beam, physics }: TransportWithBeam, context: TransportContext): number {
  if (physics.straggling === 'off') return 0;
  const { range, stopping } = stoppingAt(context.rangeTable, context.water, beam.energy_MeV);
  return Math.hypot(rangeStraggling_mm(range * 10), (beam.energy_sigma_MeV * 10) / stopping);
}

function fewestBins(
  scenario: TransportWithBeam,
  context: TransportContext,
  step_mm: number,
  whole_mm: number,
  candidates: readonly number[],
  bearable: number,
): number {
  const { beam } = scenario;
  const media = [...mediaOf(scenario, context), ...mediaOnAxis(beam, context.ct)];
  const water = energyLossOfStep(beam.energy_MeV, context);
  const step = { length_mm: step_mm, paths: Array.from(water.angle, pathsOf(scenario)) };
  const allowed = bearable * spread_mm(scenario, context) ** 2;
  let [best, least] = [candidates[0] ?? 1, Number.POSITIVE_INFINITY];
  for (const bins of candidates) {
    const worst = Math.max(...media.map((medium) => addedVariance_mm2(medium, water, whole_mm / bins, step, context)));
    if (worst <= allowed) return bins;
    if (worst < least) [best, least] = [bins, worst];
  }
  return best;
}

/**
 * Returns the number of range bins per solver step. `step_mm`: length of a step along the beam axis. `stepInWater_mm`:
 * loss of residual range in such a step, in mm of water.
 */
function binsPerStep(
  scenario: TransportWithBeam,
  context: TransportContext,
  step_mm: number,
  stepInWater_mm: number,
): number {
  const { background, regions } = scenario.geometry;
  const water =
    context.ct === null &&
    background === 'water' &&
    regions.every((one) => one.material === 'water' && one.density_scale === 1);
  const candidates = water ? CANDIDATES_IN_WATER : CANDIDATES;
  const least = minBins(stepInWater_mm, spread_mm(scenario, context));
  const fine = candidates.filter((bins) => bins >= least);
  const bearable = isTilted(scenario) ? MAX_ADDED_SPREAD.tilted : MAX_ADDED_SPREAD.chosen;
  return fewestBins(scenario, context, step_mm, stepInWater_mm, fine.length > 0 ? fine : [least], bearable);
}

/** Minimum number of bins into which a length must be divided, given the straggling. */
function minBins(length_mm: number, spread_mm: number): number {
  return spread_mm > 0 ? Math.ceil(length_mm / (WIDEST_BIN * spread_mm) - 1e-6) : MIN_WITHOUT_SPREAD;
}

/** Whether plane-to-plane paths differ between angles. */
const isTilted = ({ solver, beam }: TransportWithBeam): boolean => solver.stepping === 'depth' && beam.angle_deg !== 0;

/**
 * Path along the beam axis per cell in depth. With steps of this length, rows move by whole cells and are not split.
 */
export function pathPerCell({ beam }: TransportWithBeam, dz_mm: number): number {
  return beam.angle_deg === 0 ? dz_mm : withoutRoundingError(dz_mm / Math.cos((beam.angle_deg * Math.PI) / 180));
}

/**
 * Loss of residual range per solver step along the beam axis, in mm of water. It applies to the background, or to the
 * region in which the beam stops.
 */
function stepInWater_mm(scenario: TransportWithBeam, context: TransportContext, step_mm: number): number {
  const { material, density_scale } = gridMedium(scenario, context).medium;
  const linear = (name: string): number =>
    stoppingAt(context.rangeTable, tableOf(context, name), scenario.beam.energy_MeV).stopping *
    materialOf(context, name).density_g_cm3;
  const toWater = (material === 'water' ? 1 : linear(material) / linear('water')) * density_scale;
  return toWater === 1 ? step_mm : Number((step_mm * toWater).toPrecision(4));
}

/** Default range step for a solver step along the beam axis, in mm of water. */
export function chosenRangeStep_mm(scenario: TransportWithBeam, context: TransportContext, step_mm: number): number {
  const inWater_mm = stepInWater_mm(scenario, context, step_mm);
  const thin = thinBin_mm(scenario, context, step_mm);
  return thin ?? withoutRoundingError(inWater_mm / binsPerStep(scenario, context, step_mm, inWater_mm));
}

/**
 * Bin width for a background in which steps are shorter than the narrowest of THIN_BINS. Null in a denser background.
 */
function thinBin_mm(scenario: TransportWithBeam, context: TransportContext, step_mm: number): number | null {
  const straggling = { ...scenario, physics: { ...scenario.physics, straggling: 'bohr' as const } };
  const spread = spread_mm(straggling, context);
  const narrowest = (THIN_BINS.at(-1) ?? 0) * spread;
  if (stepInWater_mm(scenario, context, step_mm) >= narrowest) return null;
  const depth_mm = scenario.geometry.depth_mm ?? Number.POSITIVE_INFINITY;
  const media = mediaOf(scenario, context).map(({ thickness_mm, ...medium }) => ({
    ...medium,
    thickness_mm: Math.min(thickness_mm, depth_mm),
  }));
  const water = energyLossOfStep(scenario.beam.energy_MeV, context);
  const step = { length_mm: step_mm, paths: Array.from(water.angle, () => STRAIGHT) };
  const allowed = MAX_ADDED_SPREAD.chosen * spread ** 2;
  const found = THIN_BINS.find((share) =>
    media.every((medium) => addedVariance_mm2(medium, water, share * spread, step, context) <= allowed),
  );
  return Number(((found ?? 0) * spread || narrowest).toPrecision(4));
}

/**
 * Cached, because checks, estimate and problem need the same result, and two hundred densities need twenty
 * milliseconds.
 */
const knownParts = new WeakMap<TransportScenario, { readonly context: TransportContext; readonly parts: number }>();

/** Number of parts into which a range bin of the file must be divided, so that it does not blur the range. */
export function partsPerBin(scenario: TransportScenario, context: TransportContext): number {
  const known = knownParts.get(scenario);
  if (known?.context === context) return known.parts;
  const parts = computeParts(scenario, context);
  knownParts.set(scenario, { context, parts });
  return parts;
}

function computeParts(scenario: TransportScenario, context: TransportContext): number {
  const { grid, initial, physics, solver } = scenario;
  if (grid.energy.kind !== 'range' || initial.kind !== 'beam' || physics.straggling === 'off') return 1;
  const bin_mm = grid.energy.step_mm;
  const step_mm = solver.stepping === 'depth' ? pathPerCell(scenario, grid.dz_mm) : solver.step_mm;
  const parts = PARTS.filter((part) => part === 1 || bin_mm / part >= (step_mm / MAX_PER_STEP) * (1 - 1e-6));
  // A default that is written explicitly must give the same result as one that is omitted.
  const own = bin_mm === chosenRangeStep_mm(scenario, context, step_mm);
  if (own && thinBin_mm(scenario, context, step_mm) !== null) return 1;
  const bearable = isTilted(scenario)
    ? MAX_ADDED_SPREAD.tilted
    : own
      ? MAX_ADDED_SPREAD.chosen
      : MAX_ADDED_SPREAD.asked;
  // For tilted beams, do not divide the file's bins, because the accuracy of such runs was measured with undivided
  // bins.
  const least = scenario.beam.angle_deg === 0 ? minBins(bin_mm, spread_mm(scenario, context)) : 1;
  const fine = parts.filter((part) => part >= least);
  return fewestBins(scenario, context, step_mm, bin_mm, fine.length > 0 ? fine : parts, bearable);
}

/** Range step that is passed to the engine, in mm of water: a part of the file's range step. */
export function engineRangeStep_mm(scenario: TransportScenario, context: TransportContext): number {
  const { energy } = scenario.grid;
  return energy.kind === 'range' ? energy.step_mm / partsPerBin(scenario, context) : Number.NaN;
}
