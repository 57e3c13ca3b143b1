/** The tunables of the shipped variants: a file a workload in assets/tunables. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type ShippedSpace, shippedSpacesSchema } from '../../../contract/tuning/tunables.ts';

/** Throws where a file is damaged. */
export async function readShippedSpaces(assetsFolder: string): Promise<readonly ShippedSpace[]> {
  const folder = path.join(assetsFolder, 'tunables');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  const files = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  return files.flatMap((text) => shippedSpacesSchema.parse(JSON.parse(text)).spaces);
}
