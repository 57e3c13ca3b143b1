/** Stored runs in files: the user's and the bundled ones. */
import type { FileRef, LibraryItem, LibraryPlace } from '../../electron/contract/files.ts';
import type { Client } from './client/client.ts';

export type StoredRun = LibraryItem & { readonly file: FileRef };

/** Maximum length of the list. The Library panel searches all runs, so a longer list is not needed. */
const MAX_LISTED = 200;

/** Readable runs, newest first. Throws the host's error. */
export async function storedRuns(client: Client, place: Exclude<LibraryPlace, 'trash'>): Promise<readonly StoredRun[]> {
  const query = { place, text: '', kind: 'run', tag: null, order: 'newest', limit: MAX_LISTED } as const;
  const { items } = await client.call('library.search', query);
  return items.flatMap((item) => (item.file === null || item.problem !== null ? [] : [{ ...item, file: item.file }]));
}
