/** Calls of the page for runs of small measured workloads: measurements of a run, and saved sessions. */
import { z } from 'zod';
import { sessionSchema } from './bench/session.ts';
import { runIdSchema } from './run.ts';
import { type TaskKind, taskKinds } from './scenario/kinds.ts';
import type { taskProgressSchema, taskResolvedSchema } from './scenario/task/workload.ts';
import { workloadSchema } from './workload.ts';

/** Creates a record with one value per kind of measured workload. */
export function recordByTaskKind<T>(of: (kind: TaskKind) => T): Readonly<Record<TaskKind, T>> {
  return Object.fromEntries(taskKinds.map((kind) => [kind, of(kind)])) as Record<TaskKind, T>;
}

export const isTaskKind = (name: string): name is TaskKind => taskKinds.some((kind) => kind === name);

export type TaskProgress<K extends TaskKind = TaskKind> = Readonly<z.infer<ReturnType<typeof taskProgressSchema<K>>>>;

export type ResolvedTask<K extends TaskKind = TaskKind> = Readonly<z.infer<ReturnType<typeof taskResolvedSchema<K>>>>;

/** A saved session. */
const storedTaskSchema = z.strictObject({
  id: z.string().min(1).max(300),
  name: z.string(),
  workload: z.string(),
  /** Name of the benchmark if the workload has several. */
  bench: z.string(),
  scenario: z.string(),
  machine: z.string(),
  /** Time of the session, ISO 8601. */
  created: z.string(),
  /** Whether the session came with the program. */
  recorded: z.boolean(),
  sweep: z.string().nullable(),
});
export type StoredTask = Readonly<z.infer<typeof storedTaskSchema>>;

export const taskMethods = {
  /** Returns the measurements of a run. */
  'task.session': { params: z.strictObject({ run: runIdSchema }), result: sessionSchema },
  /**
   * Lists the saved sessions of a workload. Those that came with the program are first, ordered by their number of
   * variants.
   */
  'task.stored': {
    params: z.strictObject({ workload: workloadSchema }),
    result: z.strictObject({ sessions: z.array(storedTaskSchema) }),
  },
  'task.open': { params: z.strictObject({ id: z.string().min(1).max(300) }), result: sessionSchema },
} as const;
