/** Bethe's formula for protons, ICRU Report 49. */

const PROTON_MEV = 938.272;
const ELECTRON_MEV = 0.51099895;
/** 4π N_A r_e² m_e c², MeV cm²/mol. */
const CONSTANT = 0.307075;

/** β² and (βγ)² of a proton. */
export function speed(energy_MeV: number): { readonly beta2: number; readonly betaGamma2: number } {
  const gamma = 1 + energy_MeV / PROTON_MEV;
  return { beta2: 1 - 1 / gamma ** 2, betaGamma2: gamma ** 2 - 1 };
}

/** The stopping number without δL. */
export function stoppingNumber(energy_MeV: number, mean_excitation_eV: number): number {
  const { beta2, betaGamma2 } = speed(energy_MeV);
  const gamma = Math.sqrt(1 + betaGamma2);
  const ratio = ELECTRON_MEV / PROTON_MEV;
  const twice = 2 * ELECTRON_MEV * betaGamma2;
  const most = twice / (1 + 2 * gamma * ratio + ratio ** 2);
  return 0.5 * Math.log((twice * most) / (mean_excitation_eV * 1e-6) ** 2) - beta2;
}

/** Mass stopping power for a stopping number of 1 and Z/A of 1, MeV cm²/g. */
export const perElectron = (energy_MeV: number): number => CONSTANT / speed(energy_MeV).beta2;
