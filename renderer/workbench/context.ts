/** Access of components to the workbench, its stores and its data. */
import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import { type StoreApi, useStore } from 'zustand';
import type { ArrayCache } from '../data/array-cache.ts';
import type { Workbench } from './workbench.ts';

export const WorkbenchContext = createContext<Workbench | null>(null);

export function useWorkbench(): Workbench {
  const workbench = useContext(WorkbenchContext);
  if (workbench === null) throw new Error('this component stands outside the workbench');
  return workbench;
}

/** A part of a store's state; the component renders again when that part changes. */
export function useSelected<S, T>(store: StoreApi<S>, select: (state: S) => T): T {
  return useStore(store, select);
}

/**
 * An entry of the array cache, for what is shown as text. Canvases subscribe
 * to the cache themselves and paint outside React.
 */
export function useCached<T>(cache: ArrayCache<T>, streamId: string): T | null {
  const subscribe = useCallback((listener: () => void) => cache.subscribe(streamId, listener), [cache, streamId]);
  return useSyncExternalStore(subscribe, () => cache.get(streamId));
}
