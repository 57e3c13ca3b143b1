/**
 * Choosing a programming approach from measured sessions: array expressions, a library's fused expression, a raw kernel
 * given to an array library, or a compiled program. Seconds.
 */
import { z } from 'zod';
import { workloadSchema } from '../workload.ts';
import { count, seconds } from './bench-session.ts';
import { intervalSchema } from './interval.ts';

/** In the order of the work that they take, least first. */
const waySchema = z.enum(['loop', 'array', 'compiled-array', 'elementwise', 'raw', 'compiled']);
export type Way = z.infer<typeof waySchema>;
export const ways = waySchema.options;

export const wayTitles: Readonly<Record<Way, string>> = {
  loop: 'Loops over array calls',
  array: 'Array expressions',
  'compiled-array': 'Array expressions, compiled as they run',
  elementwise: 'An elementwise kernel of a library',
  raw: 'A raw kernel in an array library',
  compiled: 'C++ and CUDA',
};

const optionSchema = z.strictObject({
  way: waySchema,
  /** The program or variant, as the session calls it. */
  label: z.string(),
  title: z.string(),
  time_s: seconds,
  /** Lowest and highest sample. */
  range: intervalSchema,
  samples: count,
  /** Separately prepared states; 1 for a session that does not record them. */
  instances: count,
  right: z.boolean(),
});
export type Option = Readonly<z.infer<typeof optionSchema>>;

/** Fewer samples or instances of either way are no evidence. */
export const fewestEvidence = { samples: 5, instances: 3 } as const;

/** Saving of one approach over the correct one that needs the least work. */
const stepSchema = z.strictObject({
  option: optionSchema,
  /** Time of the least work over this one's; its range is from sample to sample, the worst cases of both. */
  ratio: z.number(),
  ratio_range: intervalSchema,
  /**
   * Faster and slower where the whole range of the ratio lies on one side of 1, and beyond the session's margin;
   * `too few` where samples or instances of either are no evidence, whatever their range.
   */
  decided: z.enum(['faster', 'slower', 'overlap', 'too few']),
  /** Per run; negative where it is slower. */
  saved_s: z.number(),
  /** Runs after which an hour of writing it is repaid; null where it is not decidedly faster. */
  runs_per_hour: z.number().nullable(),
});
export type Step = Readonly<z.infer<typeof stepSchema>>;

/** Label of the times if all end-to-end runs were timed. */
export const WHOLE_RUN = 'Warm end-to-end run';

const decisionSchema = z.strictObject({
  workload: workloadSchema,
  bench: z.string(),
  scenario: z.string(),
  /** The value of a sweep; null without one. */
  at: z.string().nullable(),
  machine: z.string(),
  /** The session as lists call it. */
  file: z.string(),
  created: z.string(),
  /** Label of the times: end-to-end runs, or the session's own label if a program's end-to-end run was not timed. */
  time: z.string(),
  /**
   * The fastest correct option of each approach, ordered by programming effort. Wrong options appear only if an
   * approach has no correct one.
   */
  options: z.array(optionSchema),
  /** Each right one over the first right one, which takes the least work. */
  steps: z.array(stepSchema),
});
export type Decision = Readonly<z.infer<typeof decisionSchema>>;

export const decisionMethods = {
  /** Every session, this program's and stored ones, that measured more than one way. */
  'bench.decisions': {
    params: z.strictObject({ workload: workloadSchema }),
    result: z.strictObject({ decisions: z.array(decisionSchema) }),
  },
} as const;
