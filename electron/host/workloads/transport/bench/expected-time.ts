/**
 * Estimates the time of a run before it starts. The number of cells that its steps visit follows from the width of the
 * beam in matter. It is divided by the rate of the machine. Completed runs of this session improve the rate.
 */
import type { TransportProblem, TransportRun } from '../../../io/addon/addon.ts';

type PlannedRun = Pick<TransportRun['plan'], 'variant' | 'precision' | 'threads' | 'ne' | 'ntheta' | 'nz' | 'nx'>;

/** Suffixes of variants that visit only cells within the beam. */
const WINDOWED_VARIANTS = ['window', 'depth'];
const isWindowed = (variant: string): boolean => WINDOWED_VARIANTS.some((name) => variant.endsWith(name));

/**
 * Minimum content of a row of cells to be visited, as a share of the protons: `kWindowThreshold` in sliced_solver.cpp.
 */
const THRESHOLD = { fp32: 1e-11, fp64: 1e-18 } as const;
/** Half width of the angular kernel of a step, in standard deviations: `kTailSigmas` in moment_taps.hpp. */
const KERNEL_SIGMAS = 6.5;
/** Quantiles of the energy distribution at which the window of angles and positions is computed. */
const SHELLS = [0.125, 0.375, 0.625, 0.875] as const;

/** Share of a normal distribution in its central cell. */
const middleShare = (sigma: number, cell: number): number => Math.min(1, cell / (Math.sqrt(2 * Math.PI) * sigma));

/**
 * Distance in standard deviations at which a normal distribution with the central value `middle` has fallen to the
 * threshold.
 */
const reachInSigmas = (middle: number, threshold: number): number =>
  Math.sqrt(2 * Math.log(Math.max(1, middle / threshold)));

/**
 * Properties of a beam in water as a function of the share u of its range: plane angle in rad, and straggling as a
 * share of the range.
 */
const angleAt = (u: number): number => 0.031 * Math.sqrt(-Math.log(Math.max(1 - u, 0.05)));
const STRAGGLING_SHARE = 0.0115;
/** Number of cells in depth that path stepping visits at the same time. Depth stepping visits one plane. */
const DEPTH_CELLS = 9;

/** Differences between the protons of a field: their ranges and their entrance points. */
interface Extent {
  readonly range_mm: number;
  /** Range of the highest energy minus that of the lowest, in mm. */
  readonly ranges_mm: number;
  readonly places_mm: number;
}

/** The factor 1.77 is the exponent of the Bragg–Kleeman rule. */
function extentOf({ beam, spots = [beam] }: TransportProblem, range_mm: number): Extent {
  const energies = spots.map(({ energy_MeV }) => energy_MeV);
  const places = spots.map(({ x_mm }) => x_mm);
  const [low, high] = [energies.reduce((a, b) => Math.min(a, b)), energies.reduce((a, b) => Math.max(a, b))];
  return {
    range_mm,
    ranges_mm: range_mm * (1 - (low / high) ** 1.77),
    places_mm: places.reduce((a, b) => Math.max(a, b)) - places.reduce((a, b) => Math.min(a, b)),
  };
}

/**
 * Ranges of a beam in mm: `range_mm` along its axis, and `bins_mm` in water, which is divided into the energy bins.
 */
export interface Ranges {
  readonly range_mm: number;
  readonly bins_mm: number;
}

/** Converts a reading to the input of `expectedVisits`. */
export const rangesOf = (reading: {
  readonly range_mm: number | null;
  readonly waterRange_mm: number | null;
}): Ranges => ({
  range_mm: reading.range_mm ?? 0,
  bins_mm: reading.waterRange_mm ?? 0,
});

type Matter = TransportProblem['materials'][number];

/** Returns the matter on the beam axis for each row in depth. */
function matterOnAxis({ grid, beam, map, materials }: TransportProblem, { nz, nx }: PlannedRun) {
  const column = Math.min(nx - 1, Math.max(0, Math.floor(beam.x_mm / grid.dx_mm + nx / 2)));
  return (row: number): Matter | undefined => materials[map[Math.min(nz - 1, row) * nx + column] ?? 0];
}

/**
 * Ratio of the beam's scattering angles to those in water. It follows from R/X_S of the matter on the axis up to the
 * end of the beam.
 */
function scatteringOf(problem: TransportProblem, plan: PlannedRun, { range_mm, bins_mm }: Ranges): number {
  const { grid, materials, physics } = problem;
  const [water] = materials;
  if (water === undefined || physics.scattering === 'off' || !(range_mm > 0)) return 1;
  const rows = Math.max(1, Math.min(plan.nz, Math.ceil(range_mm / grid.dz_mm)));
  const matterAt = matterOnAxis(problem, plan);
  let perLength = 0;
  for (let z = 0; z < rows; z += 1) {
    const matter = matterAt(z) ?? water;
    perLength += matter.density_g_cm3 / matter.xs_g_cm2 / rows;
  }
  return Math.sqrt((perLength * range_mm) / ((water.density_g_cm3 / water.xs_g_cm2) * bins_mm));
}

/** Mass stopping power at an energy, from the next lower row of the table. */
function stoppingOf({ energies_MeV, stopping_MeV_cm2_g }: Matter, energy_MeV: number): number {
  const above = energies_MeV.findIndex((energy) => energy > energy_MeV);
  return stopping_MeV_cm2_g.at(above < 0 ? -1 : Math.max(0, above - 1)) ?? 1;
}

/** Loss of residual range in each step along the axis, in mm of water. It is nearly 0 in an air gap. */
function lossesOf(problem: TransportProblem, plan: PlannedRun, { range_mm, bins_mm }: Ranges, step_mm: number) {
  const { beam, grid, materials } = problem;
  const [water] = materials;
  const matterAt = matterOnAxis(problem, plan);
  const whole_mm = plan.nz * grid.dz_mm;
  const steps = Math.max(1, Math.min(range_mm, whole_mm) / step_mm);
  const linearStopping = (matter: Matter): number => matter.density_g_cm3 * stoppingOf(matter, beam.energy_MeV);
  const known = new Map<Matter, number>();
  const losses: number[] = [];
  for (let i = 0; i < steps; i += 1) {
    const matter = matterAt(Math.floor(((i + 0.5) * step_mm) / grid.dz_mm)) ?? water;
    if (water === undefined || matter === undefined) break;
    const loss = known.get(matter) ?? (step_mm * linearStopping(matter)) / linearStopping(water);
    known.set(matter, loss);
    losses.push(loss);
  }
  // Scale the losses so that they sum to the range. The ratio of stopping powers at the beam's energy is only
  // approximately that of the ranges.
  const sum = losses.reduce((total, loss) => total + loss, 0);
  const scale = range_mm <= whole_mm ? bins_mm / sum : 1;
  return losses.map((loss) => loss * scale);
}

/** Expected number of cell visits over all steps. Null for variants that do not follow the beam. */
export function expectedVisits(problem: TransportProblem, plan: PlannedRun, ranges: Ranges): number | null {
  const { range_mm, bins_mm } = ranges;
  const { grid, beam, solver } = problem;
  const { ne, ntheta, nz, nx } = plan;
  if (problem.initial.kind === 'filled') return null;
  if (plan.variant.endsWith('moments')) {
    // The moments method visits the range bins within the straggling at the end of the range, in each plane up to this
    // depth. It has no columns and no angles.
    const bins = Math.min(ne, 1 + 2 * KERNEL_SIGMAS * STRAGGLING_SHARE * ne);
    return bins * Math.min(nz, Math.max(1, Math.ceil(range_mm / grid.dz_mm)));
  }
  if (!isWindowed(plan.variant)) return null;
  const extent = extentOf(problem, range_mm);
  const bin_mm = bins_mm / ne;
  const spread_mm = (1.77 * bins_mm * beam.energy_sigma_MeV) / beam.energy_MeV;
  const step_mm = solver.stepping === 'depth' ? grid.dz_mm : solver.step_mm;
  const scattering = scatteringOf(problem, plan, ranges);
  // Variances of angle and position, and their covariance, by Fermi–Eyges theory.
  let [angle2, both, place2] = [beam.angle_sigma_rad ** 2, 0, beam.x_sigma_mm ** 2];
  let [sum, u, split2] = [0, 0, 0];
  for (const loss_mm of lossesOf(problem, plan, ranges, step_mm)) {
    const before = u;
    u = Math.min(1, u + loss_mm / bins_mm);
    place2 += 2 * step_mm * both + step_mm ** 2 * angle2;
    both += step_mm * angle2;
    const step2 = scattering ** 2 * (angleAt(u) ** 2 - angleAt(before) ** 2);
    angle2 += step2;
    // A step also visits the cells within its kernel.
    const kernel = step2 > 0 ? Math.max(1, Math.ceil((KERNEL_SIGMAS * Math.sqrt(step2)) / grid.dtheta_rad)) : 0;
    // If the loss is not a whole number of bins, protons are split over two bins. This widens the distribution more
    // than the straggling of a thin step does.
    const part = (loss_mm / bin_mm) % 1;
    split2 += Math.max(0, part * (1 - part) * bin_mm ** 2 - (STRAGGLING_SHARE * bins_mm) ** 2 * (u - before));
    const sigma_mm = Math.hypot(STRAGGLING_SHARE * bins_mm * Math.sqrt(u), spread_mm, Math.sqrt(split2));
    const [angle, place_mm] = [Math.sqrt(angle2), Math.sqrt(place2)];
    const threshold = THRESHOLD[plan.precision];
    const middle = middleShare(sigma_mm, bin_mm);
    const reach = reachInSigmas(middle, threshold);
    const energies = Math.min(ne, (2 * reach * sigma_mm + extent.ranges_mm * (bins_mm / range_mm)) / bin_mm + 2);
    for (const shell of SHELLS) {
      const slice = middle * Math.exp(-((shell * reach) ** 2) / 2);
      const ofAngles = reachInSigmas(slice * middleShare(angle, grid.dtheta_rad), threshold);
      const ofPlaces = reachInSigmas(slice * middleShare(place_mm, grid.dx_mm), threshold);
      const angles = Math.min(ntheta, (2 * ofAngles * angle) / grid.dtheta_rad + 1 + 2 * kernel);
      const drift = Math.ceil((0.5 * angles * grid.dtheta_rad * step_mm) / grid.dx_mm);
      const columns = Math.min(nx, (2 * ofPlaces * place_mm + extent.places_mm) / grid.dx_mm + 1 + 2 * drift);
      sum += (energies * angles * columns) / SHELLS.length;
    }
  }
  return solver.stepping === 'depth' ? sum : sum * Math.min(nz, DEPTH_CELLS);
}

/** Cell visits per second, for one thread of an EPYC server with AVX-512 and for an H100 GPU. */
const TYPICAL = { thread: 1.2e8, gpu: 4e9 } as const;
/** Maximum factor on the time if reactions are followed. */
const WITH_REACTIONS = 1.35;
/** Weight of the newest run in the learned rate. */
const NEWEST_WEIGHT = 0.5;

interface ExpectedTime {
  readonly seconds: number;
  /** Machine on which the rate was measured. Null if runs of this variant have ended on this machine. */
  readonly elsewhere: string | null;
}

/** Seconds per expected visit in completed runs of this session, by variant and precision. */
const secondsPerVisit = new Map<string, number>();
const simulatesReactions = ({ physics }: TransportProblem): boolean => physics.nuclear === 'icru63';
const rateKey = ({ variant, precision }: PlannedRun, problem: TransportProblem): string =>
  `${variant} ${precision} ${simulatesReactions(problem)}`;

/** Updates the rate by the duration and the expected visits of a run. */
export function learnTime(problem: TransportProblem, plan: PlannedRun, visits: number | null, seconds: number): void {
  if (visits === null || !(visits > 0) || !(seconds > 0)) return;
  const key = rateKey(plan, problem);
  const before = secondsPerVisit.get(key);
  const now = seconds / visits;
  secondsPerVisit.set(key, before === undefined ? now : before + NEWEST_WEIGHT * (now - before));
}

/** Expected time of a run. `onGpu`: whether its variant runs on a GPU. */
export function expectedTime(
  problem: TransportProblem,
  plan: PlannedRun,
  visits: number,
  onGpu: boolean,
): ExpectedTime {
  const known = secondsPerVisit.get(rateKey(plan, problem));
  if (known !== undefined) return { seconds: visits * known, elsewhere: null };
  const rate = onGpu ? TYPICAL.gpu : TYPICAL.thread * Math.max(1, plan.threads);
  const elsewhere = onGpu ? 'an H100' : 'a server with AVX-512';
  const slower = (plan.precision === 'fp64' ? 2 : 1) * (simulatesReactions(problem) ? WITH_REACTIONS : 1);
  return { seconds: (visits / rate) * slower, elsewhere };
}
