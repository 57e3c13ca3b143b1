/**
 * Comparison of programming approaches by measured times in seconds. Approaches are array expressions, fused
 * expressions of a library, raw kernels in an array library, and compiled programs.
 */
import { z } from 'zod';
import { workloadSchema } from '../workload.ts';
import { count, intervalSchema, seconds } from './bench-session.ts';

/** Programming approaches, ordered from the least to the most programming effort. */
const approachSchema = z.enum(['loop', 'array', 'compiled-array', 'elementwise', 'raw', 'compiled']);
export type Approach = z.infer<typeof approachSchema>;
export const approaches = approachSchema.options;

export const approachTitles: Readonly<Record<Approach, string>> = {
  loop: 'Loops over array calls',
  array: 'Array expressions',
  'compiled-array': 'Array expressions, compiled at run time',
  elementwise: 'An elementwise kernel of a library',
  raw: 'A raw kernel in an array library',
  compiled: 'C++ and CUDA',
};

const approachOptionSchema = z.strictObject({
  way: approachSchema,
  /** Label of the program or variant in the session. */
  label: z.string(),
  title: z.string(),
  time_s: seconds,
  /** Fastest and slowest sample, seconds. */
  range: intervalSchema,
  samples: count,
  /** Number of instances, which are separately prepared states; 1 if the session does not record them. */
  instances: count,
  right: z.boolean(),
});
export type ApproachOption = Readonly<z.infer<typeof approachOptionSchema>>;

/** Smallest numbers of samples and instances that both compared programs need for a decision. */
export const minEvidence = { samples: 5, instances: 3 } as const;

/** Comparison of an approach with the correct one that needs the least programming effort. */
const approachComparisonSchema = z.strictObject({
  option: approachOptionSchema,
  /**
   * Time of the approach with the least effort, divided by the time of this one. `ratio_range` spans the ratios of
   * their extreme samples.
   */
  ratio: z.number(),
  ratio_range: intervalSchema,
  /**
   * `faster` or `slower`: the full range of the ratio differs from 1 by more than the session's margin. `too few`:
   * either side has too few samples or instances.
   */
  decided: z.enum(['faster', 'slower', 'overlap', 'too few']),
  /** Seconds saved per run; negative if this approach is slower. */
  saved_s: z.number(),
  /**
   * Number of runs that together save one hour of computing, which repays one hour of programming. Null if the approach
   * is not clearly faster.
   */
  runs_per_hour: z.number().nullable(),
});
export type ApproachComparison = Readonly<z.infer<typeof approachComparisonSchema>>;

/** Label of times that cover the end-to-end run of every program. */
export const END_TO_END_RUN = 'Warm end-to-end run';

const decisionSchema = z.strictObject({
  workload: workloadSchema,
  bench: z.string(),
  scenario: z.string(),
  /** Value of the swept parameter; null without a sweep. */
  at: z.string().nullable(),
  machine: z.string(),
  /** Name of the session file as lists show it. */
  file: z.string(),
  created: z.string(),
  /** Label of the times: `END_TO_END_RUN`, or the session's own label if end-to-end times are missing. */
  time: z.string(),
  /**
   * Fastest correct program of each approach, ordered by programming effort. If an approach has no correct program, a
   * wrong one is listed.
   */
  options: z.array(approachOptionSchema),
  /** Comparison of each correct option with the correct one that needs the least effort. */
  steps: z.array(approachComparisonSchema),
});
export type Decision = Readonly<z.infer<typeof decisionSchema>>;

export const decisionMethods = {
  /** Returns a decision for every session, current or stored, that measured more than one approach. */
  'bench.decisions': {
    params: z.strictObject({ workload: workloadSchema }),
    result: z.strictObject({ decisions: z.array(decisionSchema) }),
  },
} as const;
