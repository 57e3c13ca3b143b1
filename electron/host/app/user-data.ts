/**
 * Opens the user's data folder: log, settings, library, recent files, scratch folders and trust. Also removes leftovers
 * of killed processes.
 */
import path from 'node:path';
import type { Shell } from '../../contract/capabilities.ts';
import { FileAccess } from '../io/files/access.ts';
import { dataFolder } from '../io/files/folders.ts';
import { Library } from '../io/files/library.ts';
import { Locks, PROGRAM_FOLDER } from '../io/files/locks.ts';
import { ProcessFolders, removeFolderUnless } from '../io/files/owned-folder.ts';
import { HostSettings, RecentFiles } from '../io/files/state-file.ts';
import { deleteLeftoversOnce } from '../io/files/write-file.ts';
import { HostLog } from './log.ts';
import type { Recovery } from './recovery/recovery.ts';
import { Trust } from './user-kernels/trust.ts';

export interface UserDataOptions {
  /** Folder that contains `materials/` and `scenarios/`. */
  readonly assetsFolder: string;
  /** Folder with recent files and the library. By default the user's data folder. */
  readonly dataFolder?: string;
  readonly shell: Omit<Shell, 'libraryFolder' | 'remote'>;
}

export async function openUserData({ assetsFolder, dataFolder: named, shell }: UserDataOptions) {
  const data = named ?? dataFolder();
  // The command line prints its own messages.
  const log = new HostLog(shell.kind === 'none' ? null : path.join(data, 'logs'));
  const trouble = (reason: string): void => log.write('warning', reason);
  const locks = new Locks(data);
  const settings = await HostSettings.open(data, locks, trouble);
  const library = new Library(settings.values.libraryFolder ?? path.join(data, 'library'), [
    { folder: path.join(assetsFolder, 'scenarios'), below: '', endings: ['.json', '.yaml', '.yml'] },
    // The library does not list recorded sessions, because Compare lists them.
    { folder: path.join(assetsFolder, 'runs'), below: 'recorded/', endings: ['.h5'] },
  ]);
  const files = new FileAccess(library, locks);
  const recent = new RecentFiles(data, locks, trouble);
  const scratch = new ProcessFolders(path.join(data, 'scratch'));
  const trust = await Trust.open(data, locks, trouble);
  return { data, log, trouble, locks, settings, library, files, recent, scratch, trust };
}
export type UserData = Awaited<ReturnType<typeof openUserData>>;

/** Deletes leftovers of killed processes: partial files, results that did not fit into memory, and empty folders. */
export async function deleteLeftovers(
  data: string,
  library: string,
  scratch: ProcessFolders,
  recovery: Recovery,
): Promise<void> {
  const ofOwners = ['recovery', 'scratch'].map((name) => path.join(data, name));
  for (const folder of [data, library, path.join(library, PROGRAM_FOLDER), ...ofOwners])
    await deleteLeftoversOnce(folder);
  for (const folder of await scratch.orphans()) await removeFolderUnless(folder, () => false);
  await recovery.sweep();
}
