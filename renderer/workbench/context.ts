/**
 * Access of components to the workbench, its stores and its data. Further hooks return the scenario behind the plots,
 * and the host's responses about all sessions of the current workload.
 */
import { createContext, useCallback, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { type StoreApi, useStore } from 'zustand';
import { narrowResolvedScenario, type ResolvedScenario } from '../../electron/contract/scenarios.ts';
import type { Params, Result } from '../../electron/contract/wire/methods.ts';
import { type ArrayCache, SHOWN_KEY } from '../data/run-data.ts';
import { errorText } from '../state/notices.ts';
import type { Workbench } from './workbench.ts';

export const WorkbenchContext = createContext<Workbench | null>(null);

export function useWorkbench(): Workbench {
  const workbench = useContext(WorkbenchContext);
  if (workbench === null) throw new Error('this component is outside the workbench');
  return workbench;
}

/** Part of a store's state; the component renders again if that part changes. */
export function useSelected<S, T>(store: StoreApi<S>, select: (state: S) => T): T {
  return useStore(store, select);
}

/**
 * An entry of the array cache, for display as text. Canvases subscribe to the cache themselves and paint outside React.
 */
export function useCached<T>(cache: ArrayCache<T>, streamId: string): T | null {
  const subscribe = useCallback((listener: () => void) => cache.subscribe(streamId, listener), [cache, streamId]);
  return useSyncExternalStore(subscribe, () => cache.get(streamId));
}

/** Resolved scenario of the shown run or, if there is none, of the form; null for another kind. */
export function shownScenario<K extends ResolvedScenario['kind']>(
  kind: K,
  { data, stores }: Pick<Workbench, 'data' | 'stores'>,
): Extract<ResolvedScenario, { kind: K }> | null {
  const shown =
    stores.selection.getState().run === null
      ? stores.scenario.getState().lastResolved
      : (data.reference.get(SHOWN_KEY)?.resolved ?? null);
  return narrowResolvedScenario(kind, shown);
}

interface SessionsAnswer<T> {
  /** Null if no response has arrived. */
  readonly answer: T | null;
  readonly failure: string | null;
  readonly reload: () => void;
}

/** The request is repeated if a session ended or was opened, but not while one is running. */
export function useSessionsAnswer<M extends 'bench.history' | 'bench.decisions'>(method: M): SessionsAnswer<Result<M>> {
  const { client, stores } = useWorkbench();
  const workload = useSelected(stores.comparison, (state) => state.workload);
  const live = useSelected(stores.comparison, (state) => state.live);
  const stored = useSelected(stores.comparison, (state) => state.stored);
  const [answer, setAnswer] = useState<Result<M> | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const known = [...live.filter(({ state }) => state !== 'queued' && state !== 'running'), ...stored];
  const requested = JSON.stringify([workload, known.map(({ id }) => id)]);
  const reload = useCallback(() => {
    let current = true;
    const [of] = JSON.parse(requested) as [typeof workload];
    client.call(method, { workload: of } as Params<M>).then(
      (told) => {
        if (!current) return;
        setAnswer(told);
        setFailure(null);
      },
      (error: unknown) => current && setFailure(errorText(error)),
    );
    return () => {
      current = false;
    };
  }, [client, method, requested]);
  useEffect(reload, [reload]);
  return { answer, failure, reload };
}
