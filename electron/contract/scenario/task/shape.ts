/**
 * Common fields of the scenarios of small measured workloads: a flat problem, a seed for synthetic inputs, a variant.
 * Kinds with several benchmarks select one by `problem.kind`.
 */
import { z } from 'zod';
import { editorShape, namingShape } from '../header.ts';
import { count } from '../quantity.ts';
import { variantName } from '../variant-name.ts';

const solverSchema = z.strictObject({
  variant: variantName('auto picks the last of the ladder that this machine can run'),
  threads: count({ title: 'Threads', description: 'CPU threads. 0 uses every core.', min: 0, max: 1024 }).default(0),
});

/** `more` are further keys of the document. `problem` is one object of numbers, words and switches, or a union of such by `kind`. */
export function taskSchema<
  K extends string,
  P extends z.ZodType,
  M extends z.core.$ZodLooseShape = Record<never, never>,
>(kind: K, title: string, about: string, problem: P, more: M = {} as M) {
  return z
    .strictObject({
      ...editorShape,
      kind: z.literal(kind).meta({ title: 'Kind', description: `The workload: ${about}.` }),
      version: z.literal(1).meta({ title: 'Version', description: 'Of this file format.' }),
      ...namingShape,
      problem,
      ...more,
      seed: count({
        title: 'Seed',
        description: 'Of made-up inputs; equal seeds give equal inputs.',
        min: 1,
        max: 2_147_483_646,
      }).default(1),
      solver: solverSchema.prefault({}).meta({ title: 'Solver' }),
    })
    .meta({ title });
}

/** Value that the host passes to the engine by name. */
export type TaskValue = number | string | boolean;
