/** The folder of the program's data for this user: recent files, recovery data, the library. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

/** Folders of the program's data and all that are made above them: drafts, labels and logs are no other user's to read. */
export const PRIVATE = { recursive: true, mode: 0o700 } as const;

/** Makes a private folder; returns the first one that was made, undefined where all are there. Rejects as the system does. */
export async function makePrivate(folder: string): Promise<string | undefined> {
  try {
    return await mkdir(folder, PRIVATE);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    // On a disk that can only be read Node reports that the folder does not exist; making the first one gives the reason.
    let missing = folder;
    while (!existsSync(path.dirname(missing))) missing = path.dirname(missing);
    await mkdir(missing, PRIVATE.mode);
    return mkdir(folder, PRIVATE);
  }
}

/** `BRAGGBENCH_HOME` overrides it, for portable use and for tests. */
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
