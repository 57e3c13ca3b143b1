/**
 * Dose by the medical definition: energy by mass, with the density of each cell. The plane model is integrated over y,
 * so a cell has Gy times mm of y. The unit is nGy mm on maps, and nGy mm² if the dose is also integrated across the
 * beam.
 */
import type { ValueScaling } from '../../../io/addon/reduction.ts';

/** nGy of 1 MeV in 1 mm³ of 1 g/cm³: 1 MeV is 1.602176634e-13 J, and the mass is 1e-6 kg. */
const NANOGRAY = 160.2176634;

export const massUnits = { map: 'nGy mm', depth: 'nGy mm²' } as const;

/** Divisor from cell energies to nGy mm³. Null if the run's densities are unknown. */
export function perMass(density_g_cm3: Float64Array | null): ValueScaling | null {
  return density_g_cm3 === null ? null : { divisor: density_g_cm3, factor: NANOGRAY };
}

/**
 * `dose`: MeV per cell, [z][x]. Returns nGy mm³ per cell; divided by the cell's area, nGy mm. Null if the densities are
 * unknown because the run's file predates them.
 */
export function dosePerMass(dose: Float64Array, density_g_cm3: Float64Array | null): Float64Array | null {
  if (density_g_cm3 === null) return null;
  const perMass = new Float64Array(dose.length);
  for (let i = 0; i < dose.length; i += 1) perMass[i] = ((dose[i] ?? 0) * NANOGRAY) / (density_g_cm3[i] ?? 1);
  return perMass;
}
