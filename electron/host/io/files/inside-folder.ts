/** Files that scenarios name stay in the scenario's folder, also through links. */
import { realpath } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';

/** The file behind symbolic links, if it lies below `folder`; null if it leads out of it. */
export async function insideFolder(folder: string, file: string): Promise<string | null> {
  const wanted = resolve(folder, file);
  try {
    const [realFolder, realFile] = await Promise.all([realpath(folder), realpath(wanted)]);
    const way = relative(realFolder, realFile);
    return way.startsWith(`..${sep}`) || way === '..' || resolve(way) === way ? null : realFile;
  } catch {
    // Not there: reading it says so.
    return wanted;
  }
}
