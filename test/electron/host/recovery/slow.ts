/** A run of several seconds on any machine: the oracle on a finer grid. */
export const slowScenario = {
  kind: 'transport',
  version: 1,
  name: 'slow run',
  beam: { energy_MeV: 30 },
  geometry: { width_mm: 12, depth_mm: 11 },
  grid: { dx_mm: 0.5, dz_mm: 0.125, dtheta_mrad: 20, theta_max_mrad: 400, energy: { kind: 'range', step_mm: 0.125 } },
  solver: { step_mm: 0.125, variant: 'reference', precision: 'fp64' },
  output: { keyframes: 12 },
} as const;
