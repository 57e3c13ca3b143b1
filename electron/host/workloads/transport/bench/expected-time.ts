/**
 * About how long a run will take, before it starts: how many cells its steps visit, by the widths that a beam has in matter,
 * over how many a second the machine visits. What runs of this session took corrects both.
 */
import type { TransportProblem, TransportRun } from '../../../io/addon/addon.ts';

type Planned = Pick<TransportRun['plan'], 'variant' | 'precision' | 'threads' | 'ne' | 'ntheta' | 'nz' | 'nx'>;

/** Variants that visit what the beam fills. */
const FOLLOWING = ['window', 'depth'];
const follows = (variant: string): boolean => FOLLOWING.some((name) => variant.endsWith(name));

/** Widths on either side of the beam that are visited, in standard deviations. */
const REACH = 5;

/** A beam in matter, by the share u of its range: plane angle, rad, width as a share of the range, straggling likewise. */
const angleAt = (u: number): number => 0.031 * Math.sqrt(-Math.log(Math.max(1 - u, 0.05)));
const widthAt = (u: number): number => 0.022 * u ** 1.75;
const STRAGGLING = 0.0115;
/** Cells of depth that path stepping visits at a time, compared with one plane of depth stepping. */
const DEPTH_CELLS = 9;

/** The ranges of the slowest and the fastest proton, and where they enter. */
interface Extent {
  readonly range_mm: number;
  /** Range of the highest energy less that of the lowest. */
  readonly ranges_mm: number;
  readonly places_mm: number;
}

/** 1.77 is the exponent of Bragg and Kleeman. */
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

/** `range_mm`: along the beam; `bins_mm`: its range in water, which the energy bins divide. */
export interface Ranges {
  readonly range_mm: number;
  readonly bins_mm: number;
}

/** Input of `expectedVisits` from a reading. */
export const rangesOf = (reading: {
  readonly range_mm: number | null;
  readonly waterRange_mm: number | null;
}): Ranges => ({
  range_mm: reading.range_mm ?? 0,
  bins_mm: reading.waterRange_mm ?? 0,
});

/** Cells that all steps visit; null of variants that visit others than the beam's. */
export function expectedVisits(problem: TransportProblem, plan: Planned, { range_mm, bins_mm }: Ranges): number | null {
  const { grid, beam, solver } = problem;
  const { ne, ntheta, nz, nx } = plan;
  if (problem.initial.kind === 'filled' || !follows(plan.variant)) return null;
  const extent = extentOf(problem, range_mm);
  const bin_mm = bins_mm / ne;
  const spread_mm = (1.77 * bins_mm * beam.energy_sigma_MeV) / beam.energy_MeV;
  const step_mm = solver.stepping === 'depth' ? grid.dz_mm : solver.step_mm;
  const steps = Math.max(1, Math.min(range_mm, nz * grid.dz_mm) / step_mm);
  let sum = 0;
  for (let i = 0; i < steps; i += 1) {
    const u = (i + 0.5) / Math.max(steps, range_mm / step_mm);
    const sigma_mm = Math.hypot(STRAGGLING * bins_mm * Math.sqrt(u), spread_mm);
    const energies = Math.min(ne, (2 * REACH * sigma_mm + extent.ranges_mm * (bins_mm / range_mm)) / bin_mm + 2);
    const angle = Math.hypot(angleAt(u), beam.angle_sigma_rad);
    const angles = Math.min(ntheta, (2 * REACH * angle) / grid.dtheta_rad + 1);
    const width_mm = Math.hypot(widthAt(u) * range_mm, beam.x_sigma_mm, u * range_mm * beam.angle_sigma_rad);
    const columns = Math.min(nx, (2 * REACH * width_mm + extent.places_mm) / grid.dx_mm + 2);
    sum += energies * angles * columns;
  }
  return solver.stepping === 'depth' ? sum : sum * Math.min(nz, DEPTH_CELLS);
}

/** Visits a second of a thread, and of a GPU: on an EPYC server with AVX-512, and on an H100. */
const TYPICAL = { thread: 1.2e8, gpu: 4e9 } as const;
/** Following reactions takes up to so much more. */
const WITH_REACTIONS = 1.35;
/** Weight of the newest run in what is learned. */
const NEWEST = 0.5;

interface ExpectedTime {
  readonly seconds: number;
  /** Whose rate it is by; null where runs of this variant ended here. */
  readonly elsewhere: string | null;
}

/** Seconds per expected visit, by variant and precision, of runs that ended in this program. */
const learned = new Map<string, number>();
const followsReactions = ({ physics }: TransportProblem): boolean => physics.nuclear === 'icru63';
const keyOf = ({ variant, precision }: Planned, problem: TransportProblem): string =>
  `${variant} ${precision} ${followsReactions(problem)}`;

/** A run of so many expected visits took so long. */
export function learnTime(problem: TransportProblem, plan: Planned, visits: number | null, seconds: number): void {
  if (visits === null || !(visits > 0) || !(seconds > 0)) return;
  const key = keyOf(plan, problem);
  const before = learned.get(key);
  const now = seconds / visits;
  learned.set(key, before === undefined ? now : before + NEWEST * (now - before));
}

/** `onGpu`: its variant runs there. */
export function expectedTime(problem: TransportProblem, plan: Planned, visits: number, onGpu: boolean): ExpectedTime {
  const known = learned.get(keyOf(plan, problem));
  if (known !== undefined) return { seconds: visits * known, elsewhere: null };
  const rate = onGpu ? TYPICAL.gpu : TYPICAL.thread * Math.max(1, plan.threads);
  const elsewhere = onGpu ? 'an H100' : 'a server with AVX-512';
  const slower = (plan.precision === 'fp64' ? 2 : 1) * (followsReactions(problem) ? WITH_REACTIONS : 1);
  return { seconds: (visits / rate) * slower, elsewhere };
}
