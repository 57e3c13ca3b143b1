/**
 * Choice of a programming approach from measured sessions: array expressions, a library's fused expression, a raw
 * kernel in an array library, or a compiled program. Times are in seconds.
 */
import { z } from 'zod';
import { workloadSchema } from '../workload.ts';
import { count, intervalSchema, seconds } from './bench-session.ts';

/** Approaches in order of programming effort, least first. */
const approachSchema = z.enum(['loop', 'array', 'compiled-array', 'elementwise', 'raw', 'compiled']);
export type Approach = z.infer<typeof approachSchema>;
export const approaches = approachSchema.options;

export const approachTitles: Readonly<Record<Approach, string>> = {
  loop: 'Loops over array calls',
  array: 'Array expressions',
  'compiled-array': 'Array expressions, compiled as they run',
  elementwise: 'An elementwise kernel of a library',
  raw: 'A raw kernel in an array library',
  compiled: 'C++ and CUDA',
};

const optionSchema = z.strictObject({
  way: approachSchema,
  /** Label of the program or variant in the session. */
  label: z.string(),
  title: z.string(),
  time_s: seconds,
  /** Lowest and highest sample, seconds. */
  range: intervalSchema,
  samples: count,
  /** Number of separately prepared states; 1 if the session does not record them. */
  instances: count,
  right: z.boolean(),
});
export type Option = Readonly<z.infer<typeof optionSchema>>;

/** Smallest numbers of samples and instances, on both sides, that count as evidence. */
export const minEvidence = { samples: 5, instances: 3 } as const;

/** Time that an approach saves over the correct one with the least programming effort. */
const stepSchema = z.strictObject({
  option: optionSchema,
  /**
   * Time of the approach with the least effort divided by the time of this one. The range combines the extreme samples
   * of both.
   */
  ratio: z.number(),
  ratio_range: intervalSchema,
  /**
   * `faster` or `slower` if the whole range of the ratio is on one side of 1, beyond the session's margin. `too few` if
   * either side has too few samples or instances, whatever the range.
   */
  decided: z.enum(['faster', 'slower', 'overlap', 'too few']),
  /** Seconds saved per run; negative if it is slower. */
  saved_s: z.number(),
  /** Number of runs that repay one hour of programming; null if it is not clearly faster. */
  runs_per_hour: z.number().nullable(),
});
export type Step = Readonly<z.infer<typeof stepSchema>>;

/** Label of the times if the end-to-end run of each program was timed. */
export const END_TO_END_RUN = 'Warm end-to-end run';

const decisionSchema = z.strictObject({
  workload: workloadSchema,
  bench: z.string(),
  scenario: z.string(),
  /** Value of the swept parameter; null without a sweep. */
  at: z.string().nullable(),
  machine: z.string(),
  /** Session file, as lists show it. */
  file: z.string(),
  created: z.string(),
  /** Label of the times: end-to-end runs, or the session's own label if a program's end-to-end run was not timed. */
  time: z.string(),
  /**
   * The fastest correct option of each approach, ordered by programming effort. Wrong options appear only if an
   * approach has no correct one.
   */
  options: z.array(optionSchema),
  /** Each correct option compared with the first correct one, which needs the least effort. */
  steps: z.array(stepSchema),
});
export type Decision = Readonly<z.infer<typeof decisionSchema>>;

export const decisionMethods = {
  /** Decisions from all sessions, current and stored, that measured more than one approach. */
  'bench.decisions': {
    params: z.strictObject({ workload: workloadSchema }),
    result: z.strictObject({ decisions: z.array(decisionSchema) }),
  },
} as const;
