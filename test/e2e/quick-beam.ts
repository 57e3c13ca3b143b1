/** A beam by depth that is solved in a moment, as a scenario's text. */
export const quickBeam = (name: string): string =>
  JSON.stringify({
    kind: 'transport',
    version: 1,
    name,
    beam: { energy_MeV: 60, x_sigma_mm: 2 },
    geometry: { width_mm: 60 },
    grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 20 },
    solver: { stepping: 'depth' },
    output: { keyframes: 16 },
  });
