/**
 * Data that are needed to check and complete a transport scenario, and the interface of a check. Also defines the
 * contents of cells: media with their shares of the area, without duplicates.
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
  /** Stopping-power table of water that the scenario selects or contains. */
  readonly water: StoppingTable;
  /** CT of the scenario, with its position in the box. Null if there is none. */
  readonly ct: PlacedCt | null;
  /** Maximum size of the state of a run in bytes. */
  readonly memoryLimit_bytes: number;
  /** Ids of the variants of this workload, without `auto`. */
  readonly variants: readonly string[];
}

/** Returns the stopping-power table of a material. A scenario can select a table only for water. */
export function tableOf(context: Pick<TransportContext, 'water' | 'materials'>, material: string): StoppingTable {
  return material === 'water' ? context.water : standardTable(materialOf(context, material));
}

/** Returns the material with this name. Scenarios with unknown names have been rejected before. */
export function materialOf({ materials }: Pick<TransportContext, 'materials'>, name: string): Material {
  const found = Object.hasOwn(materials, name) ? materials[name] : undefined;
  if (found === undefined) throw new Error(`there is no material ${name}`);
  return found;
}

/**
 * Range straggling at the end of the range in water, as a standard deviation in mm. A power law, fitted to reference
 * values with electromagnetic interactions only. These cover 70 to 250 MeV (ranges of 40.8 to 379 mm), and the fit is
 * accurate to 1 %.
 */
export const rangeStraggling_mm = (range_mm: number): number => 0.469 * (range_mm / 40.8) ** 0.947;

export interface Check {
  /** Paths of the values that the check reads, for example `beam.energy_MeV`. */
  readonly uses: readonly string[];
  readonly run: (scenario: TransportScenario, context: TransportContext, region: RegionIndex) => readonly FieldIssue[];
}

/**
 * Converts the index of a region in the scenario to that in the file. They differ if invalid regions before it were
 * left out.
 */
export type RegionIndex = (index: number) => number;

export interface Medium {
  readonly material: string;
  readonly density_scale: number;
}

/** Media of one cell with their shares of its area, largest first. The sum of the shares is 1. */
export type Contents = readonly { readonly medium: Medium; readonly share: number }[];

export interface CellContents {
  /**
   * Distinct contents. Water of density 1 comes first even if no cell contains it; the others are in the order of
   * appearance.
   */
  readonly list: readonly Contents[];
  /** Returns the index into `list` for each of nz × nx cells, in rows of z. */
  readonly map: () => Uint8Array;
  /** Denominator to which shares were rounded. Null if they are exact. */
  readonly roundedTo: number | null;
  /** Relative width of merged CT densities. Null if no densities were merged. */
  readonly densitiesWithin: number | null;
}
