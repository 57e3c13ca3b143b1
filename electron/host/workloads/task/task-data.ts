/** Ended run of a small measured workload: a session of rounds over its variants. */

import { isUnproven } from '../../../contract/bench/bench-session.ts';
import type { Session } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { TaskKind } from '../../../contract/scenario/kinds.ts';
import { isTaskKind } from '../../../contract/task.ts';
import type { RunContext } from '../run-context.ts';

interface TaskRun<K extends TaskKind> extends RunContext {
  readonly workload: K;
  readonly status: 'done' | 'cancelled';
  readonly error: null;
  /** Fastest correct variant. */
  readonly variant: string;
  readonly precision: string;
  readonly session: Session;
}

/** One member per kind, discriminated by its name. */
export type TaskRunData = { [K in TaskKind]: TaskRun<K> }[TaskKind];

/** Throws for a run of another workload. */
export function asTaskRun(run: { readonly workload: string; readonly name: string }): TaskRunData {
  if (isTaskKind(run.workload)) return run as TaskRunData;
  throw new BraggError('unsupported', `${run.name} is a run of ${run.workload}, not of a small workload.`);
}

/** Fastest correct variant, or else the first one; null if none was measured. */
export function bestOf({ reports }: Session) {
  const measured = (reports[0]?.entries ?? []).filter((entry) => entry.status === 'measured');
  const right = measured.filter(({ verdict }) => !isUnproven(verdict));
  return right.reduce<(typeof right)[number] | null>(
    (best, entry) => (best === null || entry.time_s < best.time_s ? entry : best),
    null,
  );
}

export function taskRunData<K extends TaskKind>(workload: K, context: RunContext, session: Session): TaskRun<K> {
  const best = bestOf(session);
  return {
    workload,
    ...context,
    status: session.reports.some(({ stopped }) => stopped === 'cancelled') ? 'cancelled' : 'done',
    error: null,
    variant: best?.label ?? 'none',
    precision: best?.precision ?? '',
    session,
  };
}
