/**
 * Corrections δL to the stopping number L in Bethe's formula for protons, which sum up the shell, Barkas, Bloch and
 * density terms. ICRU Report 49 computed its tables with all terms. δL is therefore the difference between a table of
 * the library and the formula without corrections. Each of seven tables gives δL of one more element, as δL of its
 * other elements is already known: oxygen from water, carbon from PMMA, nitrogen from air, calcium from compact bone,
 * and three metals from their own tables. Other elements are interpolated in Z. δL of a compound is the mean over its
 * electrons. The density effect is separated from δL, because only metals have it.
 */
import { type Composition, elementWithSymbol } from '../../../contract/scenario/index.ts';
import type { RangeTable, StoppingTable } from '../scenarios/stopping-table.ts';

const PROTON_MEV = 938.272;
const ELECTRON_MEV = 0.51099895;
/** The constant K = 4π N_A r_e² m_e c² of Bethe's formula, in MeV cm²/mol. */
const BETHE_CONSTANT = 0.307075;

/** Squares of β and βγ for a proton. */
function protonSpeed(energy_MeV: number): { readonly beta2: number; readonly betaGamma2: number } {
  const gamma = 1 + energy_MeV / PROTON_MEV;
  return { beta2: 1 - 1 / gamma ** 2, betaGamma2: gamma ** 2 - 1 };
}

/** Stopping number by Bethe's formula, without the corrections δL. */
export function stoppingNumber(energy_MeV: number, mean_excitation_eV: number): number {
  const { beta2, betaGamma2 } = protonSpeed(energy_MeV);
  const gamma = Math.sqrt(1 + betaGamma2);
  const ratio = ELECTRON_MEV / PROTON_MEV;
  const twice = 2 * ELECTRON_MEV * betaGamma2;
  const most = twice / (1 + 2 * gamma * ratio + ratio ** 2);
  return 0.5 * Math.log((twice * most) / (mean_excitation_eV * 1e-6) ** 2) - beta2;
}

/** Mass stopping power for a stopping number of 1 and Z/A of 1, MeV cm²/g. */
const stoppingPerElectron = (energy_MeV: number): number => BETHE_CONSTANT / protonSpeed(energy_MeV).beta2;

// Density effect for protons below 300 MeV. Insulators and gases have none at these speeds. For conductors it is δ = δ₀
// (βγ / 10^x₀)², with the constants of R. M. Sternheimer, M. J. Berger and S. M. Seltzer, At. Data Nucl. Data Tables 30
// (1984) 261.

/** Metals with known constants x₀ and δ₀. Other metals are interpolated in Z. */
const metalConstants = [
  { z: 13, x0: 0.1708, delta0: 0.12 },
  { z: 29, x0: -0.0254, delta0: 0.08 },
  { z: 82, x0: 0.3776, delta0: 0.14 },
] as const;

/** Atomic numbers of elements that are not metallic conductors. Matter that consists mainly of them is not a metal. */
const nonMetals = new Set(
  'H He B C N O F Ne Si P S Cl Ar Ge As Se Br Kr Te I Xe At Rn'.split(' ').map((symbol) => elementWithSymbol(symbol).z),
);
/** Maximum mass fraction of non-metals in a metal or alloy, such as carbon in steel. */
const MAX_NON_METAL_FRACTION = 0.05;

/** Whether a composition is that of a metal or an alloy. */
export function isMetal(composition: Composition): boolean {
  let others = 0;
  for (const [symbol, fraction] of Object.entries(composition)) {
    if (nonMetals.has(elementWithSymbol(symbol).z)) others += fraction;
  }
  return others <= MAX_NON_METAL_FRACTION;
}

/**
 * Half of the density effect, δ/2, for an electron of a metal with atomic number z. The stopping number is reduced by
 * it.
 */
export function halfDensityEffect(z: number, energy_MeV: number): number {
  const { betaGamma2 } = protonSpeed(energy_MeV);
  const halves = metalConstants.map(({ x0, delta0 }) => (delta0 * betaGamma2) / 10 ** (2 * x0) / 2);
  const after = metalConstants.findIndex((each) => each.z >= z);
  const upper = after < 0 ? metalConstants.length - 1 : after;
  const lower = Math.max(0, after < 0 ? upper : after - 1);
  const [from, to] = [metalConstants[lower]?.z ?? z, metalConstants[upper]?.z ?? z];
  const share = from === to ? 0 : (z - from) / (to - from);
  return (1 - share) * (halves[lower] ?? 0) + share * (halves[upper] ?? 0);
}

/** A substance whose stopping power table is known, and from which corrections are derived. */
export interface ReferenceSubstance {
  readonly composition: Composition;
  readonly z_over_a: number;
  readonly mean_excitation_eV: number;
  readonly table: StoppingTable;
}

export interface ReferenceSubstances {
  readonly water: ReferenceSubstance;
  /**
   * Tables in the order of their evaluation. Each gives δL of one element. The other elements of its substance must
   * precede it, or are interpolated.
   */
  readonly elements: readonly (readonly [symbol: string, anchor: ReferenceSubstance])[];
  /** Tables of pure elements, such as graphite, used only for matter that consists of this element alone. */
  readonly pureElements: Readonly<Record<string, ReferenceSubstance>>;
}

/**
 * Limit of extrapolation beyond the heaviest known element, as a position in the last interval of Z: a fifth of the
 * interval.
 */
const MAX_EXTRAPOLATION = 1.2;

/** Fraction of a substance's electrons that belong to each element. */
function electronShares(composition: Composition): readonly { readonly z: number; readonly share: number }[] {
  const electrons = Object.entries(composition).map(([symbol, fraction]) => {
    const { z, weight } = elementWithSymbol(symbol);
    return { z, share: (fraction * z) / weight };
  });
  const all = electrons.reduce((sum, { share }) => sum + share, 0);
  return electrons.map(({ z, share }) => ({ z, share: share / all }));
}

/** δL of a substance at each energy, from its table. */
function correctionsOfTable(
  { table, z_over_a, mean_excitation_eV }: ReferenceSubstance,
  energies: Float64Array,
  rangeTable: RangeTable,
) {
  const own = rangeTable(table.energies_MeV, table.stopping_MeV_cm2_g, energies).stopping_MeV_cm2_g;
  return energies.map(
    (energy, i) =>
      (own[i] ?? 0) / (stoppingPerElectron(energy) * z_over_a) - stoppingNumber(energy, mean_excitation_eV),
  );
}

interface ElementCorrection {
  readonly z: number;
  readonly of: Float64Array;
}

/** Interpolates δL in Z between nodes, which are sorted by Z. */
function interpolateCorrections(nodes: readonly ElementCorrection[], z: number, energy: number): number {
  const after = nodes.findIndex((node) => node.z >= z);
  const upper = after < 0 ? nodes.length - 1 : Math.max(1, after);
  const [low, high] = [nodes[upper - 1], nodes[upper]];
  if (low === undefined || high === undefined) return 0;
  const share = Math.min(MAX_EXTRAPOLATION, (z - low.z) / (high.z - low.z));
  return (1 - share) * (low.of[energy] ?? 0) + share * (high.of[energy] ?? 0);
}

export class StoppingCorrections {
  readonly #energies: Float64Array;
  /** δL of the known elements, without the density effect. */
  #nodes: readonly ElementCorrection[];
  readonly #alone: ReadonlyMap<string, Float64Array>;

  constructor(anchors: ReferenceSubstances, energies: Float64Array, rangeTable: RangeTable) {
    this.#energies = energies;
    // δL of hydrogen is taken as 0: its electron is bound by only 13.6 eV, and the terms of δL cancel to 0.007 above 1
    // MeV.
    this.#nodes = [{ z: 1, of: new Float64Array(energies.length) }];
    for (const [symbol, anchor] of anchors.elements) {
      this.#add(elementWithSymbol(symbol).z, anchor.composition, correctionsOfTable(anchor, energies, rangeTable));
    }
    this.#alone = new Map(
      Object.entries(anchors.pureElements).map(([symbol, anchor]) => [
        symbol,
        correctionsOfTable(anchor, energies, rangeTable),
      ]),
    );
  }

  /**
   * Adds δL of an element such that the mean over the electrons of `composition` is `of`. The mean depends linearly on
   * the new value, also through interpolated elements, so two evaluations determine it.
   */
  #add(z: number, composition: Composition, of: Float64Array): void {
    const filled = (value: number): Float64Array => of.map(() => value);
    const withNode = (node: Float64Array): readonly ElementCorrection[] =>
      [...this.#nodes, { z, of: node }].sort((a, b) => a.z - b.z);
    const none = this.#mean(withNode(filled(0)), composition);
    const one = this.#mean(withNode(filled(1)), composition);
    this.#nodes = withNode(of.map((each, i) => (each - (none[i] ?? 0)) / ((one[i] ?? 1) - (none[i] ?? 0))));
  }

  #mean(nodes: readonly ElementCorrection[], composition: Composition): Float64Array {
    const shares = electronShares(composition);
    const metal = isMetal(composition);
    return this.#energies.map((energy, i) =>
      shares.reduce((sum, { z, share }) => {
        const own = interpolateCorrections(nodes, z, i) - (metal ? halfDensityEffect(z, energy) : 0);
        return sum + share * own;
      }, 0),
    );
  }

  /** δL of a substance at each energy. */
  correctionsFor(composition: Composition): Float64Array {
    const symbols = Object.keys(composition);
    const alone = symbols.length === 1 ? this.#alone.get(symbols[0] ?? '') : undefined;
    return alone ?? this.#mean(this.#nodes, composition);
  }
}
