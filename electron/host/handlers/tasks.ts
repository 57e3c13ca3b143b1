/** Calls about runs of small measured workloads, and about stored ones. */
import { BraggError } from '../../contract/errors.ts';
import type { Runs } from '../runs/runs.ts';
import type { Handlers } from '../service/service.ts';
import type { StoredTasks } from '../workloads/task/stored.ts';

export interface TaskHandlerParts {
  readonly runs: Runs;
  readonly storedTasks: StoredTasks;
}

type TaskHandlers = Pick<Handlers, Extract<keyof Handlers, `task.${string}`>>;

export function taskHandlers({ runs, storedTasks }: TaskHandlerParts): TaskHandlers {
  return {
    'task.session': async ({ run }) => {
      const data = await runs.data(run);
      if ('session' in data) return data.session;
      throw new BraggError('unsupported', `${data.name} is a run of ${data.workload}: it has no measurements.`);
    },
    'task.stored': async ({ workload }) => ({ sessions: [...(await storedTasks.list(workload))] }),
    'task.open': async ({ id }) => storedTasks.get(id),
  };
}
