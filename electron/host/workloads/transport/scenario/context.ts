/** Data that the transport workload needs in addition to the scenario itself. */

import { type Material, type MaterialSet, standardTable } from '../../../model/scenarios/materials.ts';
import type { NuclearTable } from '../../../model/scenarios/nuclear-tables.ts';
import type { RangeTable, StoppingTable } from '../../../model/scenarios/stopping-table.ts';
import type { PlacedCt } from './ct/placed-ct.ts';

export interface TransportContext {
  /** Those of the library and the scenario's own. */
  readonly materials: MaterialSet;
  readonly nuclearTables: readonly NuclearTable[];
  readonly rangeTable: RangeTable;
  /** The table of water that the scenario names or brings. */
  readonly water: StoppingTable;
  /** The CT that the scenario names, where it lies in the box. */
  readonly ct: PlacedCt | null;
  /** Most bytes of state that a run may take. */
  readonly memoryLimit_bytes: number;
  /** Ids of the variants of this workload, `auto` not among them. */
  readonly variants: readonly string[];
}

/** The stopping power table that a run uses for a material: the scenario chooses only that of water. */
export function tableOf(context: Pick<TransportContext, 'water' | 'materials'>, material: string): StoppingTable {
  return material === 'water' ? context.water : standardTable(materialOf(context, material));
}

/** A material by name; scenarios that name others are refused before. */
export function materialOf({ materials }: Pick<TransportContext, 'materials'>, name: string): Material {
  const found = Object.hasOwn(materials, name) ? materials[name] : undefined;
  if (found === undefined) throw new Error(`no material is called ${name}`);
  return found;
}
