/**
 * Derives the properties of a user's material that solvers need from its composition, its density and its mean
 * excitation energy I. ICRU Reports 37 and 49 list I of some compounds. For others it follows from the elements by
 * Bragg's rule: ln I is the mean over the electrons. For elements in compounds, Report 37 gives separate values.
 */
import {
  type Composition,
  elementWithSymbol,
  massFractions,
  parseFormula,
  type UserMaterial,
} from '../../../contract/scenario/index.ts';
import {
  type Material,
  type Materials,
  type RangeTable,
  type StoppingTable,
  standardTable,
} from '../scenarios/stopping-table.ts';
import {
  type ReferenceSubstance,
  type ReferenceSubstances,
  StoppingCorrections,
  stoppingNumber,
} from './corrections.ts';

/** Mean excitation energies of compounds in eV, by formula. */
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

/**
 * Mean excitation energies in eV of elements in liquid and solid compounds: ICRU Report 37. For other elements it is
 * 1.13 times the energy of the pure element.
 */
const compoundExcitation_eV: Readonly<Record<string, number>> = { H: 19.2, C: 81, N: 82, O: 106, F: 112, Cl: 180 };
const OTHER_ELEMENTS_FACTOR = 1.13;
/** Mean excitation energies in eV of elements in gaseous compounds. */
const gasExcitation_eV: Readonly<Record<string, number>> = { H: 19.2, C: 70, N: 82, O: 97 };
/** Density in g/cm³ below which matter counts as a gas. */
const GAS_G_CM3 = 0.03;

/** Tolerance for atomic fractions, within which two compositions have the same formula. */
const SAME_TOLERANCE = 1e-6;

/** Fraction of the atoms that belong to each element, by symbol. */
function atomicFractionsOf(atoms: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const sum = [...atoms.values()].reduce((a, b) => a + b, 0);
  return new Map([...atoms].map(([symbol, number]) => [symbol, number / sum]));
}

const knownMeanExcitations = compounds.map(([formula, mean_excitation_eV]) => ({
  ratios: atomicFractionsOf(parseFormula(formula) ?? new Map()),
  mean_excitation_eV,
}));

interface MeanExcitation {
  readonly eV: number;
  /** Source of the value, shown to the user. */
  readonly source: string;
}

/** Mean excitation energy in eV of a compound with this formula; null if the ICRU reports do not list it. */
export function compoundExcitation(atoms: ReadonlyMap<string, number>): number | null {
  const wanted = atomicFractionsOf(atoms);
  const found = knownMeanExcitations.find(
    ({ ratios: own }) =>
      own.size === wanted.size &&
      [...own].every(([symbol, share]) => Math.abs((wanted.get(symbol) ?? 0) - share) < SAME_TOLERANCE),
  );
  return found?.mean_excitation_eV ?? null;
}

/** Mean excitation energy in eV by Bragg's rule, or the tabulated value for a pure element. */
export function additiveExcitation(composition: Composition, density_g_cm3: number): number {
  const alone = Object.keys(composition).length === 1;
  const assigned = density_g_cm3 < GAS_G_CM3 ? gasExcitation_eV : compoundExcitation_eV;
  let [logarithms, electrons] = [0, 0];
  for (const [symbol, fraction] of Object.entries(composition)) {
    const { z, weight, mean_excitation_eV } = elementWithSymbol(symbol);
    const own = alone
      ? mean_excitation_eV
      : (assigned[symbol] ?? mean_excitation_eV * (density_g_cm3 < GAS_G_CM3 ? 1 : OTHER_ELEMENTS_FACTOR));
    logarithms += ((fraction * z) / weight) * Math.log(own);
    electrons += (fraction * z) / weight;
  }
  return Math.exp(logarithms / electrons);
}

// Mass stopping power of protons in a user's material: that of the scenario's water table, times a ratio. The ratio is
// Bethe's formula for the material divided by the formula for water. ICRU Report 49 states it as L = ½ ln(2 m c² β² γ²
// W / I²) − β² + δL.

/**
 * Energy in MeV below which ICRU Report 49 uses fits to measurements instead of the formula. The ratio to water is
 * constant there.
 */
const MIN_BETHE_MEV = 0.5;
/**
 * Smallest stopping number for which Bethe's formula is valid. Above MIN_BETHE_MEV, smaller numbers result only from an
 * implausible I.
 */
const MIN_STOPPING_NUMBER = 0.5;

interface UserMaterialProperties {
  readonly composition: Composition;
  readonly z_over_a: number;
  readonly mean_excitation_eV: number;
}

/**
 * Computes the ratio of the mass stopping powers of a material and water, at each energy. It is constant below
 * MIN_BETHE_MEV.
 */
type RatioToWater = (matter: UserMaterialProperties) => Float64Array;

/**
 * Returns a function for the ratio to water, after computing everything that is common to all materials. Energies
 * ascend. `water_eV` is the mean excitation energy on which the water table is based.
 */
export function createRatioToWater(
  anchors: ReferenceSubstances,
  water_eV: number,
  energies_MeV: Float64Array,
  rangeTable: RangeTable,
): RatioToWater {
  const energies = energies_MeV.map((energy) => Math.max(MIN_BETHE_MEV, energy));
  const corrections = new StoppingCorrections(anchors, energies, rangeTable);
  const numbers = (composition: Composition, mean_excitation_eV: number): Float64Array => {
    const added = corrections.correctionsFor(composition);
    return energies.map((energy, i) => stoppingNumber(energy, mean_excitation_eV) + (added[i] ?? 0));
  };
  const ofWater = numbers(anchors.water.composition, water_eV);
  return ({ composition, z_over_a, mean_excitation_eV }) => {
    const own = numbers(composition, mean_excitation_eV);
    const ratio = own.map((number, i) => (z_over_a * number) / (anchors.water.z_over_a * (ofWater[i] ?? 1)));
    const lowest = own.findIndex((number) => number >= MIN_STOPPING_NUMBER);
    return ratio.fill(ratio[lowest] ?? 1, 0, Math.max(0, lowest));
  };
}

/**
 * Constants for the properties that depend on the composition alone: Z/A, radiation length, and the scattering length
 * of Gottschalk's model.
 */
const FINE_STRUCTURE = 1 / 137.035999;
const AVOGADRO = 6.02214076e23;
const ELECTRON_RADIUS_CM = 2.8179403262e-13;
/** 4 α r_e² N_A in cm²/mol, the unit of inverse radiation lengths. */
const INVERSE_LENGTH_UNIT = 4 * FINE_STRUCTURE * ELECTRON_RADIUS_CM ** 2 * AVOGADRO;

/**
 * Logarithms of elastic and inelastic screening in Tsai's table, for elements up to beryllium. Heavier elements follow
 * from the Thomas–Fermi model.
 */
const LIGHT_ELEMENTS: readonly (readonly [number, number])[] = [
  [5.31, 6.144],
  [4.79, 5.621],
  [4.74, 5.805],
  [4.71, 5.924],
];

/** Inverse radiation length 1/X₀ of an element in cm²/g: Y. S. Tsai, Rev. Mod. Phys. 46 (1974) 815. */
function inverseRadiationLength(z: number, weight: number): number {
  const a2 = (z * FINE_STRUCTURE) ** 2;
  const coulomb = a2 * (1 / (1 + a2) + 0.20206 - 0.0369 * a2 + 0.0083 * a2 ** 2 - 0.002 * a2 ** 3);
  const [elastic, inelastic] = LIGHT_ELEMENTS[z - 1] ?? [
    Math.log(184.15 / z ** (1 / 3)),
    Math.log(1194 / z ** (2 / 3)),
  ];
  return (INVERSE_LENGTH_UNIT / weight) * (z * z * (elastic - coulomb) + z * inelastic);
}

/** Inverse scattering length 1/X_S of an element in cm²/g: B. Gottschalk, arXiv:0908.1413. */
function inverseScatteringLength(z: number, weight: number): number {
  const constant = FINE_STRUCTURE * AVOGADRO * ELECTRON_RADIUS_CM ** 2;
  return ((constant * z * z) / weight) * (2 * Math.log(33219 / (weight * z) ** (1 / 3)) - 1);
}

interface MaterialLengths {
  readonly z_over_a: number;
  readonly radiation_length_g_cm2: number;
  readonly scattering_length_g_cm2: number;
}

export function materialLengths(composition: Composition): MaterialLengths {
  let [zOverA, perX0, perXs] = [0, 0, 0];
  for (const [symbol, fraction] of Object.entries(composition)) {
    const { z, weight } = elementWithSymbol(symbol);
    zOverA += (fraction * z) / weight;
    perX0 += fraction * inverseRadiationLength(z, weight);
    perXs += fraction * inverseScatteringLength(z, weight);
  }
  return { z_over_a: zOverA, radiation_length_g_cm2: 1 / perX0, scattering_length_g_cm2: 1 / perXs };
}

/** Scales mass fractions to the sum 1, because published fractions are rounded. */
function normaliseFractions(composition: Composition): Composition {
  const sum = Object.values(composition).reduce((total, fraction) => total + fraction, 0);
  return Object.fromEntries(Object.entries(composition).map(([symbol, fraction]) => [symbol, fraction / sum]));
}

function toComposition({ formula, composition }: Pick<UserMaterial, 'formula' | 'composition'>): Composition {
  if (formula === undefined) return normaliseFractions(composition ?? {});
  return massFractions(parseFormula(formula) ?? new Map());
}

export function meanExcitation(own: UserMaterial): MeanExcitation {
  if (own.mean_excitation_eV !== undefined) return { eV: own.mean_excitation_eV, source: 'as given' };
  const atoms = own.formula === undefined ? null : parseFormula(own.formula);
  const listed = atoms === null ? null : compoundExcitation(atoms);
  if (listed !== null) return { eV: listed, source: 'ICRU Reports 37 and 49' };
  const eV = Number(additiveExcitation(toComposition(own), own.density_g_cm3).toPrecision(4));
  return { eV, source: 'Bragg rule, elements by ICRU Report 37' };
}

function toReferenceSubstance(material: Material): ReferenceSubstance {
  const { composition, mean_excitation_eV } = material;
  const { z_over_a } = materialLengths(composition);
  return { composition, z_over_a, mean_excitation_eV, table: standardTable(material) };
}

/** Tables of the library from which the corrections to Bethe's formula are derived. */
export function referenceSubstances(library: Materials): ReferenceSubstances {
  const { water, pmma, air, graphite, aluminium, copper, lead } = library;
  return {
    water: toReferenceSubstance(water),
    elements: [
      ['O', toReferenceSubstance(water)],
      ['C', toReferenceSubstance(pmma)],
      ['Al', toReferenceSubstance(aluminium)],
      ['Cu', toReferenceSubstance(copper)],
      ['Pb', toReferenceSubstance(lead)],
      ['N', toReferenceSubstance(air)],
      ['Ca', toReferenceSubstance(library['bone-compact-icru'])],
    ],
    pureElements: {
      C: toReferenceSubstance(graphite),
      Al: toReferenceSubstance(aluminium),
      Cu: toReferenceSubstance(copper),
      Pb: toReferenceSubstance(lead),
    },
  };
}

/** Cached ratios by water table, because a scenario is checked after every key press. */
const cachedMaterials = new WeakMap<StoppingTable, { readonly library: Materials; readonly ratio: RatioToWater }>();

function cachedRatioToWater(library: Materials, water: StoppingTable, rangeTable: RangeTable): RatioToWater {
  const kept = cachedMaterials.get(water);
  if (kept?.library === library) return kept.ratio;
  // For a water table of the user the mean excitation energy is unknown, so that of the standard table is used.
  const listed = library.water.stopping_power.find(({ id }) => library.water.tables.get(id) === water);
  const water_eV = listed?.mean_excitation_eV ?? library.water.mean_excitation_eV;
  const ratio = createRatioToWater(referenceSubstances(library), water_eV, water.energies_MeV, rangeTable);
  cachedMaterials.set(water, { library, ratio });
  return ratio;
}

/** Computes all properties of a user's material. `water` is the stopping power table of water in the scenario. */
export function completeUserMaterial(
  own: UserMaterial,
  library: Materials,
  water: StoppingTable,
  rangeTable: RangeTable,
): Material {
  const composition = toComposition(own);
  const lengths = materialLengths(composition);
  const excitation = meanExcitation(own);
  const ratio = cachedRatioToWater(
    library,
    water,
    rangeTable,
  )({
    composition,
    z_over_a: lengths.z_over_a,
    mean_excitation_eV: excitation.eV,
  });
  const title = `Bethe, I = ${excitation.eV} eV, scaled to water (${water.title})`;
  const table: StoppingTable = {
    title,
    energies_MeV: water.energies_MeV,
    stopping_MeV_cm2_g: water.stopping_MeV_cm2_g.map((stopping, i) => stopping * (ratio[i] ?? 1)),
  };
  return {
    name: own.name,
    title: own.name,
    density_g_cm3: own.density_g_cm3,
    ...lengths,
    mean_excitation_eV: excitation.eV,
    composition,
    stopping_power: [{ id: 'bethe', title, mean_excitation_eV: excitation.eV, file: '' }],
    sources: {
      mean_excitation: excitation.source,
      radiation_length: 'Y. S. Tsai, Rev. Mod. Phys. 46 (1974) 815, mass-weighted over the elements',
      scattering_length: 'B. Gottschalk, arXiv:0908.1413, mass-weighted over the elements',
      stopping_power: title,
    },
    tables: new Map([['bethe', table]]),
  };
}
