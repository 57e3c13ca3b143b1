/**
 * Data that the transport workload needs in addition to a scenario, and the form of a check. Also the contents of
 * cells: media by their shares of the area, without duplicates.
 */
import type { FieldIssue, TransportScenario } from '../../../../contract/scenario/index.ts';
import {
  type Material,
  type MaterialSet,
  type NuclearTable,
  type RangeTable,
  type StoppingTable,
  standardTable,
} from '../../../model/scenarios/stopping-table.ts';
import type { PlacedCt } from './placed-ct.ts';

export interface TransportContext {
  /** Materials of the library and of the scenario. */
  readonly materials: MaterialSet;
  readonly nuclearTables: readonly NuclearTable[];
  readonly rangeTable: RangeTable;
  /** Stopping-power table of water that the scenario names or contains. */
  readonly water: StoppingTable;
  /** CT that the scenario names, with its position in the box. */
  readonly ct: PlacedCt | null;
  /** Limit on the state of a run, bytes. */
  readonly memoryLimit_bytes: number;
  /** Ids of the variants of this workload, without `auto`. */
  readonly variants: readonly string[];
}

/** Stopping-power table for a material in a run; the scenario chooses only that of water. */
export function tableOf(context: Pick<TransportContext, 'water' | 'materials'>, material: string): StoppingTable {
  return material === 'water' ? context.water : standardTable(materialOf(context, material));
}

/** Material by name; scenarios with unknown names are rejected before. */
export function materialOf({ materials }: Pick<TransportContext, 'materials'>, name: string): Material {
  const found = Object.hasOwn(materials, name) ? materials[name] : undefined;
  if (found === undefined) throw new Error(`there is no material ${name}`);
  return found;
}

/**
 * Range straggling at the end of the range in water, both in mm. The power law is a fit to the electromagnetic-only
 * reference values from 70 to 250 MeV (range 40.8 to 379 mm), with an error of 1 %.
 */
export const rangeStraggling_mm = (range_mm: number): number => 0.469 * (range_mm / 40.8) ** 0.947;

export interface Check {
  /** Paths that the check reads, as in `beam.energy_MeV`. */
  readonly uses: readonly string[];
  readonly run: (scenario: TransportScenario, context: TransportContext, region: RegionIndex) => readonly FieldIssue[];
}

/** Index in the file of a region in the scenario, which differs if invalid regions before it were left out. */
export type RegionIndex = (index: number) => number;

export interface Medium {
  readonly material: string;
  readonly density_scale: number;
}

/** Media of one cell with their shares of its area, which sum to 1; largest first. */
export type Contents = readonly { readonly medium: Medium; readonly share: number }[];

export interface CellContents {
  /** Distinct contents: first water of density 1 even if unused, then in order of appearance. */
  readonly list: readonly Contents[];
  /** Index into `list` for every cell, nz × nx, by rows of z. */
  readonly map: () => Uint8Array;
  /** Denominator of rounded shares; null if shares are exact. */
  readonly roundedTo: number | null;
  /** Relative width of merged CT densities; null if no densities are merged. */
  readonly densitiesWithin: number | null;
}
