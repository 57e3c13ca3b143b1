/** Runs of small measured workloads as the page sees them: which variants were measured, and stored sessions. */
import { z } from 'zod';
import { taskSessionSchema } from './bench/task-bench.ts';
import { runIdSchema } from './run.ts';
import { workloadSchema } from './workload.ts';

/** The kinds whose runs are measurements. */
export const taskKinds = ['linear-relu', 'micro'] as const;
export type TaskKind = (typeof taskKinds)[number];
/** The same of every such kind, for tables by workload. */
export function eachTask<T>(of: (kind: TaskKind) => T): Readonly<Record<TaskKind, T>> {
  return Object.fromEntries(taskKinds.map((kind) => [kind, of(kind)])) as Record<TaskKind, T>;
}

export const isTaskKind = (name: string): name is TaskKind => taskKinds.some((kind) => kind === name);

type EachSchema<Kinds extends readonly TaskKind[], S extends Record<TaskKind, unknown>> = {
  [I in keyof Kinds]: S[Kinds[I]];
};

/** One schema for each kind, in their order; `S` says which, as a map cannot. */
export function eachTaskSchema<S extends Record<TaskKind, unknown>>(of: (kind: TaskKind) => unknown) {
  return taskKinds.map(of) as unknown as EachSchema<typeof taskKinds, S>;
}

export function taskProgressSchema<K extends TaskKind>(kind: K) {
  return z.strictObject({
    workload: z.literal(kind),
    /** First runs, then rounds. */
    phase: z.string(),
    /** What was measured. */
    what: z.string(),
    round: z.number().int().nonnegative(),
    /** The most that will be taken. */
    rounds: z.number().int().nonnegative(),
  });
}
export type TaskProgress<K extends TaskKind = TaskKind> = Readonly<z.infer<ReturnType<typeof taskProgressSchema<K>>>>;

/** A session that is kept in a file. */
export const storedTaskSchema = z.strictObject({
  id: z.string().min(1).max(300),
  name: z.string(),
  workload: z.string(),
  /** Benchmark of a workload that has several. */
  bench: z.string(),
  scenario: z.string(),
  machine: z.string(),
  /** ISO 8601. */
  created: z.string(),
  /** Came with the program. */
  recorded: z.boolean(),
  sweep: z.string().nullable(),
});
export type StoredTask = Readonly<z.infer<typeof storedTaskSchema>>;

export const taskMethods = {
  /** What a run measured. */
  'task.session': { params: z.strictObject({ run: runIdSchema }), result: taskSessionSchema },
  /** Kept sessions of a workload, the recorded ones first. */
  'task.stored': {
    params: z.strictObject({ workload: workloadSchema }),
    result: z.strictObject({ sessions: z.array(storedTaskSchema) }),
  },
  'task.open': { params: z.strictObject({ id: z.string().min(1).max(300) }), result: taskSessionSchema },
} as const;
