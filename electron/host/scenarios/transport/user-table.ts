/** The stopping power table of water: one of the library's, or the user's own beside the scenario. */
import { dirname, join } from 'node:path';
import type { Issue } from '../../../contract/errors.ts';
import { type Fault, fault, formatPath, type TransportWithConstants } from '../../../contract/scenario/index.ts';
import { insideFolder } from '../inside-folder.ts';
import { type Materials, standardTable } from '../materials.ts';
import { readStoppingCsv } from '../stopping-csv.ts';
import type { StoppingTable } from '../stopping-table.ts';
import { readText } from '../text/read.ts';

/** 10,000 rows of three columns. */
const largestTable_bytes = 1024 * 1024;

const path = ['physics', 'stopping_power', 'file'] as const;

export interface WaterTable {
  /** The library's standard table where the wanted one cannot be used; then there are faults or issues. */
  readonly table: StoppingTable;
  readonly faults: readonly Fault[];
  /** Faults inside the table's own file. */
  readonly issues: readonly Issue[];
}

/** `scenarioName` is how the scenario file is shown; the table is shown beside it. */
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
  const refuse = (says: string): WaterTable => ({
    table: standard,
    faults: [fault(path, wanted.file, says, 'a CSV file with the columns T_MeV,S in the folder of the scenario')],
    issues: [],
  });
  if (folder === null) return refuse('cannot be found before the scenario is saved: the path is relative to its file');
  const file = await insideFolder(folder, wanted.file);
  if (file === null) return refuse('leads out of the folder of the scenario');
  const read = await readText(file, largestTable_bytes);
  if (!read.ok) return refuse(`cannot be used: ${read.reason}`);
  const parsed = readStoppingCsv(read.text, wanted.file);
  if (parsed.ok) return { table: parsed.table, faults: [], issues: [] };
  const shown = join(dirname(scenarioName), wanted.file);
  const issues = parsed.faults.map(
    ({ line, message }): Issue => ({
      severity: 'error',
      file: shown,
      path: formatPath(path),
      line,
      column: null,
      message,
      value: null,
      allowed: null,
    }),
  );
  return { table: standard, faults: [], issues };
}
