/** Recent files, materials and examples, for menus, forms and dialogs. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { LibraryItem, NamedFile } from '../../electron/contract/files.ts';
import type { Material } from '../../electron/contract/scenarios.ts';

interface LibraryState {
  readonly recent: readonly NamedFile[];
  readonly materials: readonly Material[];
  /** Empty until the palette has loaded them. */
  readonly examples: readonly LibraryItem[];
}

export type LibraryStore = StoreApi<LibraryState>;

export function createLibraryStore(): LibraryStore {
  return createStore<LibraryState>(() => ({ recent: [], materials: [], examples: [] }));
}
