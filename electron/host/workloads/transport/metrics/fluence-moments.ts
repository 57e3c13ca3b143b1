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
  const column = (value: (sums: Float64Array, z: number) => number): Float64Array =>
    Float64Array.from(planes, (z) => value(crossing.subarray(z * SUMS, z * SUMS + SUMS), z));
  const mean = (sums: Float64Array, i: number): number => (sums[i] ?? 0) / (sums[0] ?? 1);
  // Rounding can leave a variance of nothing a little below zero.
  const root = (variance: number): number => Math.sqrt(Math.max(0, variance));
  return {
    depth_mm: column((_, z) => (z + 0.5) * dz_mm),
    protons: column((s) => s[0] ?? 0),
    mean_x_mm: column((s) => mean(s, 1)),
    sigma_x_mm: column((s) => root(mean(s, 2) - mean(s, 1) ** 2 - xVariance_mm2)),
    mean_theta_mrad: column((s) => 1000 * mean(s, 3)),
    theta_rms_mrad: column((s) => 1000 * root(mean(s, 4) - mean(s, 3) ** 2)),
    covariance_mm_mrad: column((s) => 1000 * (mean(s, 5) - mean(s, 1) * mean(s, 3))),
  };
}
