/** The own variants beside the scenario that is open. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { FileRef } from '../../electron/contract/files.ts';
import type { OwnVariantInfo } from '../../electron/contract/own.ts';

export interface OwnState {
  /** The scenario beside which they lie; null: the library's. */
  readonly beside: FileRef | null;
  readonly variants: readonly OwnVariantInfo[];
  /** Those that cannot be used, and why. */
  readonly troubles: readonly { readonly id: string; readonly message: string }[];
}

export type OwnStore = StoreApi<OwnState>;

export function createOwnStore(): OwnStore {
  return createStore<OwnState>(() => ({ beside: null, variants: [], troubles: [] }));
}
