/**
 * Finds the data files of the program in a bundle, a package or a checkout, and reads the program's version from its
 * package file.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** Returns the nearest folder `assets`, next to this file or to one of its parent folders. */
export function assetsFolder(from: string = import.meta.dirname): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const assets = join(folder, 'assets');
    if (existsSync(join(assets, 'materials'))) return assets;
    if (dirname(folder) === folder)
      throw new Error(`no assets folder at or above ${from}: the installation is incomplete`);
  }
}

const packageSchema = z.looseObject({ version: z.string() });

export async function programVersion(): Promise<string> {
  const text = await readFile(join(assetsFolder(), '..', 'package.json'), 'utf8');
  return packageSchema.parse(JSON.parse(text)).version;
}
