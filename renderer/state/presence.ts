/** In how many other windows the file of the form is open. */
import { createStore, type StoreApi } from 'zustand/vanilla';

interface PresenceState {
  readonly others: number;
}

export type PresenceStore = StoreApi<PresenceState>;

export function createPresenceStore(): PresenceStore {
  return createStore<PresenceState>(() => ({ others: 0 }));
}
