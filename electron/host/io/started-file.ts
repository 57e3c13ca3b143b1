/** Where the programs of the host's threads and processes are. */
import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * The bundle, in the program's host folder; in development its source. `BRAGGBENCH_BUNDLES` names a folder of bundles
 * that are of these very sources, as the tests have: a bundle starts in a third of the time.
 * @param name of the bundle, such as `user-kernel-child`
 * @param source from the host's folder
 */
export function startedFile(name: string, source: string): string {
  const here = import.meta.dirname;
  const folders = [process.env['BRAGGBENCH_BUNDLES'] ?? '', here, path.join(here, '..', 'host')];
  const bundles = folders.filter((folder) => folder !== '').map((folder) => path.join(folder, `${name}.js`));
  return bundles.find((file) => existsSync(file)) ?? path.join(here, '..', source);
}
