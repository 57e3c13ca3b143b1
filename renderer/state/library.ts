/** Files that were used last, for menus and dialogs. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { NamedFile } from '../../electron/contract/files.ts';
import type { Material } from '../../electron/contract/scenarios.ts';

interface LibraryState {
  readonly recent: readonly NamedFile[];
  readonly materials: readonly Material[];
}

export type LibraryStore = StoreApi<LibraryState>;

export function createLibraryStore(): LibraryStore {
  return createStore<LibraryState>(() => ({ recent: [], materials: [] }));
}
