/** Filters of h5wasm-plugins that the HDF5 library loads by name: Eiger detectors pack images by them. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';

/** Files of the filters by their registered numbers: LZ4, and bitshuffle with LZ4. */
export const filterFiles: Readonly<Record<number, string>> = { 32004: 'libH5Zlz4.so', 32008: 'libH5Zbshuf.so' };

/** Next to the bundle's folder in a package, and among the packages of a checkout. */
function folders(): readonly string[] {
  const here = import.meta.dirname;
  const installed = path.join('node_modules', 'h5wasm-plugins', 'plugins');
  return [
    path.join(here, '..', 'hdf5-filters'),
    path.join(here, '../..', installed),
    path.join(here, '../../../..', installed),
  ];
}

/** Bytes of every filter by the name of its file. */
export async function readFilters(): Promise<ReadonlyMap<string, Uint8Array>> {
  const names = Object.values(filterFiles);
  const folder = folders().find((each) => names.every((name) => existsSync(path.join(each, name))));
  if (folder === undefined) {
    throw new BraggError('unsupported', `The filters of HDF5 (${names.join(', ')}) are not installed. Run: npm ci`);
  }
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name))] as const)),
  );
}
