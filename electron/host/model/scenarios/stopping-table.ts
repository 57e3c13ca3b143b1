/**
 * Stopping power tables as data. Interpolation and range are the engine's
 * (kernels/physics/stopping), reached through the addon, so that defaults,
 * checks and captions say what the solver computes.
 */
import type { NativeAddon } from '../../io/addon/addon.ts';

export interface StoppingTable {
  /** Name in results, such as `NIST PSTAR (ICRU 49)`. */
  readonly title: string;
  /** MeV, ascending. */
  readonly energies_MeV: Float64Array;
  /** Mass stopping power, MeV cm²/g. */
  readonly stopping_MeV_cm2_g: Float64Array;
}

export type RangeTable = NativeAddon['rangeTable'];

export interface StoppingAt {
  /** MeV cm²/g. */
  readonly stopping: number;
  /** CSDA range, g/cm². */
  readonly range: number;
}

export function lowestEnergy(table: StoppingTable): number {
  return table.energies_MeV[0] ?? Number.NaN;
}

export function highestEnergy(table: StoppingTable): number {
  return table.energies_MeV.at(-1) ?? Number.NaN;
}

/** The last answers of each table: a scenario asks hundreds of times for what its beam does where it enters. */
const lately = new WeakMap<StoppingTable, Map<number, StoppingAt>>();
const MOST_KEPT = 64;

/** Stopping power and range at an energy, which is moved to the table's end if it lies outside. */
export function stoppingAt(rangeTable: RangeTable, table: StoppingTable, energy_MeV: number): StoppingAt {
  const inside = Math.min(Math.max(energy_MeV, lowestEnergy(table)), highestEnergy(table));
  const known = lately.get(table) ?? new Map<number, StoppingAt>();
  const kept = known.get(inside);
  if (kept !== undefined) return kept;
  const found = rangeTable(table.energies_MeV, table.stopping_MeV_cm2_g, Float64Array.of(inside));
  const at = { stopping: found.stopping_MeV_cm2_g[0] ?? Number.NaN, range: found.range_g_cm2[0] ?? Number.NaN };
  if (known.size === MOST_KEPT) known.clear();
  lately.set(table, known.set(inside, at));
  return at;
}
