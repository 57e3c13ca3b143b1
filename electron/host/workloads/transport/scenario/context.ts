/** What the transport workload's files need to know beside the scenario itself. */
import type { MaterialName } from '../../../../contract/scenario/index.ts';
import { type Materials, standardTable } from '../../../model/scenarios/materials.ts';
import type { NuclearTable } from '../../../model/scenarios/nuclear-tables.ts';
import type { RangeTable, StoppingTable } from '../../../model/scenarios/stopping-table.ts';

export interface TransportContext {
  readonly materials: Materials;
  readonly nuclearTables: readonly NuclearTable[];
  readonly rangeTable: RangeTable;
  /** The table of water that the scenario names or brings. */
  readonly water: StoppingTable;
  /** Most bytes of state that a run may take. */
  readonly memoryLimit_bytes: number;
  /** Ids of the variants of this workload, `auto` not among them. */
  readonly variants: readonly string[];
}

/** The stopping power table that a run uses for a material: the scenario chooses only that of water. */
export function tableOf(context: Pick<TransportContext, 'water' | 'materials'>, material: MaterialName): StoppingTable {
  return material === 'water' ? context.water : standardTable(context.materials[material]);
}
