/** Table of published claims for the page: the subject of each claim, and what recorded sessions found. */
import { z } from 'zod';
import { workloadSchema } from '../workload.ts';
import { count, intervalSchema } from './bench-session.ts';
import { benchIdSchema } from './benches.ts';
import { claimShape } from './claims.ts';

/** Subject of a claim as its source states it; fields are null if the source does not state them. */
export const claimAboutSchema = z.strictObject({
  /** Subject of the number, such as kernels, launches or programs: `three kernels into one`. */
  what: z.string(),
  size: z.string().nullable(),
  /** GPU or class of GPUs; null if the source names none. */
  gpu: z.string().nullable(),
});

export const claimKindSchema = z.enum(['gain', 'cost', 'bound', 'yes-no']);

/** Verdict from `claims.ts`, or the reason why nothing was measured. */
const reportedVerdict = z.string();

/** Result of one session for a claim. */
const claimFindingSchema = z.strictObject({
  session: benchIdSchema,
  /** File below assets/runs. */
  file: z.string(),
  /** Index of the report in the session. */
  report: count,
  scenario: z.string(),
  machine: z.string(),
  /** Pair or variant that was measured, and what it isolates. */
  by: z.string(),
  what: z.string(),
  /** Null if not measured in this session. */
  value: z.number().nullable(),
  /** 95 % interval; null if there were too few rounds. */
  interval: intervalSchema.nullable(),
  /** Unit of the value: `×` for a speedup. */
  unit: z.string(),
  verdict: reportedVerdict,
  /** Value of the swept parameter; null without a sweep. */
  at: z.number().nullable(),
  /** Present if measured with the very program that the claim names. */
  rival: z.literal(true).optional(),
  /** Present if computed from problem sizes alone, so equal on every machine. */
  counted: z.literal(true).optional(),
  /** Present if measured at the size and under the conditions that the note states. */
  atNote: z.literal(true).optional(),
});
export type ClaimFinding = Readonly<z.infer<typeof claimFindingSchema>>;

/** Verdicts on a claim over the values of a swept parameter. */
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
          verdict: reportedVerdict,
        }),
      ),
      /** Summary of the verdicts: `as claimed from 4 to 8; more from 16 to 32`. */
      told: z.string(),
    }),
  ),
});
export type ClaimMap = Readonly<z.infer<typeof claimMapSchema>>;

/** Answer to a claim; `cannot-judge` and `not-measured` leave it undecided. */
const claimAnswerSchema = z.strictObject({
  word: z.enum(['true', 'true-when', 'not-true', 'cannot-judge', 'not-measured']),
  sentence: z.string(),
  /** Range of the values that decided it; empty if nothing was measured. */
  number: z.string(),
  /** Command that would decide the claim; null if it is decided or cannot be decided. */
  command: z.string().nullable(),
});
export type ClaimAnswer = Readonly<z.infer<typeof claimAnswerSchema>>;

const tableClaimSchema = z.strictObject({
  ...claimShape,
  workload: workloadSchema,
  /** Name of the benchmark if the workload has several; otherwise empty. */
  bench: z.string(),
  about: claimAboutSchema.nullable(),
  /** Unit of the claimed number: `×` for speedups. */
  unit: z.string(),
  /** Error or omission in the source. */
  remark: z.string().nullable(),
  /** Whether the note claims a gain, a cost, a hardware limit, or a yes-or-no fact. */
  kind: claimKindSchema,
  /** Answer from all sessions. */
  answer: claimAnswerSchema,
  /** Answers from the sessions of each machine separately. */
  cards: z.array(z.strictObject({ machine: z.string(), sessions: count, answer: claimAnswerSchema })),
  findings: z.array(claimFindingSchema),
  maps: z.array(claimMapSchema),
});
export type TableClaim = Readonly<z.infer<typeof tableClaimSchema>>;

const claimTableRowSchema = z.strictObject({
  /** Number of the row, from 1. */
  row: z.int().positive(),
  title: z.string(),
  source: z.string(),
  /** Scenario files, relative to assets/scenarios. */
  scenarios: z.array(z.string()),
  claims: z.array(tableClaimSchema),
});
export type ClaimTableRow = Readonly<z.infer<typeof claimTableRowSchema>>;

export const claimTableMethods = {
  /** Verdicts computed from the samples of the recorded sessions by the current rule. */
  'claims.table': {
    params: z.strictObject({}),
    result: z.strictObject({ rows: z.array(claimTableRowSchema) }),
  },
} as const;
