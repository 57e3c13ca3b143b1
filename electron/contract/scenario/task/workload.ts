/**
 * Contract that all small measured workloads share. A scenario has a flat problem, a seed for synthetic inputs, and a
 * variant. If a workload has several benchmarks, `problem.kind` selects one.
 */
import { z } from 'zod';
import { count, editorShape, namingShape, variantName } from '../common-fields.ts';
import { type ContractWorkload, resolvedShape } from '../workload.ts';

export function taskProgressSchema<K extends string>(kind: K) {
  return z.strictObject({
    workload: z.literal(kind),
    /** Current phase for display, such as first runs or rounds. */
    phase: z.string(),
    /** Label of the variant or program being measured; empty before the first. */
    what: z.string(),
    round: z.number().int().nonnegative(),
    /** Upper limit on the number of rounds. */
    rounds: z.number().int().nonnegative(),
  });
}

export function taskResolvedSchema<K extends string>(kind: K) {
  return z.strictObject({
    kind: z.literal(kind),
    ...resolvedShape,
    /** Name and description of the benchmark, for a workload with several. */
    bench: z.string(),
    title: z.string(),
    /** Number of variants that this machine can run. */
    available: z.number().int(),
  });
}

type TaskWorkloadParts = Pick<ContractWorkload, 'title' | 'standIns' | 'fresh' | 'sweepExample'>;

/** Creates a workload from its kind, its schema and the fields of a new document. */
export function taskWorkload<const K extends string, S extends z.ZodType>(
  own: TaskWorkloadParts & { kind: K; schema: S },
) {
  return {
    ...own,
    runs: 'measurements',
    version: 1,
    migrations: {},
    progress: taskProgressSchema(own.kind),
    resolved: taskResolvedSchema(own.kind),
    exports: [
      { id: 'table', title: 'Variants (CSV)' },
      { id: 'run', title: 'Everything (JSON)' },
    ],
    runEnding: '.task.json',
  } as const satisfies ContractWorkload;
}

const solverSchema = z.strictObject({
  variant: variantName('auto chooses the last variant of the ladder that this machine can run'),
  threads: count({ title: 'Threads', description: 'CPU threads. 0 uses every core.', min: 0, max: 1024 }).default(0),
});

/**
 * Creates the scenario schema. `more` contains additional keys of the document. `problem` is a flat object of numbers,
 * strings and booleans, or a union of such objects, distinguished by `kind`.
 */
export function taskSchema<
  K extends string,
  P extends z.ZodType,
  M extends z.core.$ZodLooseShape = Record<never, never>,
>(kind: K, title: string, about: string, problem: P, more: M = {} as M) {
  return z
    .strictObject({
      ...editorShape,
      kind: z.literal(kind).meta({ title: 'Kind', description: `The workload: ${about}.` }),
      version: z.literal(1).meta({ title: 'Version', description: 'Version of this file format.' }),
      ...namingShape,
      problem,
      ...more,
      seed: count({
        title: 'Seed',
        description: 'Seed of the synthetic inputs; equal seeds give equal inputs.',
        min: 1,
        max: 2_147_483_646,
      }).default(1),
      solver: solverSchema.prefault({}).meta({ title: 'Solver' }),
    })
    .meta({ title });
}

/** Problem parameter, passed to the engine by name. */
export type TaskValue = number | string | boolean;
