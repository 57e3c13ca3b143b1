/** Finds the program's data files: next to the bundle, in a package, and in a checkout. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest `assets` folder at or above this file that holds the materials. */
export function assetsFolder(from: string = import.meta.dirname): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const assets = join(folder, 'assets');
    if (existsSync(join(assets, 'materials'))) return assets;
    if (dirname(folder) === folder)
      throw new Error(`no assets folder at or above ${from}: the program is not complete`);
  }
}
