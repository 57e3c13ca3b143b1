/** The folder of the program's data for this user: recent files, recovery data, the library. */
import { homedir } from 'node:os';
import path from 'node:path';

/** Folders of the program's data and all that are made above them: drafts, labels and logs are no other user's to read. */
export const PRIVATE = { recursive: true, mode: 0o700 } as const;

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
