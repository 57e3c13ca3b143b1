/** Data of an ended run of a small measured workload, which is a session that measured its variants in rounds. */

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

/** Data of a run, discriminated by the name of its kind. */
export type TaskRunData = { [K in TaskKind]: TaskRun<K> }[TaskKind];

/** Returns the run if it belongs to a small measured workload. Throws otherwise. */
export function requireTaskRun(run: { readonly workload: string; readonly name: string }): TaskRunData {
  if (isTaskKind(run.workload)) return run as TaskRunData;
  throw new BraggError('unsupported', `${run.name} is a run of ${run.workload}, not of a small workload.`);
}

/** Returns the fastest correct variant, or the first one if none is correct. Null if none was measured. */
export function bestEntryOf({ reports }: Session) {
  const measured = (reports[0]?.entries ?? []).filter((entry) => entry.status === 'measured');
  const right = measured.filter(({ verdict }) => !isUnproven(verdict));
  return right.reduce<(typeof right)[number] | null>(
    (best, entry) => (best === null || entry.time_s < best.time_s ? entry : best),
    null,
  );
}

export function taskRunData<K extends TaskKind>(workload: K, context: RunContext, session: Session): TaskRun<K> {
  const best = bestEntryOf(session);
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
