/**
 * Mass stopping power of protons in own materials: the table of water in use, times the ratio of Bethe's formula for the
 * material and for water. ICRU Report 49 has the formula, L = ½ ln(2 m c² β² γ² W / I²) − β² + δL.
 */
import type { Composition } from '../../../contract/scenario/index.ts';
import type { RangeTable } from '../scenarios/stopping-table.ts';
import { type Anchors, CorrectionByElement } from './corrections.ts';
import { stoppingNumber } from './formula.ts';

/** Below, ICRU Report 49 has fits of what was measured, and no formula: the ratio to water stays as it is here. */
const LOWEST_MEV = 0.5;
/** Nor does the formula hold for an I that leaves less than this of it, which only a wrong I does above LOWEST_MEV. */
const LEAST_NUMBER = 0.5;

interface OwnMatter {
  readonly composition: Composition;
  readonly z_over_a: number;
  readonly mean_excitation_eV: number;
}

/** Ratio of the mass stopping powers of a material and of water, at each energy; constant below LOWEST_MEV. */
export type RatioToWater = (matter: OwnMatter) => Float64Array;

/**
 * What is the same for all materials is found once. Energies ascend, and `water_eV` is the I of the table that the
 * ratio is for.
 */
export function ratiosToWater(
  anchors: Anchors,
  water_eV: number,
  energies_MeV: Float64Array,
  rangeTable: RangeTable,
): RatioToWater {
  const energies = energies_MeV.map((energy) => Math.max(LOWEST_MEV, energy));
  const corrections = new CorrectionByElement(anchors, energies, rangeTable);
  const numbers = (composition: Composition, mean_excitation_eV: number): Float64Array => {
    const added = corrections.of(composition);
    return energies.map((energy, i) => stoppingNumber(energy, mean_excitation_eV) + (added[i] ?? 0));
  };
  const ofWater = numbers(anchors.water.composition, water_eV);
  return ({ composition, z_over_a, mean_excitation_eV }) => {
    const own = numbers(composition, mean_excitation_eV);
    const ratio = own.map((number, i) => (z_over_a * number) / (anchors.water.z_over_a * (ofWater[i] ?? 1)));
    const lowest = own.findIndex((number) => number >= LEAST_NUMBER);
    return ratio.fill(ratio[lowest] ?? 1, 0, Math.max(0, lowest));
  };
}
