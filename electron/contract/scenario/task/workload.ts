/** Contract shared by the small measured workloads. */
import { z } from 'zod';
import { type ContractWorkload, resolvedShape } from '../workload.ts';

export function taskProgressSchema<K extends string>(kind: K) {
  return z.strictObject({
    workload: z.literal(kind),
    /** First runs, then rounds. */
    phase: z.string(),
    /** Label of the variant or program being measured; empty before the first. */
    what: z.string(),
    round: z.number().int().nonnegative(),
    /** The most that will be taken. */
    rounds: z.number().int().nonnegative(),
  });
}

export function taskResolvedSchema<K extends string>(kind: K) {
  return z.strictObject({
    kind: z.literal(kind),
    ...resolvedShape,
    /** Which benchmark of a kind that has several, and what it is about. */
    bench: z.string(),
    title: z.string(),
    /** Variants that this machine can run. */
    available: z.number().int(),
  });
}

type OwnParts = Pick<ContractWorkload, 'title' | 'standIns' | 'fresh' | 'sweepExample'>;

/** A whole workload from its name, its schema and what a new document of it holds. */
export function taskWorkload<const K extends string, S extends z.ZodType>(own: OwnParts & { kind: K; schema: S }) {
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
