/** Files that `npm run bench -- verdicts`, `bench -- aa` and `bench -- power` save for the documents, with `--keep`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { KeptRates, KeptReal } from '../../electron/build/figures/rates.ts';
import type { KeptPower } from './aa/power.ts';

const folder = path.resolve(import.meta.dirname, '../../assets/rates');

/** Writes the file and returns its path. */
export function keep(name: 'simulated' | 'real' | 'power', kept: KeptRates | KeptReal | KeptPower): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${name}.json`), `${JSON.stringify(kept, null, 2)}\n`);
  return `assets/rates/${name}.json`;
}
