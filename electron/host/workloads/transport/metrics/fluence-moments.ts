/** Moments of the proton fluence crossing each plane z, from the sums that the engine keeps. */
import type { Moments } from '../../../../contract/run.ts';

/** Sums per plane: N, Σx, Σx², Σθ, Σθ², Σxθ. */
const SUMS = 6;
/**
 * Planes that fewer than this share of the protons reach are left out: their
 * second moments are ratios of rounding.
 */
const LEAST_SHARE = 1e-5;

/**
 * crossing: nz × 6 (mm, rad from +z), one row per cell centre.
 * xVariance_mm2: variance in x that the representation of the start adds; subtracted from σx².
 */
export function fluenceMoments(crossing: Float64Array, dz_mm: number, xVariance_mm2: number): Moments {
  const nz = crossing.length / SUMS;
  let most = 0;
  for (let z = 0; z < nz; z += 1) most = Math.max(most, crossing[z * SUMS] ?? 0);
  const planes: number[] = [];
  for (let z = 0; z < nz; z += 1) {
    if (most > 0 && (crossing[z * SUMS] ?? 0) > LEAST_SHARE * most) planes.push(z);
  }
  // Loops: Float64Array.from with a function takes some ten times as long, and thousands of beams a second wait for it.
  const empty = (): Float64Array<ArrayBuffer> => new Float64Array(planes.length);
  const moments = {
    depth_mm: empty(),
    protons: empty(),
    mean_x_mm: empty(),
    sigma_x_mm: empty(),
    mean_theta_mrad: empty(),
    theta_rms_mrad: empty(),
    covariance_mm_mrad: empty(),
  };
  for (let i = 0; i < planes.length; i += 1) {
    const z = planes[i] ?? 0;
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
  }
  return moments;
}

// Rounding can leave a variance of nothing a little below zero.
const root = (variance: number): number => Math.sqrt(Math.max(0, variance));
// Cells too wide to tell a width tell none, not one of zero.
const width = (variance: number): number => (variance > 0 ? Math.sqrt(variance) : Number.NaN);
