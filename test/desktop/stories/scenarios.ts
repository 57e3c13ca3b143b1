/** Scenarios that several stories open. */

/** Runs longer than any story, and can be stopped at every step. */
export const longScenario = {
  kind: 'transport',
  version: 1,
  name: 'Long',
  beam: { energy_MeV: 180 },
  grid: { dx_mm: 0.5, dz_mm: 0.5, dtheta_mrad: 10, energy: { kind: 'range', step_mm: 0.5 } },
  solver: { step_mm: 0.05, variant: 'window', threads: 1 },
};

export const smallScenario = {
  kind: 'transport',
  version: 1,
  name: 'Small beam',
  beam: { energy_MeV: 30 },
  geometry: { width_mm: 12, depth_mm: 11 },
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80, theta_max_mrad: 400, energy: { kind: 'range', step_mm: 0.5 } },
  solver: { step_mm: 0.5 },
  output: { keyframes: 8 },
};
