/**
 * Mass stopping power of protons in own materials: the table of water in use, times the ratio of Bethe's formula for the
 * material and for water. ICRU Report 49 has the formula, L = ½ ln(2 m c² β² γ² W / I²) − β² + δL.
 *
 * δL is what shells, the density effect and higher orders add. Light elements have it in common with water, so that it
 * nearly cancels. Aluminium, copper and lead have that of their own tables; elements between have it from between, by Z.
 * So no element needs a model of its shells, and a compound has the mean over its electrons.
 */
import { type Composition, elementOf } from '../../../contract/scenario/index.ts';
import type { RangeTable, StoppingTable } from '../scenarios/stopping-table.ts';

const PROTON_MEV = 938.272;
const ELECTRON_MEV = 0.51099895;
/** 4π N_A r_e² m_e c², MeV cm²/mol. */
const CONSTANT = 0.307075;
/** Protons of less have 0.025 mm of water left: the ratio to water stays as it is here. */
const LOWEST_MEV = 1;
/** Up to oxygen elements have the δL of water. */
const LIGHT_Z = 8;

/** A substance whose table is known. */
export interface Anchor {
  readonly z_over_a: number;
  readonly mean_excitation_eV: number;
  readonly table: StoppingTable;
}

interface Anchors {
  readonly water: Anchor;
  /** Elements by themselves, by symbol. */
  readonly elements: Readonly<Record<string, Anchor>>;
}

/** Bethe's stopping number without δL. */
function stoppingNumber(energy_MeV: number, mean_excitation_eV: number): number {
  const gamma = 1 + energy_MeV / PROTON_MEV;
  const beta2 = 1 - 1 / gamma ** 2;
  const ratio = ELECTRON_MEV / PROTON_MEV;
  const knock = (2 * ELECTRON_MEV * beta2 * gamma ** 2) / (1 + 2 * gamma * ratio + ratio ** 2);
  const argument = (2 * ELECTRON_MEV * beta2 * gamma ** 2 * knock) / (mean_excitation_eV * 1e-6) ** 2;
  return 0.5 * Math.log(argument) - beta2;
}

const perElectron = (energy_MeV: number): number => CONSTANT / (1 - 1 / (1 + energy_MeV / PROTON_MEV) ** 2);

/** δL of what a table is of, at each energy. */
function corrections(anchor: Anchor, energies: Float64Array, rangeTable: RangeTable): Float64Array {
  const { energies_MeV, stopping_MeV_cm2_g } = anchor.table;
  const own = rangeTable(energies_MeV, stopping_MeV_cm2_g, energies).stopping_MeV_cm2_g;
  return energies.map(
    (energy, i) =>
      (own[i] ?? 0) / (perElectron(energy) * anchor.z_over_a) - stoppingNumber(energy, anchor.mean_excitation_eV),
  );
}

/** δL by Z: anchors ascending, the first one water's. */
class CorrectionByZ {
  readonly #nodes: readonly { readonly z: number; readonly of: Float64Array }[];
  readonly #alone: ReadonlyMap<string, Float64Array>;

  constructor(anchors: Anchors, energies: Float64Array, rangeTable: RangeTable) {
    this.#alone = new Map(
      Object.entries(anchors.elements).map(([symbol, anchor]) => [symbol, corrections(anchor, energies, rangeTable)]),
    );
    const heavy = [...this.#alone].flatMap(([symbol, of]) => {
      const { z } = elementOf(symbol);
      return z > LIGHT_Z ? [{ z, of }] : [];
    });
    const water = { z: LIGHT_Z, of: corrections(anchors.water, energies, rangeTable) };
    this.#nodes = [water, ...heavy.sort((a, b) => a.z - b.z)];
  }

  /** That of an element by itself, such as graphite; null without a table. */
  alone(symbol: string): Float64Array | null {
    return this.#alone.get(symbol) ?? null;
  }

  at(z: number, energy: number): number {
    const after = this.#nodes.findIndex((node) => node.z >= z);
    const upper = this.#nodes[after < 0 ? this.#nodes.length - 1 : after];
    const lower = this.#nodes[after < 0 ? this.#nodes.length - 2 : Math.max(0, after - 1)];
    if (upper === undefined || lower === undefined) return 0;
    const share = upper === lower ? 0 : Math.min(1.2, Math.max(0, (z - lower.z) / (upper.z - lower.z)));
    return (1 - share) * (lower.of[energy] ?? 0) + share * (upper.of[energy] ?? 0);
  }
}

interface OwnMatter {
  readonly composition: Composition;
  readonly z_over_a: number;
  readonly mean_excitation_eV: number;
}

/** Ratio of the mass stopping powers of a material and of water, at each energy; constant below LOWEST_MEV. */
export type RatioToWater = (matter: OwnMatter) => Float64Array;

/** What is the same for all materials is found once. */
export function ratiosToWater(anchors: Anchors, energies_MeV: Float64Array, rangeTable: RangeTable): RatioToWater {
  const energies = energies_MeV.map((energy) => Math.max(LOWEST_MEV, energy));
  const byZ = new CorrectionByZ(anchors, energies, rangeTable);
  const ofWater = energies.map(
    (energy, i) => stoppingNumber(energy, anchors.water.mean_excitation_eV) + byZ.at(LIGHT_Z, i),
  );
  return ({ composition, z_over_a, mean_excitation_eV }) => {
    const symbols = Object.keys(composition);
    const alone = symbols.length === 1 ? byZ.alone(symbols[0] ?? '') : null;
    const electrons = symbols.map((symbol) => {
      const { z, weight } = elementOf(symbol);
      return { z, share: ((composition[symbol] ?? 0) * z) / weight };
    });
    const all = electrons.reduce((sum, { share }) => sum + share, 0);
    return energies.map((energy, i) => {
      const mean = electrons.reduce((sum, { z, share }) => sum + (share / all) * byZ.at(z, i), 0);
      const own = stoppingNumber(energy, mean_excitation_eV) + (alone?.[i] ?? mean);
      return (z_over_a * own) / (anchors.water.z_over_a * (ofWater[i] ?? 1));
    });
  };
}
