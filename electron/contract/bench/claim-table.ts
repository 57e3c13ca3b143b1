/** The table of published claims as the page asks for it: what each is about, and what recorded sessions say of it. */
import { z } from 'zod';
import { workloadSchema } from '../workload.ts';
import { count } from './bench-session.ts';
import { benchIdSchema } from './benches.ts';
import { claimShape } from './claims.ts';
import { intervalSchema } from './interval.ts';

/** Subject of a claim as its source states it; fields are null if the source does not state them. */
export const claimAboutSchema = z.strictObject({
  /** Number of kernels, launches or programs: `three kernels into one`. */
  what: z.string(),
  size: z.string().nullable(),
  /** A class of GPUs, or one; null where the source names none. */
  gpu: z.string().nullable(),
});

export const claimKindSchema = z.enum(['gain', 'cost', 'bound', 'yes-no']);

/** The verdicts of `claims.ts`, and why nothing was measured. */
const told = z.string();

/** One statement of a session about a claim. */
const claimFindingSchema = z.strictObject({
  session: benchIdSchema,
  /** File below assets/runs. */
  file: z.string(),
  /** Which report of the session. */
  report: count,
  scenario: z.string(),
  machine: z.string(),
  /** Pair or variant, and what it isolates. */
  by: z.string(),
  what: z.string(),
  /** Null if not measured in this session. */
  value: z.number().nullable(),
  /** 95 %; null for too few rounds. */
  interval: intervalSchema.nullable(),
  /** `×` of a gain. */
  unit: z.string(),
  verdict: told,
  /** Value of what the session sweeps; null without a sweep. */
  at: z.number().nullable(),
  /** By the program that the claim is about. */
  rival: z.literal(true).optional(),
  /** From the sizes of the problem alone: the same on every machine. */
  counted: z.literal(true).optional(),
  /** Measured at the size and under the conditions that the note states. */
  atNote: z.literal(true).optional(),
});
export type ClaimFinding = Readonly<z.infer<typeof claimFindingSchema>>;

/** A claim over the parameter that a session sweeps. */
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
        z.strictObject({ at: z.number(), value: z.number(), interval: intervalSchema.nullable(), verdict: told }),
      ),
      /** `as claimed from 4 to 8; more from 16 to 32`. */
      told: z.string(),
    }),
  ),
});
export type ClaimMap = Readonly<z.infer<typeof claimMapSchema>>;

/** The answer to a claim; `cannot-judge` and `not-measured` leave it open. */
const claimAnswerSchema = z.strictObject({
  word: z.enum(['true', 'true-when', 'not-true', 'cannot-judge', 'not-measured']),
  sentence: z.string(),
  /** Range of what decided it; empty where nothing was measured. */
  number: z.string(),
  /** Command that would decide the claim; null if it is decided or cannot be decided. */
  command: z.string().nullable(),
});
export type ClaimAnswer = Readonly<z.infer<typeof claimAnswerSchema>>;

const tableClaimSchema = z.strictObject({
  ...claimShape,
  workload: workloadSchema,
  /** Which benchmark of a workload that has several; empty otherwise. */
  bench: z.string(),
  about: claimAboutSchema.nullable(),
  /** Unit of the number that is claimed: `×` of gains. */
  unit: z.string(),
  /** Error or omission in the source. */
  remark: z.string().nullable(),
  /** Whether the note speaks of a gain, a cost, a bound of the hardware, or says yes or no. */
  kind: claimKindSchema,
  /** Over all sessions. */
  answer: claimAnswerSchema,
  /** By the sessions of each machine alone. */
  cards: z.array(z.strictObject({ machine: z.string(), sessions: count, answer: claimAnswerSchema })),
  findings: z.array(claimFindingSchema),
  maps: z.array(claimMapSchema),
});
export type TableClaim = Readonly<z.infer<typeof tableClaimSchema>>;

const claimTableRowSchema = z.strictObject({
  /** From 1. */
  row: z.int().positive(),
  title: z.string(),
  source: z.string(),
  /** Below assets/scenarios. */
  scenarios: z.array(z.string()),
  claims: z.array(tableClaimSchema),
});
export type ClaimTableRow = Readonly<z.infer<typeof claimTableRowSchema>>;

export const claimTableMethods = {
  /** Judged from the samples of the recorded sessions, by today's rule. */
  'claims.table': {
    params: z.strictObject({}),
    result: z.strictObject({ rows: z.array(claimTableRowSchema) }),
  },
} as const;
