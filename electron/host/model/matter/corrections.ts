/**
 * Corrections δL to the stopping number in Bethe's formula for protons: shell, Barkas, Bloch and density effect terms.
 * ICRU Report 49 computed its tables with this formula, so δL is the difference between a table of the library and the
 * bare formula. Each of seven tables gives δL of one more element, because the values of its other elements are known:
 * oxygen from water, carbon from PMMA, nitrogen from air, calcium from compact bone, and three metals from their own
 * tables. Other elements are interpolated in Z. A compound has the mean over its electrons. The density effect is
 * treated separately, because only metals have it.
 */
import { type Composition, elementOf } from '../../../contract/scenario/index.ts';
import type { RangeTable, StoppingTable } from '../scenarios/stopping-table.ts';

const PROTON_MEV = 938.272;
const ELECTRON_MEV = 0.51099895;
/** 4π N_A r_e² m_e c², in MeV cm²/mol. */
const CONSTANT = 0.307075;

/** β² and (βγ)² of a proton. */
function speed(energy_MeV: number): { readonly beta2: number; readonly betaGamma2: number } {
  const gamma = 1 + energy_MeV / PROTON_MEV;
  return { beta2: 1 - 1 / gamma ** 2, betaGamma2: gamma ** 2 - 1 };
}

/** Stopping number without δL. */
export function stoppingNumber(energy_MeV: number, mean_excitation_eV: number): number {
  const { beta2, betaGamma2 } = speed(energy_MeV);
  const gamma = Math.sqrt(1 + betaGamma2);
  const ratio = ELECTRON_MEV / PROTON_MEV;
  const twice = 2 * ELECTRON_MEV * betaGamma2;
  const most = twice / (1 + 2 * gamma * ratio + ratio ** 2);
  return 0.5 * Math.log((twice * most) / (mean_excitation_eV * 1e-6) ** 2) - beta2;
}

/** Mass stopping power for a stopping number of 1 and Z/A of 1, MeV cm²/g. */
const stoppingPerElectron = (energy_MeV: number): number => CONSTANT / speed(energy_MeV).beta2;

// Density effect below 300 MeV. Insulators and gases have none at such speeds; in conductors it is δ = δ₀ (βγ /
// 10^x₀)², with the constants of R. M. Sternheimer, M. J. Berger and S. M. Seltzer, At. Data Nucl. Data Tables 30
// (1984) 261.

/** Metals whose tables the model uses; values of other metals are interpolated in Z. */
const conductors = [
  { z: 13, x0: 0.1708, delta0: 0.12 },
  { z: 29, x0: -0.0254, delta0: 0.08 },
  { z: 82, x0: 0.3776, delta0: 0.14 },
] as const;

/** Elements that are not metallic conductors, neither pure nor as the greater part of a compound. */
const nonMetals = new Set(
  'H He B C N O F Ne Si P S Cl Ar Ge As Se Br Kr Te I Xe At Rn'.split(' ').map((symbol) => elementOf(symbol).z),
);
/** Largest mass fraction of non-metals in an alloy, such as carbon in steel. */
const MAX_OTHERS = 0.05;

/** Whether the matter is a metal or an alloy. */
export function isMetal(composition: Composition): boolean {
  let others = 0;
  for (const [symbol, fraction] of Object.entries(composition)) {
    if (nonMetals.has(elementOf(symbol).z)) others += fraction;
  }
  return others <= MAX_OTHERS;
}

/** Density effect of a metal's electrons on the stopping number, δ/2. */
export function halfDensityEffect(z: number, energy_MeV: number): number {
  const { betaGamma2 } = speed(energy_MeV);
  const halves = conductors.map(({ x0, delta0 }) => (delta0 * betaGamma2) / 10 ** (2 * x0) / 2);
  const after = conductors.findIndex((each) => each.z >= z);
  const upper = after < 0 ? conductors.length - 1 : after;
  const lower = Math.max(0, after < 0 ? upper : after - 1);
  const [from, to] = [conductors[lower]?.z ?? z, conductors[upper]?.z ?? z];
  const share = from === to ? 0 : (z - from) / (to - from);
  return (1 - share) * (halves[lower] ?? 0) + share * (halves[upper] ?? 0);
}

/** A substance with a known stopping power table. */
export interface Anchor {
  readonly composition: Composition;
  readonly z_over_a: number;
  readonly mean_excitation_eV: number;
  readonly table: StoppingTable;
}

export interface Anchors {
  readonly water: Anchor;
  /**
   * Each table gives δL of its element, in this order: the other elements of its substance were added before, or are
   * interpolated.
   */
  readonly elements: readonly (readonly [symbol: string, anchor: Anchor])[];
  /** Pure elements with their own table, such as graphite; used only for matter that consists of nothing else. */
  readonly alone: Readonly<Record<string, Anchor>>;
}

/** Extrapolation beyond the heaviest element is limited to a fifth of the last interval in Z. */
const MAX_EXTRAPOLATION = 1.2;

/** Share of each element in all electrons. */
function electronShares(composition: Composition): readonly { readonly z: number; readonly share: number }[] {
  const electrons = Object.entries(composition).map(([symbol, fraction]) => {
    const { z, weight } = elementOf(symbol);
    return { z, share: (fraction * z) / weight };
  });
  const all = electrons.reduce((sum, { share }) => sum + share, 0);
  return electrons.map(({ z, share }) => ({ z, share: share / all }));
}

/** δL of the substance of a table, at each energy. */
function correctionsOfTable(
  { table, z_over_a, mean_excitation_eV }: Anchor,
  energies: Float64Array,
  rangeTable: RangeTable,
) {
  const own = rangeTable(table.energies_MeV, table.stopping_MeV_cm2_g, energies).stopping_MeV_cm2_g;
  return energies.map(
    (energy, i) =>
      (own[i] ?? 0) / (stoppingPerElectron(energy) * z_over_a) - stoppingNumber(energy, mean_excitation_eV),
  );
}

interface Node {
  readonly z: number;
  readonly of: Float64Array;
}

/** Interpolates between nodes, which ascend by Z. */
function interpolateNodes(nodes: readonly Node[], z: number, energy: number): number {
  const after = nodes.findIndex((node) => node.z >= z);
  const upper = after < 0 ? nodes.length - 1 : Math.max(1, after);
  const [low, high] = [nodes[upper - 1], nodes[upper]];
  if (low === undefined || high === undefined) return 0;
  const share = Math.min(MAX_EXTRAPOLATION, (z - low.z) / (high.z - low.z));
  return (1 - share) * (low.of[energy] ?? 0) + share * (high.of[energy] ?? 0);
}

export class CorrectionByElement {
  readonly #energies: Float64Array;
  /** Nodes without the density effect. */
  #nodes: readonly Node[];
  readonly #alone: ReadonlyMap<string, Float64Array>;

  constructor(anchors: Anchors, energies: Float64Array, rangeTable: RangeTable) {
    this.#energies = energies;
    // The electron of hydrogen is bound by 13.6 eV; its correction terms cancel to 0.007 from 1 MeV on.
    this.#nodes = [{ z: 1, of: new Float64Array(energies.length) }];
    for (const [symbol, anchor] of anchors.elements) {
      this.#add(elementOf(symbol).z, anchor.composition, correctionsOfTable(anchor, energies, rangeTable));
    }
    this.#alone = new Map(
      Object.entries(anchors.alone).map(([symbol, anchor]) => [
        symbol,
        correctionsOfTable(anchor, energies, rangeTable),
      ]),
    );
  }

  /**
   * Adds the node of an element. The mean over the electrons is linear in the node's value, including its effect on
   * interpolated elements.
   */
  #add(z: number, composition: Composition, of: Float64Array): void {
    const filled = (value: number): Float64Array => of.map(() => value);
    const withNode = (node: Float64Array): readonly Node[] =>
      [...this.#nodes, { z, of: node }].sort((a, b) => a.z - b.z);
    const none = this.#mean(withNode(filled(0)), composition);
    const one = this.#mean(withNode(filled(1)), composition);
    this.#nodes = withNode(of.map((each, i) => (each - (none[i] ?? 0)) / ((one[i] ?? 1) - (none[i] ?? 0))));
  }

  #mean(nodes: readonly Node[], composition: Composition): Float64Array {
    const shares = electronShares(composition);
    const metal = isMetal(composition);
    return this.#energies.map((energy, i) =>
      shares.reduce((sum, { z, share }) => {
        const own = interpolateNodes(nodes, z, i) - (metal ? halfDensityEffect(z, energy) : 0);
        return sum + share * own;
      }, 0),
    );
  }

  /** δL of a substance, at each energy. */
  of(composition: Composition): Float64Array {
    const symbols = Object.keys(composition);
    const alone = symbols.length === 1 ? this.#alone.get(symbols[0] ?? '') : undefined;
    return alone ?? this.#mean(this.#nodes, composition);
  }
}
