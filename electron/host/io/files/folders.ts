/**
 * Folders that the program reads and writes: its data folder for the current user, and the folder of a scenario, which
 * file names in the scenario must not leave. A stamp is a text that changes whenever a file or folder changes. It
 * includes ctime, because restored backups have the old size and mtime.
 */
import { existsSync, type Stats } from 'node:fs';
import { mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path, { relative, resolve, sep } from 'node:path';

/**
 * Options for creating the program's data folders and their parents: other users must not read drafts, labels and logs.
 */
export const PRIVATE_FOLDER = { recursive: true, mode: 0o700 } as const;

/**
 * Creates a folder that only the current user can read. Returns the first created parent, or undefined if the folder
 * exists. Rejects with system errors.
 */
export async function makePrivateFolder(folder: string): Promise<string | undefined> {
  try {
    return await mkdir(folder, PRIVATE_FOLDER);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    // On a read-only disk Node.js reports only that the folder does not exist. Creating the first missing parent gives
    // the actual reason.
    let missing = folder;
    while (!existsSync(path.dirname(missing))) missing = path.dirname(missing);
    await mkdir(missing, PRIVATE_FOLDER.mode);
    return mkdir(folder, PRIVATE_FOLDER);
  }
}

/**
 * Folder of the data of the program for the current user. The environment variable `BRAGGBENCH_HOME` overrides it, for
 * portable use and for tests.
 */
export function dataFolder(environment: NodeJS.ProcessEnv = process.env, platform = process.platform): string {
  const own = environment['BRAGGBENCH_HOME'];
  if (own !== undefined && own !== '') return path.resolve(own);
  const home = homedir();
  switch (platform) {
    case 'win32':
      return path.join(environment['APPDATA'] ?? path.join(home, 'AppData', 'Roaming'), 'Braggbench');
    case 'darwin':
      return path.join(home, 'Library', 'Application Support', 'Braggbench');
    default:
      return path.join(environment['XDG_DATA_HOME'] ?? path.join(home, '.local', 'share'), 'braggbench');
  }
}

/** Path of the file after resolving symbolic links, if it is below `folder`. Null if it is outside. */
export async function resolveInsideFolder(folder: string, file: string): Promise<string | null> {
  const wanted = resolve(folder, file);
  try {
    const [realFolder, realFile] = await Promise.all([realpath(folder), realpath(wanted)]);
    const way = relative(realFolder, realFile);
    return way.startsWith(`..${sep}`) || way === '..' || resolve(way) === way ? null : realFile;
  } catch {
    // Reading the file later reports that it is missing.
    return wanted;
  }
}

const statText = ({ mtimeMs, ctimeMs, size, ino }: Stats): string => `${mtimeMs} ${ctimeMs} ${size} ${ino}`;

/** Stamp of the file or folder at `where`; null if there is none. */
export async function changeStamp(where: string): Promise<string | null> {
  const found = await stat(where).catch(() => null);
  if (found === null) return null;
  const own = statText(found);
  if (!found.isDirectory()) return own;
  const stamps: string[] = [];
  for (const name of (await readdir(where)).sort()) {
    const one = await stat(path.join(where, name)).catch(() => null);
    stamps.push(`${name} ${one === null ? '' : statText(one)}`);
  }
  return [own, ...stamps].join('\n');
}
