/** An image that needs milliseconds. */

/** A cubic crystal of 5 × 5 × 5 cells, on a detector of 32 × 24 pixels. */
export const smallImage = {
  kind: 'diffraction',
  version: 1,
  name: 'Small',
  beam: { wavelength_A: 6.2 },
  crystal: { lattice: { kind: 'cell', a_A: 100, b_A: 100, c_A: 100 }, cells: { a: 5, b: 5, c: 5 } },
  structure_factors: { default_electrons: 100 },
  detector: { width: 32, height: 24 },
  solver: { threads: 2 },
} as const;
