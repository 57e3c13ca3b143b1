/** A triclinic crystal in an image that needs milliseconds. */
export const triclinic = {
  kind: 'diffraction',
  version: 1,
  name: 'Triclinic',
  beam: { wavelength_A: 1 },
  crystal: {
    lattice: { kind: 'cell', a_A: 70, b_A: 80, c_A: 90, alpha_deg: 75, beta_deg: 85, gamma_deg: 95 },
    misset: { x_deg: 17, y_deg: -40, z_deg: 63 },
    cells: { a: 5, b: 5, c: 5 },
    shape: 'round',
  },
  structure_factors: { default_electrons: 100 },
  detector: { width: 64, height: 48, pixel_mm: 0.8, distance_mm: 100 },
};
