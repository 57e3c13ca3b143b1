/**
 * Gamma index of curves (D. A. Low et al., Med. Phys. 25 (1998) 656), for depth doses of runs and files. Used by the
 * page and the host.
 */

/** Criteria of a gamma index, and the dose threshold for evaluated points. */
export interface GammaCriteria {
  /** Dose criterion as a fraction of the largest reference dose or, if `local`, of the reference dose at the point. */
  readonly dose: number;
  readonly distance_mm: number;
  readonly local?: boolean;
  /** Points with less than this fraction of the largest reference dose are not evaluated; 0.1 by default. */
  readonly threshold?: number;
}

export const gammaThreshold = 0.1;
/** Gamma at which the search stops, because such a point fails in any case. */
export const maxGamma = 3;
/** Number of histogram bins, each 0.1 wide; the last one contains gamma = 3. */
const HISTOGRAM_BINS = 31;

export class GammaCounts {
  readonly histogram: number[] = new Array<number>(HISTOGRAM_BINS).fill(0);
  points = 0;
  passes = 0;
  worst = 0;

  add(gamma: number): void {
    const bin = Math.min(HISTOGRAM_BINS - 1, Math.floor(gamma * 10));
    this.histogram[bin] = (this.histogram[bin] ?? 0) + 1;
    this.points += 1;
    if (gamma <= 1) this.passes += 1;
    this.worst = Math.max(this.worst, gamma);
  }

  /** Pass rate: fraction of the evaluated points with gamma ≤ 1; 1 if no point is evaluated. */
  get passed(): number {
    return this.points === 0 ? 1 : this.passes / this.points;
  }
}

/** Curve with `values[i]` at `positions[i]`; positions ascend. */
export interface GammaCurve {
  readonly positions: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** Scales a curve to a maximum of 1. A curve without a positive value is returned unchanged. */
export function scaleToPeak({ positions, values }: GammaCurve): GammaCurve {
  const all = Float64Array.from(values);
  const peak = all.reduce((a, b) => Math.max(a, b), 0);
  return { positions, values: peak > 0 ? all.map((value) => value / peak) : all };
}

/** The evaluated curve is sampled at this many positions per distance criterion. */
const STEPS_PER_CRITERION = 50;

/** Returns a function that interpolates the curve linearly; it returns null outside the curve. */
function interpolator({ positions, values }: GammaCurve): (at: number) => number | null {
  const last = positions.length - 1;
  let low = 0;
  return (at) => {
    if (last < 1 || !(at >= (positions[0] ?? 0)) || !(at <= (positions[last] ?? 0))) return null;
    while (low > 0 && (positions[low] ?? 0) > at) low -= 1;
    while (low < last - 1 && (positions[low + 1] ?? 0) < at) low += 1;
    const [a, b] = [positions[low] ?? 0, positions[low + 1] ?? 0];
    const share = b > a ? (at - a) / (b - a) : 0;
    return (1 - share) * (values[low] ?? 0) + share * (values[low + 1] ?? 0);
  };
}

/**
 * Gamma index of `evaluated` at the points of `reference`; NaN for points below the threshold. Both curves must have
 * the same unit.
 */
export function gammaOfCurves(reference: GammaCurve, evaluated: GammaCurve, criteria: GammaCriteria) {
  const peak = Array.from(reference.values).reduce((a, b) => Math.max(a, b), 0);
  const least = (criteria.threshold ?? gammaThreshold) * peak;
  const found = interpolator(evaluated);
  const counts = new GammaCounts();
  const values = Float64Array.from(reference.values, (dose, i) => {
    if (!(dose > 0) || dose < least) return Number.NaN;
    const allowed = criteria.dose * (criteria.local === true ? dose : peak);
    const at = reference.positions[i] ?? 0;
    let best = maxGamma ** 2;
    for (let k = 0; k <= maxGamma * STEPS_PER_CRITERION; k += 1) {
      const share = (k / STEPS_PER_CRITERION) ** 2;
      if (share >= best) break;
      for (const side of k === 0 ? [1] : [-1, 1]) {
        const there = found(at + (side * k * criteria.distance_mm) / STEPS_PER_CRITERION);
        if (there !== null) best = Math.min(best, share + ((there - dose) / allowed) ** 2);
      }
    }
    const gamma = Math.sqrt(best);
    counts.add(gamma);
    return gamma;
  });
  return { values, passed: counts.passed, points: counts.points, worst: counts.worst, histogram: counts.histogram };
}
