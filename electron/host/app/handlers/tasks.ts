/** Calls about runs of small measured workloads, and about stored ones. */

import { BraggError } from '../../../contract/errors.ts';
import { isTaskKind, type StoredTask } from '../../../contract/task.ts';
import type { StoredSession, StoredSessions } from '../benches/stored.ts';
import type { Runs } from '../runs/runs.ts';
import type { Handlers } from '../service/service.ts';
import { withoutRecordings } from '../sessions/index.ts';

interface TaskHandlerParts {
  readonly runs: Runs;
  readonly stored: StoredSessions;
}

type TaskHandlers = Pick<Handlers, Extract<keyof Handlers, `task.${string}`>>;

function listed({ id, name, recorded, outline }: StoredSession): readonly StoredTask[] {
  const { workload, created, sweep, reports } = outline;
  const [report] = reports;
  if (!isTaskKind(workload) || report === undefined) return [];
  const { bench, scenario, machine } = report;
  return [
    {
      ...{ id, name, recorded, workload, bench, scenario, created },
      machine: machine.gpu?.name ?? machine.cpu,
      sweep: sweep?.path ?? null,
    },
  ];
}

export function taskHandlers({ runs, stored }: TaskHandlerParts): TaskHandlers {
  return {
    'task.session': async ({ run }) => {
      const data = await runs.data(run);
      if ('session' in data) return withoutRecordings(data.session);
      throw new BraggError('unsupported', `${data.name} is a run of ${data.workload}: it has no measurements.`);
    },
    'task.stored': async ({ workload }) => {
      const all = (await stored.list()).filter((one) => one.outline.workload === workload);
      return { sessions: all.flatMap(listed).sort((a, b) => Number(b.recorded) - Number(a.recorded)) };
    },
    'task.open': async ({ id }) => {
      const session = await (await stored.get(id)).session();
      if (isTaskKind(session.workload)) return session;
      throw new BraggError('unsupported', `${id} is no session of a small workload.`);
    },
  };
}
