/**
 * Mean excitation energies of compounds: those that ICRU Reports 37 and 49 state. Others follow from the elements' own
 * by Bragg's rule: ln I is the mean over the electrons. Report 37 assigns values to elements in compounds.
 */
import { atomsOf, type Composition, elementOf } from '../../../contract/scenario/index.ts';

/** By formula, eV. */
const compounds: readonly (readonly [formula: string, mean_excitation_eV: number])[] = [
  ['H2O', 75],
  ['C5H8O2', 74],
  ['CH2', 57.4],
  ['CH', 68.7],
  ['C10H8O4', 78.7],
  ['C22H10N2O5', 79.6],
  ['CF2', 99.1],
  ['C6H11NO', 63.9],
  ['C16H14O3', 73.1],
  ['CH2O', 77.4],
  ['C2H3Cl', 108.2],
  ['SiO2', 139.2],
  ['Al2O3', 145.2],
  ['LiF', 94],
  ['CaF2', 166],
  ['NaI', 452],
  ['CsI', 553.1],
];

/** Elements in liquid and solid compounds, eV: ICRU Report 37. Others take 1.13 times their own. */
const inCompounds: Readonly<Record<string, number>> = { H: 19.2, C: 81, N: 82, O: 106, F: 112, Cl: 180 };
const OTHERS = 1.13;
/** A gas has those of its elements' gases. */
const inGases: Readonly<Record<string, number>> = { H: 19.2, C: 70, N: 82, O: 97 };
/** Matter of less is a gas, g/cm³. */
const GAS_G_CM3 = 0.03;

/** Shares of atoms that differ by less are those of one formula. */
const SAME = 1e-6;

/** Atoms of each element per atom of the first one, by symbol. */
function ratios(atoms: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const sum = [...atoms.values()].reduce((a, b) => a + b, 0);
  return new Map([...atoms].map(([symbol, number]) => [symbol, number / sum]));
}

const known = compounds.map(([formula, mean_excitation_eV]) => ({
  ratios: ratios(atomsOf(formula) ?? new Map()),
  mean_excitation_eV,
}));

export interface MeanExcitation {
  readonly eV: number;
  /** Source of the value, for a reader. */
  readonly source: string;
}

/** That of the compound which a formula names; null where the reports do not list it. */
export function compoundExcitation(atoms: ReadonlyMap<string, number>): number | null {
  const wanted = ratios(atoms);
  const found = known.find(
    ({ ratios: own }) =>
      own.size === wanted.size &&
      [...own].every(([symbol, share]) => Math.abs((wanted.get(symbol) ?? 0) - share) < SAME),
  );
  return found?.mean_excitation_eV ?? null;
}

/** By Bragg's rule; a single element has its own. */
export function additiveExcitation(composition: Composition, density_g_cm3: number): number {
  const alone = Object.keys(composition).length === 1;
  const assigned = density_g_cm3 < GAS_G_CM3 ? inGases : inCompounds;
  let [logarithms, electrons] = [0, 0];
  for (const [symbol, fraction] of Object.entries(composition)) {
    const { z, weight, mean_excitation_eV } = elementOf(symbol);
    const own = alone
      ? mean_excitation_eV
      : (assigned[symbol] ?? mean_excitation_eV * (density_g_cm3 < GAS_G_CM3 ? 1 : OTHERS));
    logarithms += ((fraction * z) / weight) * Math.log(own);
    electrons += (fraction * z) / weight;
  }
  return Math.exp(logarithms / electrons);
}
