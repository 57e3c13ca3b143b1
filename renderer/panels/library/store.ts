/** What of the library is listed, kept per user. */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { libraryKindSchema, libraryPlaceSchema } from '../../../electron/contract/library.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const schema = z.strictObject({
  place: libraryPlaceSchema,
  kind: libraryKindSchema.nullable(),
  order: z.enum(['newest', 'name']),
});
type LibraryView = Readonly<z.infer<typeof schema>>;
export type LibraryViewStore = StoreApi<LibraryView>;

export function createLibraryViewStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): LibraryViewStore {
  const initial: LibraryView = { place: 'yours', kind: null, order: 'newest' };
  return createPersisted<LibraryView>({ storage, name: 'library', version: 1, schema, initial, onReset });
}
