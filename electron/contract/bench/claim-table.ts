/**
 * Published claims as the page's table shows them: the subject of each claim, and the findings of recorded sessions.
 */
import { z } from 'zod';
import { workloadSchema } from '../workload.ts';
import { count, intervalSchema } from './bench-session.ts';
import { benchIdSchema } from './benches.ts';
import { claimShape } from './claims.ts';

/** Subject of a claim, as its source describes it. A field is null if the source does not mention it. */
export const claimSubjectSchema = z.strictObject({
  /** Item that the claim is about, such as kernels, launches or programs; for example `three kernels into one`. */
  what: z.string(),
  size: z.string().nullable(),
  /** GPU or class of GPUs; null if the source names none. */
  gpu: z.string().nullable(),
});

export const claimKindSchema = z.enum(['gain', 'cost', 'bound', 'yes-no']);

/** Verdict as defined in `claims.ts`, or the reason why nothing was measured. */
const verdictTextSchema = z.string();

/** Result of one session for a claim. */
const claimFindingSchema = z.strictObject({
  session: benchIdSchema,
  /** Session file, relative to assets/runs. */
  file: z.string(),
  /** Index of the report in the session. */
  report: count,
  scenario: z.string(),
  machine: z.string(),
  /** Measured variant or pair of variants, and the effect that the pair isolates. */
  by: z.string(),
  what: z.string(),
  /** Null if not measured in this session. */
  value: z.number().nullable(),
  /** 95 % interval; null if there were too few rounds. */
  interval: intervalSchema.nullable(),
  /** Unit of the value; `×` for a speedup. */
  unit: z.string(),
  verdict: verdictTextSchema,
  /** Value of the swept parameter; null without a sweep. */
  at: z.number().nullable(),
  /** Present if the measured program is the one that the claim names. */
  rival: z.literal(true).optional(),
  /** Present if computed from problem sizes alone, and therefore the same on every machine. */
  counted: z.literal(true).optional(),
  /** Present if measured at the size and under the conditions that the source states. */
  atNote: z.literal(true).optional(),
});
export type ClaimFinding = Readonly<z.infer<typeof claimFindingSchema>>;

/** Verdicts on a claim, by value of a swept parameter. */
const claimMapSchema = z.strictObject({
  session: benchIdSchema,
  file: z.string(),
  scenario: z.string(),
  machine: z.string(),
  path: z.string(),
  series: z.array(
    z.strictObject({
      by: z.string(),
      unit: z.string(),
      points: z.array(
        z.strictObject({
          at: z.number(),
          value: z.number(),
          interval: intervalSchema.nullable(),
          verdict: verdictTextSchema,
        }),
      ),
      /** Summary of the verdicts: `as claimed from 4 to 8; more from 16 to 32`. */
      told: z.string(),
    }),
  ),
});
export type ClaimMap = Readonly<z.infer<typeof claimMapSchema>>;

/** Answer to the question whether a claim is true; `cannot-judge` and `not-measured` leave it open. */
const claimAnswerSchema = z.strictObject({
  word: z.enum(['true', 'true-when', 'not-true', 'cannot-judge', 'not-measured']),
  sentence: z.string(),
  /** Range of the measured values that decided the answer, as text; empty if nothing was measured. */
  number: z.string(),
  /** Command line that would decide the claim; null if it is decided already or cannot be decided. */
  command: z.string().nullable(),
});
export type ClaimAnswer = Readonly<z.infer<typeof claimAnswerSchema>>;

const tableClaimSchema = z.strictObject({
  ...claimShape,
  workload: workloadSchema,
  /** Name of the benchmark if the workload has several; otherwise empty. */
  bench: z.string(),
  about: claimSubjectSchema.nullable(),
  /** Unit of the claimed number; `×` for a speedup. */
  unit: z.string(),
  /** Error or omission in the claim's source; null if there is none. */
  remark: z.string().nullable(),
  /** Whether the source claims a gain, a cost, a hardware limit, or a fact that is true or false. */
  kind: claimKindSchema,
  /** Answer from all sessions together. */
  answer: claimAnswerSchema,
  /** Answer for each machine, from the sessions recorded on it. */
  cards: z.array(z.strictObject({ machine: z.string(), sessions: count, answer: claimAnswerSchema })),
  findings: z.array(claimFindingSchema),
  maps: z.array(claimMapSchema),
});
export type TableClaim = Readonly<z.infer<typeof tableClaimSchema>>;

const claimTableRowSchema = z.strictObject({
  /** Row number, starting at 1. */
  row: z.int().positive(),
  title: z.string(),
  source: z.string(),
  /** Scenario files, relative to assets/scenarios. */
  scenarios: z.array(z.string()),
  claims: z.array(tableClaimSchema),
});
export type ClaimTableRow = Readonly<z.infer<typeof claimTableRowSchema>>;

export const claimTableMethods = {
  /** Judges all claims again from the samples of the recorded sessions. */
  'claims.table': {
    params: z.strictObject({}),
    result: z.strictObject({ rows: z.array(claimTableRowSchema) }),
  },
} as const;
