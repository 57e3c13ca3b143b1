/** The dose that a gamma index is of. */
import type { GammaDose } from '../../../../contract/dose.ts';
import type { DoseMap } from '../../../model/fields/gamma.ts';
import type { RunData } from '../run-data.ts';
import { dosePerMass } from './dose-per-mass.ts';

/** Dose by which both runs can be compared: runs that predate stored densities have energy by area only. */
export function gammaDoseOf(asked: GammaDose, runs: readonly RunData[]): GammaDose {
  return runs.every(({ axes }) => axes.density_g_cm3 !== null) ? asked : 'area';
}

/** By mass nGy mm³ a cell, by area MeV a cell; [z][x]. */
export function gammaMap({ dose, axes }: RunData, by: GammaDose): DoseMap {
  const { nz, nx, dz_mm, dx_mm, density_g_cm3 } = axes;
  const values = by === 'mass' ? dosePerMass(dose, density_g_cm3) : null;
  return { dose: values ?? dose, nz, nx, dz_mm, dx_mm };
}
