/** What `npm run bench:verdicts` and `npm run bench:aa` keep for the documents' tables, with `-- --keep`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { KeptRates, KeptReal } from '../../electron/build/figures/rates.ts';

const folder = path.resolve(import.meta.dirname, '../../assets/rates');

/** Writes it, and gives where. */
export function keep(name: 'simulated' | 'real', kept: KeptRates | KeptReal): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${name}.json`), `${JSON.stringify(kept, null, 2)}\n`);
  return `assets/rates/${name}.json`;
}
