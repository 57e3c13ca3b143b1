/**
 * Mean depth at which protons stop, without those lost to nuclear reactions or through borders. It is computed from
 * moments of the proton fluence through each plane z, which the engine sums.
 */
import type { Moments } from '../../../../contract/run.ts';

/** Share of R80 up to which no proton stops, whatever the straggling. */
const TRACK_END = 0.9;
/**
 * If more than this share of the stopping protons crosses the last plane, the beam leaves the box before stopping. The
 * same limit applies to protons of a tilted beam that leave through the sides.
 */
const MAX_LOST_SHARE = 0.01;
/**
 * Minimum spread of stopping depths, in units of the distance between planes, for a tilted beam. Along a tilted axis,
 * the last steps vary in length. With a smaller spread, the number of crossed planes has an error of up to 0.03, and
 * the mean range is not reported.
 */
const MIN_SPREAD = 1;

/** Numbers of stopped, lost and escaped protons, and the excess path of the last step. */
export interface TrackEnd {
  /** Number of protons that stopped. */
  readonly stopped: number;
  /** Scored path minus actual path of the last step along the axis in mm, because the last step counts in full. */
  readonly excess_mm: number;
  /**
   * Returns the number of protons lost beyond a depth in mm, to reactions and through borders. They cross the plane at
   * this depth, but do not stop.
   */
  readonly lostBehind: (depth_mm: number) => number;
  /** Number of protons that left through the sides of the box. */
  readonly escapedSideways: number;
}

/**
 * Mean range along the beam axis from the entrance, in mm. Null if it cannot be determined:
 *
 * - The beam leaves the box before stopping.
 * - The axis is so far from +z that crossings of z planes do not measure the range.
 * - A tilted beam loses protons through the sides. The remaining ones reach deeper in z than along the axis.
 * - The planes are too far apart for a tilted beam.
 */
export function meanRange(
  moments: Moments,
  beam: { readonly z_mm: number; readonly angle_rad: number },
  { nz, dz_mm }: { readonly nz: number; readonly dz_mm: number },
  { stopped, excess_mm, lostBehind, escapedSideways }: TrackEnd,
  r80_mm: number | null,
): number | null {
  const cosine = Math.cos(beam.angle_rad);
  if (r80_mm === null || !(stopped > 0) || cosine < Math.cos(Math.PI / 3)) return null;
  if (beam.angle_rad !== 0 && escapedSideways > MAX_LOST_SHARE * stopped) return null;
  const { depth_mm, protons } = moments;
  const along = (z: number): number => (z - beam.z_mm) / cosine;
  const from = depth_mm.findIndex((z) => along(z) >= TRACK_END * r80_mm);
  // The moments end with the last plane that protons reach.
  const leaves = (depth_mm.at(-1) ?? 0) > (nz - 1) * dz_mm && (protons.at(-1) ?? 0) > MAX_LOST_SHARE * stopped;
  if (from < 0 || leaves) return null;
  // Sums for the mean and the mean square of the number of planes that a proton crosses.
  let [passed, squared] = [0, 0];
  for (let i = from; i < protons.length; i += 1) {
    const share = ((protons[i] ?? 0) - lostBehind(depth_mm[i] ?? 0)) / stopped;
    const pass = Math.min(Math.max(share, 0), 1);
    passed += pass;
    squared += (2 * (i - from) + 1) * pass;
  }
  if (beam.angle_rad !== 0 && squared - passed ** 2 < MIN_SPREAD ** 2) return null;
  return along((depth_mm[from] ?? 0) - dz_mm / 2) + passed * (dz_mm / cosine) - excess_mm;
}

/** Number of sums per plane: N, Σx, Σx², Σθ, Σθ², Σxθ. */
const SUMS = 6;
/** Planes reached by a smaller share of the protons are left out, because rounding dominates their second moments. */
const MIN_SHARE = 1e-5;

/**
 * Computes moments of the fluence. `crossing`: six sums per plane in mm, and in rad from +z, one row per cell centre.
 * `xVariance_mm2`: variance in x of the discretised start, which is subtracted from σx².
 */
export function fluenceMoments(crossing: Float64Array, dz_mm: number, xVariance_mm2: number): Moments {
  const nz = crossing.length / SUMS;
  let most = 0;
  for (let z = 0; z < nz; z += 1) most = Math.max(most, crossing[z * SUMS] ?? 0);
  const isReached = (z: number): boolean => most > 0 && (crossing[z * SUMS] ?? 0) > MIN_SHARE * most;
  let planes = 0;
  for (let z = 0; z < nz; z += 1) planes += isReached(z) ? 1 : 0;
  // A loop is some ten times as fast as Float64Array.from with a function, which matters for thousands of beams per
  // second.
  const newArray = (): Float64Array<ArrayBuffer> => new Float64Array(planes);
  const moments = {
    depth_mm: newArray(),
    protons: newArray(),
    mean_x_mm: newArray(),
    sigma_x_mm: newArray(),
    mean_theta_mrad: newArray(),
    theta_rms_mrad: newArray(),
    covariance_mm_mrad: newArray(),
  };
  let i = 0;
  for (let z = 0; z < nz; z += 1) {
    if (!isReached(z)) continue;
    const sum = (column: number): number => crossing[z * SUMS + column] ?? 0;
    const n = sum(0);
    const [x, theta] = [sum(1) / n, sum(3) / n];
    moments.depth_mm[i] = (z + 0.5) * dz_mm;
    moments.protons[i] = n;
    moments.mean_x_mm[i] = x;
    moments.sigma_x_mm[i] = width(sum(2) / n - x ** 2 - xVariance_mm2);
    moments.mean_theta_mrad[i] = 1000 * theta;
    moments.theta_rms_mrad[i] = 1000 * root(sum(4) / n - theta ** 2);
    moments.covariance_mm_mrad[i] = 1000 * (sum(5) / n - x * theta);
    i += 1;
  }
  return moments;
}

// Rounding can make a variance of zero slightly negative.
const root = (variance: number): number => Math.sqrt(Math.max(0, variance));
// NaN if the width is too small to be resolved by these cells.
const width = (variance: number): number => (variance > 0 ? Math.sqrt(variance) : Number.NaN);
