/** Comparison of runs of small measured workloads: each run is a session of its own. */
import type { ComparedRuns } from '../compared.ts';
import type { AnyRunData } from '../run-data.ts';

export const comparedTasks: ComparedRuns = {
  kind: 'sessions',
  session: (run: AnyRunData) => {
    if ('session' in run) return run.session;
    throw new Error(`a run of ${run.workload} came to the small workloads`);
  },
};
