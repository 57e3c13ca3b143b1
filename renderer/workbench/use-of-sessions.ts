/** The host's answer about all sessions of the current workload. */
import { useCallback, useEffect, useState } from 'react';
import type { Params, Result } from '../../electron/contract/wire/methods.ts';
import { errorText } from '../state/notices.ts';
import { useSelected, useWorkbench } from './context.ts';

interface OfSessions<T> {
  /** Null if no answer has arrived yet. */
  readonly answer: T | null;
  readonly failure: string | null;
  readonly ask: () => void;
}

/** Requested again when a session has ended or was opened, not while one runs. */
export function useOfSessions<M extends 'bench.history' | 'bench.decisions'>(method: M): OfSessions<Result<M>> {
  const { client, stores } = useWorkbench();
  const workload = useSelected(stores.comparison, (state) => state.workload);
  const live = useSelected(stores.comparison, (state) => state.live);
  const stored = useSelected(stores.comparison, (state) => state.stored);
  const [answer, setAnswer] = useState<Result<M> | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const known = [...live.filter(({ state }) => state !== 'queued' && state !== 'running'), ...stored];
  const asked = JSON.stringify([workload, known.map(({ id }) => id)]);
  const ask = useCallback(() => {
    let current = true;
    const [of] = JSON.parse(asked) as [typeof workload];
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
  }, [client, method, asked]);
  useEffect(ask, [ask]);
  return { answer, failure, ask };
}
