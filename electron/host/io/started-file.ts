/** Paths of the programs of the host's threads and processes. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { onDisk } from './on-disk.ts';

/**
 * The bundle in dist/workers, next to the program's own folder; in development its source. In a package, the file
 * outside the archive, so that threads and processes need not read archives. `BRAGGBENCH_BUNDLES` names a folder of
 * bundles built from exactly these sources, as in the tests: a bundle starts in a third of the time.
 * @param name of the bundle, such as `user-kernel-child`
 * @param source from the host's folder
 */
export function startedFile(name: string, source: string): string {
  const here = import.meta.dirname;
  const folders = [process.env['BRAGGBENCH_BUNDLES'] ?? '', path.join(here, '..', 'workers')];
  const bundles = folders.filter((folder) => folder !== '').map((folder) => onDisk(path.join(folder, `${name}.js`)));
  return bundles.find((file) => existsSync(file)) ?? path.join(here, '..', source);
}
