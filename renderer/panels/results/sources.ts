/** What the panel can show: the selected run, and sessions that are kept. */
import { useEffect, useState } from 'react';
import type { Session } from '../../../electron/contract/bench/session.ts';
import type { StoredTask } from '../../../electron/contract/task.ts';
import type { WorkloadName } from '../../../electron/contract/workload.ts';
import { errorText } from '../../state/notices.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

/** Kept sessions of a workload; read again when a run is saved. */
export function useStored(workload: WorkloadName): readonly StoredTask[] {
  const { client, stores } = useWorkbench();
  const [sessions, setSessions] = useState<readonly StoredTask[]>([]);
  const saved = useSelected(stores.runs, ({ runs }) => runs.filter(({ file }) => file !== null).length);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that was saved is a kept session
  useEffect(() => {
    let current = true;
    client.call('task.stored', { workload }).then(
      (answer) => current && setSessions(answer.sessions),
      () => current && setSessions([]),
    );
    return () => {
      current = false;
    };
  }, [client, workload, saved]);
  return sessions;
}

type Opened =
  | Readonly<{ kind: 'none' }>
  | Readonly<{ kind: 'session'; session: Session }>
  | Readonly<{ kind: 'failed'; reason: string }>;

export function useOpened(id: string | null): Opened {
  const { client } = useWorkbench();
  const [opened, setOpened] = useState<Opened>({ kind: 'none' });
  useEffect(() => {
    setOpened({ kind: 'none' });
    if (id === null) return;
    let current = true;
    client.call('task.open', { id }).then(
      (session) => current && setOpened({ kind: 'session', session }),
      (error: unknown) => current && setOpened({ kind: 'failed', reason: errorText(error) }),
    );
    return () => {
      current = false;
    };
  }, [client, id]);
  return opened;
}
