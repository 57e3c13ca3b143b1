/** Where the programs of the host's threads and processes are. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { onDisk } from './on-disk.ts';

/**
 * The bundle in dist/workers, beside the folder of the program's own; in development its source. Of a package the file
 * outside the archive: threads and processes of their own need not know archives. `BRAGGBENCH_BUNDLES` names a folder of
 * bundles that are of these very sources, as the tests have: a bundle starts in a third of the time.
 * @param name of the bundle, such as `user-kernel-child`
 * @param source from the host's folder
 */
export function startedFile(name: string, source: string): string {
  const here = import.meta.dirname;
  const folders = [process.env['BRAGGBENCH_BUNDLES'] ?? '', path.join(here, '..', 'workers')];
  const bundles = folders.filter((folder) => folder !== '').map((folder) => onDisk(path.join(folder, `${name}.js`)));
  return bundles.find((file) => existsSync(file)) ?? path.join(here, '..', source);
}
