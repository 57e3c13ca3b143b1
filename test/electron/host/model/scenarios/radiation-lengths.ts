/** Radiation and scattering length of a mixture from its elements, as the material files state them. */

/** Atomic number and standard atomic weight. */
const elements: Readonly<Record<string, readonly [number, number]>> = {
  H: [1, 1.008],
  C: [6, 12.011],
  N: [7, 14.007],
  O: [8, 15.999],
  F: [9, 18.998],
  Na: [11, 22.99],
  Mg: [12, 24.305],
  Al: [13, 26.982],
  P: [15, 30.974],
  S: [16, 32.06],
  Cl: [17, 35.45],
  Ar: [18, 39.95],
  K: [19, 39.098],
  Ca: [20, 40.078],
  Cu: [29, 63.546],
  Fe: [26, 55.845],
  Zn: [30, 65.38],
  Pb: [82, 207.2],
};

const fineStructure = 1 / 137.035999;

/** Radiation length by Tsai's formula, as in the Particle Data Group's review, g/cm². */
function radiationLength(z: number, a: number): number {
  const az = (z * fineStructure) ** 2;
  const coulomb = az * (1 / (1 + az) + 0.20206 - 0.0369 * az + 0.0083 * az ** 2 - 0.002 * az ** 3);
  const [elastic, inelastic] =
    z === 1 ? [5.31, 6.144] : [Math.log(184.15 * z ** (-1 / 3)), Math.log(1194 * z ** (-2 / 3))];
  return (716.408 * a) / (z * z * (elastic - coulomb) + z * inelastic);
}

/** Gottschalk's scattering length, g/cm². */
function scatteringLength(z: number, a: number): number {
  const constant = fineStructure * 6.02214076e23 * 2.8179403262e-13 ** 2;
  return 1 / (((constant * z * z) / a) * (2 * Math.log(33219 * (a * z) ** (-1 / 3)) - 1));
}

export function mixtureLengths(composition: Readonly<Record<string, number>>): {
  readonly x0: number;
  readonly xs: number;
  readonly zOverA: number;
  readonly mass: number;
} {
  let [x0, xs, zOverA, mass] = [0, 0, 0, 0];
  for (const [name, fraction] of Object.entries(composition)) {
    const element = elements[name];
    if (element === undefined) throw new Error(`no element ${name}`);
    const [z, a] = element;
    x0 += fraction / radiationLength(z, a);
    xs += fraction / scatteringLength(z, a);
    zOverA += (fraction * z) / a;
    mass += fraction;
  }
  return { x0: 1 / x0, xs: 1 / xs, zOverA, mass };
}
