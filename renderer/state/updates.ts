/** Whether newer versions are looked for at start, as the host keeps it. */
import { createStore, type StoreApi } from 'zustand/vanilla';

interface UpdatesState {
  readonly atStart: boolean;
}

export type UpdatesStore = StoreApi<UpdatesState>;

export function createUpdatesStore(): UpdatesStore {
  return createStore<UpdatesState>(() => ({ atStart: false }));
}
