/**
 * Longest path of a run's protons, from its problem alone: the CSDA range by quadrature of the problem's stopping
 * powers. No run may have a larger mean range. The C++ tests check the same with the engine's ranges:
 * test/kernels/problems.hpp.
 */
import type { BeamResult, TransportProblem } from '../../electron/host/io/addon/addon.ts';
import { fluenceMoments, meanRange } from '../../electron/host/workloads/transport/metrics/mean-range.ts';
import { axesOf, measuredRunOf, type RunOutcome, runData } from '../../electron/host/workloads/transport/run-data.ts';

type Material = TransportProblem['materials'][number];

/** Maximum share of a beam in flight for which its run counts as ended. With more, the program reads no range. */
const MAX_IN_FLIGHT = 1e-3;
/**
 * Relative tolerance for runs without scattering, whose mean range equals the longest path. The gates on the CSDA range
 * use the same tolerance.
 */
const CSDA_TOLERANCE = 1e-3;
/** Tolerated share of the range spread that a run reports for its bins and steps. */
const REPORTED_SPREAD = 0.03;
/** Standard deviations of an energy spread that count, and number of parts of each. */
const SIGMA_REACH = 5;
const SIGMA_PARTS = 20;

/** Ranges (mm) in one material: between entries of the table, the stopping power is a power of the energy. */
class Ranges {
  private readonly energies: Float64Array;
  private readonly entries: Float64Array;
  /** d ln S / d ln T above each entry. */
  private readonly slopes: Float64Array;
  private readonly stopping: Float64Array;
  private readonly perMm: number;

  constructor({ energies_MeV, stopping_MeV_cm2_g, density_g_cm3 }: Material) {
    this.energies = energies_MeV;
    this.stopping = stopping_MeV_cm2_g;
    this.perMm = 0.1 * density_g_cm3;
    this.slopes = energies_MeV.map((energy, i) => {
      const [next, more] = [energies_MeV[i + 1] ?? energy, stopping_MeV_cm2_g[i + 1] ?? 0];
      return next > energy ? Math.log(more / (stopping_MeV_cm2_g[i] ?? 0)) / Math.log(next / energy) : 0;
    });
    this.entries = new Float64Array(energies_MeV.length);
    // Below the table, S is about proportional to the square root of the energy.
    this.entries[0] = (2 * (energies_MeV[0] ?? 0)) / ((stopping_MeV_cm2_g[0] ?? 1) * this.perMm);
    for (let i = 1; i < energies_MeV.length; i += 1) this.entries[i] = this.behind(i - 1, energies_MeV[i] ?? 0);
  }

  /** Range at an energy between entries i and i + 1. */
  private behind(i: number, energy: number): number {
    const [from, power] = [this.energies[i] ?? 0, 1 - (this.slopes[i] ?? 0)];
    const grown = ((energy / from) ** power - 1) / power;
    return (this.entries[i] ?? 0) + (from * grown) / ((this.stopping[i] ?? 0) * this.perMm);
  }

  /** Index of the last entry at or below a value; for larger values, of the last entry but one. */
  private static at(values: Float64Array, value: number): number {
    let [low, high] = [0, values.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((values[middle] ?? 0) <= value) low = middle;
      else high = middle;
    }
    return low;
  }

  range(energy: number): number {
    const lowest = this.energies[0] ?? 0;
    if (energy < lowest) return (this.entries[0] ?? 0) * Math.sqrt(Math.max(0, energy) / lowest);
    return this.behind(Ranges.at(this.energies, energy), energy);
  }

  energyAt(range: number): number {
    const [lowest, first] = [this.energies[0] ?? 0, this.entries[0] ?? 0];
    if (range < first) return lowest * (Math.max(0, range) / first) ** 2;
    const i = Ranges.at(this.entries, range);
    const [from, power] = [this.energies[i] ?? 0, 1 - (this.slopes[i] ?? 0)];
    const grown = ((range - (this.entries[i] ?? 0)) * (this.stopping[i] ?? 0) * this.perMm) / from;
    return from * (1 + power * grown) ** (1 / power);
  }
}

/**
 * Materials in each row of cells along the beam. A tilted beam crosses rows and columns, so that all materials of the
 * box count.
 */
function rowsOf({ map, grid, beam }: TransportProblem): readonly (readonly number[])[] {
  const matter = (from: number, to: number): readonly number[] => {
    const found = new Set<number>();
    for (let i = from, last = -1; i < to; i += 1) {
      const one = map[i] ?? 0;
      if (one !== last) found.add(one);
      last = one;
    }
    return [...found];
  };
  const all = beam.angle_rad === 0 ? null : matter(0, map.length);
  return Array.from({ length: grid.nz }, (_, z) => all ?? matter(z * grid.nx, (z + 1) * grid.nx));
}

/**
 * Longest path of protons of one energy: through the lightest material of each row. Infinite if the grid ends earlier.
 */
function pathAt(energy_MeV: number, { beam, grid }: TransportProblem, rows: ReturnType<typeof rowsOf>, in_: Ranges[]) {
  const cosine = Math.cos(beam.angle_rad);
  let [energy, way] = [energy_MeV, 0];
  for (let z = Math.floor(beam.z_mm / grid.dz_mm); z < rows.length; z += 1) {
    const path = ((z + 1) * grid.dz_mm - Math.max(beam.z_mm, z * grid.dz_mm)) / cosine;
    let [left, after] = [0, 0];
    for (const index of rows[z] ?? []) {
      const ranges = in_[index];
      const range = ranges?.range(energy) ?? Number.NaN;
      left = Math.max(left, range);
      after = Math.max(after, ranges?.energyAt(range - path) ?? Number.NaN);
    }
    if (left <= path) return way + left;
    way += path;
    energy = after;
  }
  return Number.POSITIVE_INFINITY;
}

/** Longest path along the axis, averaged over the beam's energies; for several spots, the largest. */
export function longestPath_mm(problem: TransportProblem): number {
  const rows = rowsOf(problem);
  const ranges = problem.materials.map((material) => new Ranges(material));
  const known = new Map<number, number>();
  const at = (energy: number): number => {
    const way = known.get(energy) ?? pathAt(energy, problem, rows, ranges);
    known.set(energy, way);
    return way;
  };
  let longest = 0;
  for (const { energy_MeV, energy_sigma_MeV } of problem.spots ?? [problem.beam]) {
    let [sum, weights] = [0, 0];
    const parts = energy_sigma_MeV > 0 ? SIGMA_REACH * SIGMA_PARTS : 0;
    for (let i = -parts; i <= parts; i += 1) {
      const sigmas = i / SIGMA_PARTS;
      const energy = energy_MeV + sigmas * energy_sigma_MeV;
      if (energy <= problem.grid.cutoff_MeV) continue;
      const weight = Math.exp(-0.5 * sigmas * sigmas);
      sum += weight * at(energy);
      weights += weight;
    }
    longest = Math.max(longest, sum / weights);
  }
  return longest;
}

const noProtons = {
  program: { version: '', build: '', compiler: '', commit: null },
  machine: { id: null, cpu: '', logicalCores: 1, memory_bytes: 0, os: '', device: null },
  name: '',
  created: '',
  finished: '',
  scenario: {},
  completeScenario: {},
  table: '',
  wall_s: 0,
} as const;

/**
 * The program's readout of the mean range, computed with the longest path instead of R80. Null as in the program: if
 * the beam has not ended in the grid, or is tilted too far.
 */
function meanRange_mm(problem: TransportProblem, result: RunOutcome, longest_mm: number): number | null {
  const { spots: _, ...single } = problem;
  // Zero widths: they matter only for the dose across y, which is not needed.
  const narrow = { ...single, beam: { ...problem.beam, x_sigma_mm: 0, y_sigma_mm: 0 } };
  const axes = { ...axesOf({ ...narrow, map: new Uint8Array() }, { energies_MeV: new Float64Array() }) };
  const run = measuredRunOf(runData(noProtons, narrow, axes, result, []));
  if (!run.hasBeam || run.weightLeft > MAX_IN_FLIGHT) return null;
  const moments = fluenceMoments(run.crossing, problem.grid.dz_mm, 0);
  return meanRange(moments, run.geometry, run.geometry, run.trackEnd, longest_mm);
}

/**
 * Reason why a run cannot be checked: it was stopped early, has no beam, or its end is outside the grid or hidden by
 * its tilt.
 */
type UnboundedRun = 'not done' | 'filled' | 'beyond the box' | 'no mean range';

/** The mean range and its upper limit, mm, or the reason why the run cannot be checked. */
export function rangeAndLimit(
  problem: TransportProblem,
  result: BeamResult,
): { readonly mean_mm: number; readonly most_mm: number } | UnboundedRun {
  if (result.status !== 'done') return 'not done';
  if (problem.initial.kind === 'filled') return 'filled';
  const longest_mm = longestPath_mm(problem);
  if (!Number.isFinite(longest_mm)) return 'beyond the box';
  const mean_mm = meanRange_mm(problem, result, longest_mm);
  if (mean_mm === null) return 'no mean range';
  const csda = problem.physics.scattering === 'off' ? 1 + CSDA_TOLERANCE : 1;
  return { mean_mm, most_mm: csda * longest_mm + REPORTED_SPREAD * result.extra_straggling_mm };
}

/** An error message if a run's mean range exceeds its longest path, which is impossible; otherwise null. */
export function longestPathError(problem: TransportProblem, result: BeamResult): string | null {
  const found = rangeAndLimit(problem, result);
  if (typeof found === 'string' || found.mean_mm < found.most_mm) return null;
  const { energy_MeV, angle_rad } = problem.beam;
  const beam = `${energy_MeV} MeV under ${angle_rad} rad`;
  return `a beam of ${beam} has a mean range of ${found.mean_mm} mm; its protons come no further than ${found.most_mm} mm`;
}
