/** Runs in files: the user's, and those that came with the program. */
import type { FileRef } from '../../electron/contract/files.ts';
import type { LibraryItem, LibraryPlace } from '../../electron/contract/library.ts';
import type { Client } from '../client/index.ts';

export type StoredRun = LibraryItem & { readonly file: FileRef };

/** More than a list is read through: the library's panel searches all. */
const MOST_LISTED = 200;

/** Those that can be read, the newest first. Throws what the host answers. */
export async function storedRuns(client: Client, place: Exclude<LibraryPlace, 'trash'>): Promise<readonly StoredRun[]> {
  const query = { place, text: '', kind: 'run', tag: null, order: 'newest', limit: MOST_LISTED } as const;
  const { items } = await client.call('library.search', query);
  return items.flatMap((item) => (item.file === null || item.problem !== null ? [] : [{ ...item, file: item.file }]));
}
