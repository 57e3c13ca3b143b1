/**
 * Readouts of a depth-dose curve: R80, W80–20, peak, width, and the ratio of peak to entrance. Depths are measured from
 * the entrance. The dose is integrated across the beam axis.
 *
 * For a tilted beam, the solver deposits the energy of a step in the cell at the middle of the step. The profile
 * spreads it along the axis over the step, or over the projected depth of the cell if that is longer. It is also spread
 * over the projected width of the cell, which gives a trapezium. This conserves energy, and neither steps nor cells
 * appear as a comb. For a beam along +z, the profile is the plain sum over x.
 */
import { type CurveReadouts, noReadouts } from '../../../../contract/scenario/transport/readouts.ts';
import {
  axisProfile as nativeProfile,
  axisProfileAsync as nativeProfileLater,
  type ValueScaling,
} from '../../../io/addon/reduction.ts';

export interface AxisGeometry {
  readonly nz: number;
  readonly nx: number;
  readonly dz_mm: number;
  readonly dx_mm: number;
  /** Entrance point of the beam: x from the centre of the geometry, z from its front. */
  readonly x_mm: number;
  readonly z_mm: number;
  /** Angle of the beam from +z. */
  readonly angle_rad: number;
  /**
   * Path of a solver step along the axis. 0 if it is unknown, or if each cell contains exactly the energy lost in it.
   */
  readonly step_mm?: number;
  /** Whether the engine distributes the energy of a step over the cells that it crosses, as in path stepping. */
  readonly spread?: boolean;
}

export interface AxisProfile {
  /** Position of the near edge of the first bin, along the axis from the entrance point. */
  readonly start_mm: number;
  readonly step_mm: number;
  /** Dose in MeV per mm along the axis, one value per bin. */
  readonly values: Float64Array;
  /** Additional variance of the profile along the axis in mm², compared with the means of its bins. */
  readonly blur_mm2: number;
}

/** Tilt below which the axis counts as +z, because the projection of dx is far less than a thousandth of a bin. */
const STRAIGHT = 1e-9;

const ROUNDING = 1e-9;

/**
 * Length along the axis over which the energy of a cell is spread: its projected depth, or the step if that is longer.
 */
export function spreadLength_mm({
  dz_mm,
  angle_rad,
  step_mm,
}: Pick<AxisGeometry, 'dz_mm' | 'angle_rad' | 'step_mm'>): number {
  return Math.max(Math.abs(dz_mm * Math.cos(angle_rad)), step_mm ?? 0);
}

/**
 * Variance that results from distributing a step over cells in one direction. 0 if the step is shorter than a cell.
 */
function spread_mm2(step_mm: number, cell_mm: number, part: number): number {
  const length = Math.abs(step_mm * part);
  return length > cell_mm * (1 + ROUNDING) ? ((length * part) ** 2 + (cell_mm * part) ** 2) / 12 : 0;
}

/** Additional variance of a tilted profile in mm², compared with the means of its bins. */
export function profileBlur_mm2(g: AxisGeometry): number {
  const [uz, ux] = [Math.cos(g.angle_rad), Math.sin(g.angle_rad)];
  if (Math.abs(ux) < STRAIGHT && uz > 0) return 0;
  const [shadowZ, shadowX] = [Math.abs(g.dz_mm * uz), Math.abs(g.dx_mm * ux)];
  // The deposit of a step contributes twice: by its length when it is scored, and by its distribution over cells.
  const deposit = g.step_mm || Math.hypot(shadowZ, shadowX);
  const engine = g.spread ? spread_mm2(deposit, g.dz_mm, uz) + spread_mm2(deposit, g.dx_mm, ux) : 0;
  return (deposit ** 2 + spreadLength_mm(g) ** 2 + shadowX ** 2) / 12 + engine;
}

/** Profile of a dose along the beam axis. `dose`: MeV per cell, in rows of z. The addon computes the bins. */
export function axisProfile(dose: Float64Array, g: AxisGeometry): AxisProfile {
  return { ...nativeProfile(dose, { ...g, reach_mm: spreadLength_mm(g) }), blur_mm2: profileBlur_mm2(g) };
}

/** Like `axisProfile`, but on a worker thread. `per`: optional divisor of each cell. */
export async function axisProfileLater(dose: Float64Array, g: AxisGeometry, per?: ValueScaling): Promise<AxisProfile> {
  return {
    ...(await nativeProfileLater(dose, { ...g, reach_mm: spreadLength_mm(g) }, per)),
    blur_mm2: profileBlur_mm2(g),
  };
}

/**
 * A smooth curve with given means in equal cells. It is the derivative of the cubic spline through the cumulative sum
 * at the cell edges: piecewise quadratic, and continuous with its slope. Readouts thus have a resolution below the cell
 * size. Cell means used as point values would be biased.
 */
export interface CellCurve {
  readonly start: number;
  readonly step: number;
  readonly means: Float64Array;
  /** Values at the cell edges, one more than there are means. */
  readonly edges: Float64Array;
}

/** Builds the curve, with slope zero at both ends. There must be at least one cell. */
export function cellCurve(start: number, step: number, means: Float64Array): CellCurve {
  const n = means.length;
  const edges = new Float64Array(n + 1);
  // Slopes on both sides of each edge are equal: a[i-1] + 4 a[i] + a[i+1] = 3 (m[i-1] + m[i]). Solve this by the Thomas
  // algorithm.
  const upper = new Float64Array(n + 1);
  upper[0] = 1 / 2;
  edges[0] = (3 * (means[0] ?? 0)) / 2;
  for (let i = 1; i <= n; i += 1) {
    const last = i === n;
    const right = 3 * ((means[i - 1] ?? 0) + (last ? 0 : (means[i] ?? 0)));
    const pivot = (last ? 2 : 4) - (upper[i - 1] ?? 0);
    upper[i] = 1 / pivot;
    edges[i] = (right - (edges[i - 1] ?? 0)) / pivot;
  }
  for (let i = n - 1; i >= 0; i -= 1) edges[i] = (edges[i] ?? 0) - (upper[i] ?? 0) * (edges[i + 1] ?? 0);
  return { start, step, means, edges };
}

/** Value inside cell i at the relative position t from 0 to 1. */
function valueInCell(curve: CellCurve, i: number, t: number): number {
  const [a, b, m] = [curve.edges[i] ?? 0, curve.edges[i + 1] ?? 0, curve.means[i] ?? 0];
  return a * (1 - 4 * t + 3 * t * t) + b * (-2 * t + 3 * t * t) + m * (6 * t - 6 * t * t);
}

interface Peak {
  readonly position: number;
  readonly height: number;
  readonly cell: number;
}

/** Highest point at or after `from`. Null if the last cell is the highest, because the peak may then be outside. */
export function peakOf(curve: CellCurve, from = curve.start): Peak | null {
  const { means, edges, start, step } = curve;
  const first = Math.min(means.length - 1, Math.max(0, Math.floor((from - start) / step)));
  let top = first;
  for (let i = first + 1; i < means.length; i += 1) if ((means[i] ?? 0) > (means[top] ?? 0)) top = i;
  if (means.length < 3 || top === means.length - 1 || !((means[top] ?? 0) > 0)) return null;
  let best: Peak = { position: start + (top + 0.5) * step, height: valueInCell(curve, top, 0.5), cell: top };
  for (const cell of [top - 1, top, top + 1]) {
    if (cell < first || cell >= means.length) continue;
    const [a, b, m] = [edges[cell] ?? 0, edges[cell + 1] ?? 0, means[cell] ?? 0];
    const curvature = 6 * (a + b - 2 * m);
    const vertex = curvature < 0 ? (4 * a + 2 * b - 6 * m) / curvature : 0;
    for (const t of [0, Math.min(1, Math.max(0, vertex)), 1]) {
      const height = valueInCell(curve, cell, t);
      if (height > best.height) best = { position: start + (cell + t) * step, height, cell };
    }
  }
  return best;
}

/** First position after the peak at which the curve falls to `level`. Null if there is none. */
export function falloffPosition(curve: CellCurve, peak: Peak, level: number): number | null {
  for (let i = peak.cell; i < curve.means.length; i += 1) {
    if ((curve.edges[i + 1] ?? 0) <= level) {
      const from = i === peak.cell ? (peak.position - curve.start) / curve.step - i : 0;
      return curve.start + (i + bisect(curve, i, level, Math.min(1, Math.max(0, from)), 1)) * curve.step;
    }
  }
  return null;
}

/**
 * Last position before the peak at which the curve rises through `level`. Null if the curve is higher from the start.
 */
export function positionOnRise(curve: CellCurve, peak: Peak, level: number): number | null {
  for (let i = peak.cell; i >= 0; i -= 1) {
    if ((curve.edges[i] ?? 0) <= level) {
      const to = i === peak.cell ? (peak.position - curve.start) / curve.step - i : 1;
      return curve.start + (i + bisect(curve, i, level, Math.min(1, Math.max(0, to)), 0)) * curve.step;
    }
  }
  return null;
}

/** Bisects inside a cell, between a point above the level and one below it, to 1e-12 of a cell. */
function bisect(curve: CellCurve, cell: number, level: number, above: number, below: number): number {
  let [high, low] = [above, below];
  for (let k = 0; k < 40; k += 1) {
    const middle = (high + low) / 2;
    if (valueInCell(curve, cell, middle) > level) high = middle;
    else low = middle;
  }
  return (high + low) / 2;
}

/** Length in mm over which the entrance plateau is straight. A tenth of the range applies if that is shorter. */
const ENTRANCE_MM = 2;
const ENTRANCE_SHARE = 0.1;

/**
 * Dose at the entrance point: a line through the first cells, extrapolated to depth 0. Cells within `blur_mm` are left
 * out, because for a tilted grid they also contain the region before the entrance.
 */
function entranceDose(profile: Omit<AxisProfile, 'blur_mm2'>, peak_mm: number, blur_mm: number): number | null {
  const { start_mm, step_mm, values } = profile;
  const from = Math.max(0, Math.ceil((blur_mm - start_mm) / step_mm - 1e-9));
  const count = Math.max(1, Math.round(Math.min(ENTRANCE_MM, ENTRANCE_SHARE * peak_mm) / step_mm));
  const used = values.subarray(from, from + count);
  if (used.length < 3) return used[0] ?? null;
  const centre = start_mm + (from + used.length / 2) * step_mm;
  let [mean, slope, spread] = [0, 0, 0];
  for (const value of used) mean += value / used.length;
  used.forEach((value, i) => {
    const offset = start_mm + (from + i + 0.5) * step_mm - centre;
    slope += offset * (value - mean);
    spread += offset * offset;
  });
  return mean - (slope / spread) * centre;
}

/** Beginning and end of the plateau as fractions of R80: after the build-up, and before the rise. */
const PLATEAU = [0.2, 0.5] as const;

function plateauOf({ start_mm, step_mm, values }: Omit<AxisProfile, 'blur_mm2'>, r80: number | null): number | null {
  if (r80 === null) return null;
  // Use a loop for speed, as in fluenceMoments().
  let [sum, used] = [0, 0];
  for (let i = 0; i < values.length; i += 1) {
    const depth = start_mm + (i + 0.5) * step_mm;
    if (depth < PLATEAU[0] * r80 || depth > PLATEAU[1] * r80) continue;
    sum += values[i] ?? 0;
    used += 1;
  }
  return used === 0 ? null : sum / used;
}

/**
 * Computes the readouts of a profile. `blur_mm`: projected width of a cell on the axis beyond one bin, 0 along +z.
 * `from_mm`: start of the search for the peak, because denser matter in front of it may contain more energy per mm.
 */
export function depthReadouts(profile: Omit<AxisProfile, 'blur_mm2'>, blur_mm: number, from_mm = 0): CurveReadouts {
  const curve = cellCurve(profile.start_mm, profile.step_mm, profile.values);
  const peak = peakOf(curve, from_mm);
  if (peak === null) return noReadouts;
  const r80 = falloffPosition(curve, peak, 0.8 * peak.height);
  const r20 = falloffPosition(curve, peak, 0.2 * peak.height);
  const distalHalf = falloffPosition(curve, peak, 0.5 * peak.height);
  const proximalHalf = positionOnRise(curve, peak, 0.5 * peak.height);
  const entrance = entranceDose(profile, peak.position, blur_mm);
  return {
    r80_mm: r80,
    r20_mm: r20,
    r90_mm: falloffPosition(curve, peak, 0.9 * peak.height),
    r50_mm: distalHalf,
    practical_range_mm: falloffPosition(curve, peak, 0.1 * peak.height),
    plateau_MeV_per_mm: plateauOf(profile, r80),
    peak_mm: peak.position,
    w80_20_mm: r80 === null || r20 === null ? null : r20 - r80,
    fwhm_mm: distalHalf === null || proximalHalf === null ? null : distalHalf - proximalHalf,
    peak_to_entrance: entrance === null || !(entrance > 0) ? null : peak.height / entrance,
  };
}
