/** Calls about runs of small measured workloads, and about stored ones. */

import { TASK_SESSION_FORMAT } from '../../../contract/bench/task-bench.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { StoredTask } from '../../../contract/task.ts';
import type { ClaimCatalogue } from '../../model/bench/claims.ts';
import { withoutRecordings } from '../../workloads/task/session-file.ts';
import type { StoredSession, StoredSessions } from '../benches/stored.ts';
import type { Runs } from '../runs/runs.ts';
import type { Handlers } from '../service/service.ts';
import { withClaims } from '../sessions/index.ts';

export interface TaskHandlerParts {
  readonly runs: Runs;
  readonly stored: StoredSessions;
  readonly claims: ClaimCatalogue;
}

type TaskHandlers = Pick<Handlers, Extract<keyof Handlers, `task.${string}`>>;

function listed({ id, name, recorded, kept, outline }: StoredSession): readonly StoredTask[] {
  const [report] = kept.reports;
  if (kept.format !== TASK_SESSION_FORMAT || report === undefined || !('bench' in report)) return [];
  const { bench, scenario, machine } = report;
  const { workload, created, sweep } = outline;
  return [
    {
      ...{ id, name, recorded, workload, bench, scenario, created },
      machine: machine.gpu?.name ?? machine.cpu,
      sweep: sweep?.path ?? null,
    },
  ];
}

export function taskHandlers({ runs, stored, claims }: TaskHandlerParts): TaskHandlers {
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
      const kept = withClaims((await stored.get(id)).kept, { claims });
      if (kept.format === TASK_SESSION_FORMAT) return withoutRecordings(kept);
      throw new BraggError('unsupported', `${id} is no session of a small workload.`);
    },
  };
}
