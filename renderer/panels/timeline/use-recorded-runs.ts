/** Runs with timelines that came with the program: recorded on GPUs, to be looked at without one. */
import { useEffect, useState } from 'react';
import { type StoredRun, storedRuns } from '../../data/stored-runs.ts';
import { useWorkbench } from '../../workbench/context.ts';

/** None until they are listed, and where they cannot be. */
export function useRecordedRuns(): readonly StoredRun[] {
  const { client } = useWorkbench();
  const [runs, setRuns] = useState<readonly StoredRun[]>([]);
  useEffect(() => {
    let current = true;
    storedRuns(client, 'examples').then(
      (found) => current && setRuns(found),
      // The panel serves without them; the library says what is wrong with it.
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [client]);
  return runs;
}
