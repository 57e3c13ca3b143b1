/** Dose quantity that a gamma index compares. */
import type { GammaDose } from '../../../../contract/dose.ts';
import type { DoseMap } from '../../../model/fields/gamma.ts';
import type { RunData } from '../run-data.ts';
import { dosePerMass } from './dose-per-mass.ts';

/** Quantity that both runs have: runs without stored densities only have energy by area. */
export function gammaDoseOf(requested: GammaDose, runs: readonly RunData[]): GammaDose {
  return runs.every(({ axes }) => axes.density_g_cm3 !== null) ? requested : 'area';
}

/** Dose map, [z][x]: by mass, nGy mm³ per cell; by area, MeV per cell. */
export function gammaMap({ dose, axes }: RunData, by: GammaDose): DoseMap {
  const { nz, nx, dz_mm, dx_mm, density_g_cm3 } = axes;
  const values = by === 'mass' ? dosePerMass(dose, density_g_cm3) : null;
  return { dose: values ?? dose, nz, nx, dz_mm, dx_mm };
}
