/**
 * Materials that a scenario can name, with the properties that a form shows. The full data (composition, stopping
 * power) are in assets/materials; a test compares the two.
 */
interface MaterialSummary {
  readonly name: string;
  readonly title: string;
  /** Density, g/cm³. */
  readonly density_g_cm3: number;
  /** Mean excitation energy, eV. */
  readonly mean_excitation_eV: number;
  /** Radiation length, g/cm². */
  readonly radiation_length_g_cm2: number;
  /** Scattering length, g/cm². */
  readonly scattering_length_g_cm2: number;
}

function material(
  name: string,
  title: string,
  density_g_cm3: number,
  mean_excitation_eV: number,
  radiation_length_g_cm2: number,
  scattering_length_g_cm2: number,
): MaterialSummary {
  return { name, title, density_g_cm3, mean_excitation_eV, radiation_length_g_cm2, scattering_length_g_cm2 };
}

export const materialNames = [
  'water',
  'air',
  'lung',
  'adipose-icrp',
  'muscle-skeletal',
  'bone-compact-icru',
  'bone-cortical-icrp',
  'pmma',
  'a150',
  'graphite',
  'aluminium',
  'copper',
  'lead',
] as const;

export type MaterialName = (typeof materialNames)[number];

export const materialSummaries: Readonly<Record<MaterialName, MaterialSummary>> = {
  water: material('water', 'Water, liquid', 1, 75, 36.08, 46.88),
  air: material('air', 'Air, dry', 0.00120479, 85.7, 36.62, 46.76),
  lung: material('lung', 'Lung (muscle, inflated)', 0.26, 75.3, 36.81, 47.95),
  'adipose-icrp': material('adipose-icrp', 'Adipose tissue (ICRP)', 0.92, 63.2, 41.73, 56.18),
  'muscle-skeletal': material('muscle-skeletal', 'Muscle, skeletal (ICRP)', 1.05, 75.3, 36.81, 47.95),
  'bone-compact-icru': material('bone-compact-icru', 'Bone, compact (ICRU)', 1.85, 91.9, 30.49, 38.13),
  'bone-cortical-icrp': material('bone-cortical-icrp', 'Bone, cortical (ICRP)', 1.85, 106.4, 27.42, 33.66),
  pmma: material('pmma', 'PMMA (acrylic)', 1.19, 74, 40.55, 53.76),
  a150: material('a150', 'A-150 tissue-equivalent plastic', 1.127, 65.1, 41.86, 56.19),
  graphite: material('graphite', 'Graphite', 1.7, 78, 42.7, 56.34),
  aluminium: material('aluminium', 'Aluminium', 2.699, 166, 24.01, 28.75),
  copper: material('copper', 'Copper', 8.96, 322, 12.86, 14.62),
  lead: material('lead', 'Lead', 11.35, 823, 6.37, 6.63),
};

/**
 * Chemical element, from which user materials are composed. A test compares the weights with those in
 * kernels/physics/icru63.cpp.
 */
interface Element {
  readonly symbol: string;
  readonly z: number;
  /** Standard atomic weight, g/mol. */
  readonly weight: number;
  /** Mean excitation energy of the pure element, eV: ICRU Reports 37 and 49. */
  readonly mean_excitation_eV: number;
}

/** Elements in the order of their atomic number Z: symbol, atomic weight and mean excitation energy. */
const listedElements =
  'H 1.008 19.2, He 4.0026 41.8, Li 6.94 40, Be 9.0122 63.7, B 10.81 76, C 12.011 78, N 14.007 82, O 15.999 95, ' +
  'F 18.998 115, Ne 20.18 137, Na 22.99 149, Mg 24.305 156, Al 26.982 166, Si 28.085 173, P 30.974 173, S 32.06 180, ' +
  'Cl 35.45 174, Ar 39.95 188, K 39.098 190, Ca 40.078 191, Sc 44.956 216, Ti 47.867 233, V 50.942 245, ' +
  'Cr 51.996 257, Mn 54.938 272, Fe 55.845 286, Co 58.933 297, Ni 58.693 311, Cu 63.546 322, Zn 65.38 330, ' +
  'Ga 69.723 334, Ge 72.63 350, As 74.922 347, Se 78.971 348, Br 79.904 343, Kr 83.798 352, Rb 85.468 363, ' +
  'Sr 87.62 366, Y 88.906 379, Zr 91.224 393, Nb 92.906 417, Mo 95.95 424, Tc 97 428, Ru 101.07 441, Rh 102.91 449, ' +
  'Pd 106.42 470, Ag 107.87 470, Cd 112.41 469, In 114.82 488, Sn 118.71 488, Sb 121.76 487, Te 127.6 485, ' +
  'I 126.9 491, Xe 131.29 482, Cs 132.91 488, Ba 137.33 491, La 138.91 501, Ce 140.12 523, Pr 140.91 535, ' +
  'Nd 144.24 546, Pm 145 560, Sm 150.36 574, Eu 151.96 580, Gd 157.25 591, Tb 158.93 614, Dy 162.5 628, ' +
  'Ho 164.93 650, Er 167.26 658, Tm 168.93 674, Yb 173.05 684, Lu 174.97 694, Hf 178.49 705, Ta 180.95 718, ' +
  'W 183.84 727, Re 186.21 736, Os 190.23 746, Ir 192.22 757, Pt 195.08 790, Au 196.97 790, Hg 200.59 800, ' +
  'Tl 204.38 810, Pb 207.2 823, Bi 208.98 823, Po 209 830, At 210 825, Rn 222 794, Fr 223 827, Ra 226 826, ' +
  'Ac 227 841, Th 232.04 847, Pa 231.04 878, U 238.03 890';

export const elements: readonly Element[] = listedElements.split(', ').map((each, i) => {
  const [symbol = '', weight, excitation] = each.split(' ');
  return { symbol, z: i + 1, weight: Number(weight), mean_excitation_eV: Number(excitation) };
});

const elementsBySymbol = new Map(elements.map((element) => [element.symbol, element]));

export const isElement = (symbol: string): boolean => elementsBySymbol.has(symbol);

/** Throws for an unknown symbol. Documents are validated before, so that would be a bug. */
export function elementWithSymbol(symbol: string): Element {
  const found = elementsBySymbol.get(symbol);
  if (found === undefined) throw new Error(`no element has the symbol ${symbol}`);
  return found;
}

/** Mass fraction of each element by symbol; the fractions add up to 1. */
export type Composition = Readonly<Record<string, number>>;

const FORMULA_TOKEN = /([A-Z][a-z]?)|(\()|(\))|(\d+(?:\.\d+)?)/y;

/** Number of atoms of each element, in the order of the formula; null if the text is not a chemical formula. */
export function parseFormula(formula: string): ReadonlyMap<string, number> | null {
  const text = formula.replaceAll(/\s/g, '');
  const open: Map<string, number>[] = [new Map()];
  /** Atoms that a following number multiplies: an element or a group in parentheses. */
  let last: ReadonlyMap<string, number> | null = null;
  const take = (atoms: ReadonlyMap<string, number>, times: number): void => {
    const into = open.at(-1);
    for (const [symbol, number] of atoms) into?.set(symbol, (into.get(symbol) ?? 0) + number * times);
  };
  FORMULA_TOKEN.lastIndex = 0;
  while (FORMULA_TOKEN.lastIndex < text.length) {
    const [, symbol, left, right, number] = FORMULA_TOKEN.exec(text) ?? [];
    if (symbol !== undefined) {
      if (!isElement(symbol)) return null;
      last = new Map([[symbol, 1]]);
      take(last, 1);
    } else if (left !== undefined) {
      open.push(new Map());
      last = null;
    } else if (right !== undefined) {
      const closed = open.pop();
      if (closed === undefined || open.length === 0) return null;
      last = closed;
      take(last, 1);
    } else if (number !== undefined && last !== null && Number(number) > 0) {
      take(last, Number(number) - 1);
      last = null;
    } else return null;
  }
  const [atoms] = open;
  return open.length === 1 && atoms !== undefined && atoms.size > 0 ? atoms : null;
}

/** Mass fractions of the elements of a compound, from its numbers of atoms. */
export function massFractions(atoms: ReadonlyMap<string, number>): Composition {
  const masses = [...atoms].map(([symbol, number]) => [symbol, number * elementWithSymbol(symbol).weight] as const);
  const whole = masses.reduce((sum, [, mass]) => sum + mass, 0);
  return Object.fromEntries(masses.map(([symbol, mass]) => [symbol, mass / whole]));
}
