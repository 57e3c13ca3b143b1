/** The answers of the tools, version 1: small, and of the same shape for every problem. Clients get them as JSON Schema. */
import { z } from 'zod';

const interval = z.strictObject({ low: z.number(), high: z.number() });
const ratio = z.strictObject({ value: z.number(), interval: interval.nullable() });
export type Speed = Readonly<z.infer<typeof ratio>>;
const nullableNumber = z.number().nullable();

export const problemSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  notes: z.string(),
  workload: z.string(),
  /** The kernel that candidates replace, and the first one of the climb. */
  kernel: z.string(),
  language: z.enum(['cpp', 'cu', 'py']),
  /** False: submissions are refused until the person starts the server with --trust. */
  trusted: z.boolean(),
});
export type Problem = Readonly<z.infer<typeof problemSchema>>;

export const problemsSchema = z.strictObject({
  version: z.literal(1),
  problems: z.array(problemSchema),
  /** Files that look like problems and cannot be used, with the reason. */
  unusable: z.array(z.strictObject({ file: z.string(), reason: z.string() })),
});

export const readProblemSchema = z.strictObject({
  version: z.literal(1),
  problem: problemSchema,
  /** The scenario as JSON text. */
  scenario: z.string(),
  /** Source of the reference kernel: a candidate defines the same function. */
  source: z.string(),
  /** The program that computes the expected answer; null if the engine does. */
  answer: z.strictObject({ file: z.string(), text: z.string() }).nullable(),
  rules: z.array(z.string()),
});

const compilerLine = z.strictObject({
  severity: z.enum(['error', 'warning']),
  line: nullableNumber,
  column: nullableNumber,
  message: z.string(),
});

/** `not compiled` and `crashed` have no time. */
const attemptVerdictSchema = z.enum(['correct', 'wrong', 'impossible', 'not checked', 'not compiled', 'crashed']);

export const attemptSchema = z.strictObject({
  version: z.literal(1),
  /** Number of the attempt, from 1 on. */
  attempt: z.number().int().positive(),
  /** Its source in the library. */
  file: z.string(),
  verdict: attemptVerdictSchema,
  /** Why, one sentence; null for a correct one. */
  reason: z.string().nullable(),
  /** Errors by name, with the limit of each. */
  errors: z.array(
    z.strictObject({ title: z.string(), value: nullableNumber, limit: nullableNumber, holds: z.boolean() }),
  ),
  /** The first value beyond the limit. */
  first_wrong: z
    .strictObject({ place: z.string(), index: z.number().int().nullable(), got: z.string(), expected: z.string() })
    .nullable(),
  /** Seconds of one repetition: the median. */
  time_s: nullableNumber,
  /** Times as fast as the reference, and as the best attempt before; above 1 is faster. */
  vs_reference: ratio.nullable(),
  vs_best: ratio.extend({ attempt: z.number().int() }).nullable(),
  /** From the session: faster, slower, same or undecided against the reference. */
  speed: z.enum(['faster', 'slower', 'same', 'undecided']).nullable(),
  roofline: z
    .strictObject({ share_of_memory: nullableNumber, share_of_arithmetic: nullableNumber, least_s: nullableNumber })
    .nullable(),
  limiter: z.string(),
  /** CUDA kernels only; null where the compiler does not report them. */
  resources: z
    .array(
      z.strictObject({
        kernel: z.string(),
        registers: z.number().int(),
        spill_bytes: z.number().int(),
        shared_bytes: z.number().int(),
      }),
    )
    .nullable(),
  compiler: z.array(compilerLine),
  /** Advice for settling the verdict, while undecided. */
  to_decide: z.string().nullable(),
  /** Lines against the attempt before, or against the reference for the first one. */
  diff: z.strictObject({ added: z.number().int(), removed: z.number().int() }),
  session: z.string().nullable(),
});
export type Attempt = Readonly<z.infer<typeof attemptSchema>>;

export const ladderSchema = z.strictObject({
  version: z.literal(1),
  problem: z.string(),
  /** The fastest of those that are certainly faster than the reference; null if there is none. */
  best: z.number().int().nullable(),
  attempts: z.array(
    attemptSchema.pick({
      attempt: true,
      file: true,
      verdict: true,
      reason: true,
      time_s: true,
      vs_reference: true,
      diff: true,
    }),
  ),
});
export type Ladder = Readonly<z.infer<typeof ladderSchema>>;

export const explainSchema = z.strictObject({
  version: z.literal(1),
  attempt: z.number().int(),
  limiter: z.string(),
  /** Seconds by part: the set-up of a state, and one repetition. */
  parts: z.array(z.strictObject({ name: z.string(), seconds: nullableNumber })),
  /** The session's own statements: audits, libraries, clocks. */
  facts: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  /** Why there are no counters; null if there are. */
  counters: z.string().nullable(),
});

export const claimsSchema = z.strictObject({
  version: z.literal(1),
  claims: z.array(z.strictObject({ id: z.string(), claim: z.string(), answer: z.string() })),
  /** Further ones that match. */
  left_out: z.number().int(),
});

export const sanitizedAttemptSchema = z.strictObject({
  version: z.literal(1),
  summary: z.string(),
  findings: z.array(
    z.strictObject({ what: z.string(), kernel: z.string().nullable(), line: z.number().int().nullable() }),
  ),
});
