/**
 * Dose by the medical definition: energy divided by mass, with the density of each cell. The plane model is integrated
 * over y, so the dose of a cell is in Gy times mm of y. Maps are in nGy mm. If the dose is also integrated across the
 * beam, the unit is nGy mm².
 */
import type { ValueScaling } from '../../../io/addon/reduction.ts';

/** Dose in nGy of 1 MeV in 1 mm³ with 1 g/cm³: 1 MeV is 1.602176634e-13 J, and the mass is 1e-6 kg. */
const NANOGRAY = 160.2176634;

export const massUnits = { map: 'nGy mm', depth: 'nGy mm²' } as const;

/** Divisor that converts cell energies to nGy mm³. Null if the densities of the run are unknown. */
export function massScaling(density_g_cm3: Float64Array | null): ValueScaling | null {
  return density_g_cm3 === null ? null : { divisor: density_g_cm3, factor: NANOGRAY };
}

/**
 * Converts a dose in MeV per cell to nGy mm³ per cell. Division by the area of a cell then gives nGy mm. Null if the
 * densities are unknown, because the run's file is older than this quantity.
 */
export function dosePerMass(dose: Float64Array, density_g_cm3: Float64Array | null): Float64Array | null {
  if (density_g_cm3 === null) return null;
  const perMass = new Float64Array(dose.length);
  for (let i = 0; i < dose.length; i += 1) perMass[i] = ((dose[i] ?? 0) * NANOGRAY) / (density_g_cm3[i] ?? 1);
  return perMass;
}
