/** What follows from a composition alone: Z/A, radiation length, and the scattering length of Gottschalk's model. */
import { type Composition, elementOf } from '../../../contract/scenario/index.ts';

const FINE_STRUCTURE = 1 / 137.035999;
const AVOGADRO = 6.02214076e23;
const ELECTRON_RADIUS_CM = 2.8179403262e-13;
/** 4 α r_e² N_A: what radiation lengths are in, cm²/mol. */
const TSAI = 4 * FINE_STRUCTURE * ELECTRON_RADIUS_CM ** 2 * AVOGADRO;

/** Tsai's logarithms of elastic and inelastic screening: by his table up to beryllium, by Thomas and Fermi behind it. */
const LIGHT: readonly (readonly [number, number])[] = [
  [5.31, 6.144],
  [4.79, 5.621],
  [4.74, 5.805],
  [4.71, 5.924],
];

/** 1 / X₀ of an element, cm²/g: Y. S. Tsai, Rev. Mod. Phys. 46 (1974) 815. */
function perRadiationLength(z: number, weight: number): number {
  const a2 = (z * FINE_STRUCTURE) ** 2;
  const coulomb = a2 * (1 / (1 + a2) + 0.20206 - 0.0369 * a2 + 0.0083 * a2 ** 2 - 0.002 * a2 ** 3);
  const [elastic, inelastic] = LIGHT[z - 1] ?? [Math.log(184.15 / z ** (1 / 3)), Math.log(1194 / z ** (2 / 3))];
  return (TSAI / weight) * (z * z * (elastic - coulomb) + z * inelastic);
}

/** 1 / X_S of an element, cm²/g: B. Gottschalk, arXiv:0908.1413. */
function perScatteringLength(z: number, weight: number): number {
  const constant = FINE_STRUCTURE * AVOGADRO * ELECTRON_RADIUS_CM ** 2;
  return ((constant * z * z) / weight) * (2 * Math.log(33219 / (weight * z) ** (1 / 3)) - 1);
}

interface Lengths {
  readonly z_over_a: number;
  readonly radiation_length_g_cm2: number;
  readonly scattering_length_g_cm2: number;
}

export function lengthsOf(composition: Composition): Lengths {
  let [zOverA, perX0, perXs] = [0, 0, 0];
  for (const [symbol, fraction] of Object.entries(composition)) {
    const { z, weight } = elementOf(symbol);
    zOverA += (fraction * z) / weight;
    perX0 += fraction * perRadiationLength(z, weight);
    perXs += fraction * perScatteringLength(z, weight);
  }
  return { z_over_a: zOverA, radiation_length_g_cm2: 1 / perX0, scattering_length_g_cm2: 1 / perXs };
}
