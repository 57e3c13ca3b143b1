/** The stopping power table of water: one of the library's, or the user's from the scenario's folder. */
import type { Issue } from '../../../../contract/errors.ts';
import type { Fault, TransportWithConstants } from '../../../../contract/scenario/index.ts';
import { besideReader } from '../../../model/scenarios/beside.ts';
import { type Materials, standardTable } from '../../../model/scenarios/materials.ts';
import { readStoppingCsv } from '../../../model/scenarios/stopping-csv.ts';
import type { StoppingTable } from '../../../model/scenarios/stopping-table.ts';

const readTable = besideReader({
  task: 'read a stopping table',
  path: ['physics', 'stopping_power', 'file'],
  /** 10,000 rows of three columns. */
  largest_bytes: 1024 * 1024,
  allowed: 'a CSV file with the columns T_MeV,S in the folder of the scenario',
  parse: (text, name) => {
    const csv = readStoppingCsv(text, name);
    return csv.ok ? { ok: true, value: csv.table } : csv;
  },
});

interface WaterTable {
  /** The library's standard table if the requested one cannot be used; errors then give the reason. */
  readonly table: StoppingTable;
  readonly faults: readonly Fault[];
  /** Errors inside the table's own file. */
  readonly issues: readonly Issue[];
}

/** `scenarioName` is the displayed name of the scenario file; the table's name is shown relative to it. */
export async function waterTable(
  scenario: TransportWithConstants,
  materials: Materials,
  folder: string | null,
  scenarioName: string,
): Promise<WaterTable> {
  const wanted = scenario.physics.stopping_power;
  const standard = standardTable(materials.water);
  if (typeof wanted === 'string') {
    const table = materials.water.tables.get(wanted);
    if (table === undefined) throw new Error(`water has no table ${wanted}`);
    return { table, faults: [], issues: [] };
  }
  const { value, faults, issues } = await readTable(wanted.file, { name: scenarioName, folder });
  return { table: value ?? standard, faults, issues };
}
