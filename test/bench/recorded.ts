/**
 * Files that `npm run bench -- verdicts`, `aa`, `power`, `cheats` and `gate` save with `--keep` for tables in the
 * documents.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type {
  RecordedCheats,
  RecordedGates,
  RecordedPower,
  RecordedRates,
  RecordedReal,
} from '../../electron/build/figures/rates.ts';

const root = path.resolve(import.meta.dirname, '../..');

const fileOf = (name: string): string => `assets/${name === 'gate' ? 'measured' : 'rates'}/${name}.json`;

/** Writes the file and returns its path. */
export function saveRecording(
  name: 'simulated' | 'real' | 'power' | 'cheats' | 'gate',
  kept: RecordedRates | RecordedReal | RecordedPower | RecordedCheats | RecordedGates,
): string {
  const file = path.join(root, fileOf(name));
  mkdirSync(path.dirname(file), { recursive: true });
  // Write to a second file and rename it, because the benchmark may be stopped at any moment and continues from this
  // file.
  writeFileSync(`${file}.part`, `${JSON.stringify(kept, null, 2)}\n`);
  renameSync(`${file}.part`, file);
  return fileOf(name);
}

/**
 * Saved sessions to continue from; null without a file. Throws if its settings or machine differ, or if it is complete.
 */
export function readUnfinished<T extends RecordedReal | RecordedPower | RecordedCheats | RecordedGates>(
  name: 'real' | 'power' | 'cheats' | 'gate',
  wanted: Partial<T>,
  isComplete: (kept: T) => boolean,
): T | null {
  const file = path.join(root, fileOf(name));
  if (!existsSync(file)) return null;
  const kept = JSON.parse(readFileSync(file, 'utf8')) as T;
  for (const key of Object.keys(wanted) as (keyof T & string)[]) {
    if (kept[key] === wanted[key]) continue;
    throw new Error(
      `${fileOf(name)} has ${key} = ${JSON.stringify(kept[key])}, and now it is ${JSON.stringify(wanted[key])}: go on with the same, or measure --anew`,
    );
  }
  if (isComplete(kept)) throw new Error(`${fileOf(name)} is complete: --anew measures it again`);
  return kept;
}
