/** Benchmarks of small measured workloads kept in files, and time against a swept value. */
import {
  TASK_SESSION_FORMAT,
  type TaskFit,
  type TaskReport,
  type TaskSession,
  taskSessionSchema,
} from '../../../contract/bench/task-bench.ts';
import { isKeptAs, parseKept } from '../../model/bench/session-file.ts';
import { fitLine } from '../../model/bench/sweep.ts';

/** Throws BraggError 'foreign-file' that says what is wrong. */
export function parseTaskSession(text: string, path: string): TaskSession {
  return parseKept(text, path, [TASK_SESSION_FORMAT], taskSessionSchema);
}

/** For those who look at results only: spans are many times as much. */
export function withoutRecordings(session: TaskSession): TaskSession {
  return { ...session, reports: session.reports.map(({ recordings: _recordings, ...report }) => report) };
}

export function isTaskSession(text: string): boolean {
  return isKeptAs(text, TASK_SESSION_FORMAT);
}

/** `reports[i]` is of `values[i]`. */
export function taskFits(values: readonly number[], reports: readonly TaskReport[]): TaskFit[] {
  const labels = [...new Set(reports.flatMap(({ entries }) => entries.map(({ label }) => label)))];
  return labels.map((label) => {
    const points = reports.flatMap(({ entries }, i): TaskFit['points'] => {
      const entry = entries.find((one) => one.label === label);
      if (entry?.status !== 'measured') return [];
      return [{ value: values[i] ?? Number.NaN, time_s: entry.time_s, setup_s: entry.setup_s }];
    });
    const fit = points.length < 2 ? null : fitLine(points.map(({ value, time_s }) => ({ cells: value, time_s })));
    return { label, points, fixed_s: fit?.fixed_s ?? null, slope_s: fit?.slope_s_per_cell ?? null };
  });
}
