/** The tables of nuclear reactions: assets/nuclear, read once; the engine parses them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface NuclearTable {
  /** As messages name it. */
  readonly name: string;
  readonly text: string;
}

/** Elements with a table of their own; others take the nearest one, scaled. Hydrogen only scatters, by a formula. */
const elements = { C: 'carbon', N: 'nitrogen', O: 'oxygen', Ca: 'calcium' } as const;

/** `assetsFolder` holds `nuclear/`. */
export function loadNuclearTables(assetsFolder: string): Promise<readonly NuclearTable[]> {
  return Promise.all(
    Object.values(elements).map(async (element) => {
      const file = join('nuclear', `${element}.csv`);
      return { name: file, text: await readFile(join(assetsFolder, file), 'utf8') };
    }),
  );
}
