/**
 * Live what-if: a scenario is solved again with every edit. A page opens the stream, asks as it goes, and is answered
 * with whole readouts; of questions that come while one is solved only the last is solved too.
 */
import { z } from 'zod';
import { issueSchema, wireErrorSchema } from '../../errors.ts';
import { axisNameSchema, fieldMapSchema } from '../../fields.ts';
import { fileRefSchema } from '../../files.ts';
import {
  depthDoseSchema,
  ledgerTableSchema,
  mapRequestSchema,
  momentsSchema,
  runIdSchema,
  runSummarySchema,
} from '../../run.ts';
import { resolvedSchema } from '../../scenarios.ts';
import { type ScenarioDraft, scenarioDraftSchema } from '../draft.ts';
import { kindOfDocument } from '../kinds.ts';

/** Whether Live solves documents of this kind. */
export function isForLive(document: ScenarioDraft): boolean {
  return kindOfDocument(document) === 'transport';
}

/** Named by the page that opens it; unlike any other of the same host. */
const whatIfSessionSchema = z.string().regex(/^[\w-]{8,64}$/);

/** Grows with every question of a session. */
const sequence = z.number().int().nonnegative();

/** Variant, device and grid used to solve a question. */
const whatIfWaySchema = z.strictObject({
  variant: z.string(),
  device: z.string(),
  stepping: z.enum(['path', 'depth']),
  /** Cells of the scenario in one of these, along x, z and the angle; 1 each: the grid of the scenario. */
  coarser: z.strictObject({ x: z.number(), z: z.number(), theta: z.number() }),
  dx_mm: z.number(),
  dz_mm: z.number(),
  dtheta_mrad: z.number(),
});
export type WhatIfWay = Readonly<z.infer<typeof whatIfWaySchema>>;

const whatIfAnswerSchema = z.strictObject({
  state: z.literal('answer'),
  sequence,
  /** The run that holds the last answer as long as the session is open: calls about runs take it. */
  run: runIdSchema,
  /** Solved as Run solves it. */
  full: z.boolean(),
  way: whatIfWaySchema,
  /** From the question's turn to the frame, and of that the solver. */
  total_ms: z.number(),
  solve_ms: z.number(),
  resolved: resolvedSchema,
  depthDose: depthDoseSchema,
  summary: runSummarySchema,
  moments: momentsSchema,
  ledger: ledgerTableSchema,
  keyframes: z.array(z.strictObject({ step: z.number().int(), depth_mm: z.number() })),
  pairs: z.array(z.tuple([axisNameSchema, axisNameSchema])),
  /** In the order of the question; a map that cannot be made says why. */
  maps: z.array(z.union([z.strictObject({ field: fieldMapSchema }), z.strictObject({ reason: z.string() })])),
});
export type WhatIfAnswer = Readonly<z.infer<typeof whatIfAnswerSchema>>;

const whatIfFrameSchema = z.discriminatedUnion('state', [
  /** Something else has the device; the question is solved after it. */
  z.strictObject({ state: z.literal('waiting'), sequence }),
  whatIfAnswerSchema,
  /** The scenario cannot be solved as written; the previous answer remains valid. */
  z.strictObject({
    state: z.literal('refused'),
    sequence,
    error: wireErrorSchema,
    issues: z.array(issueSchema),
  }),
]);
export type WhatIfFrame = Readonly<z.infer<typeof whatIfFrameSchema>>;

export const whatIfMethods = {
  /** Takes the place of a question that waits. Returns at once. Throws `not-found` without an open stream. */
  'whatIf.ask': {
    params: z.strictObject({
      session: whatIfSessionSchema,
      sequence,
      scenario: scenarioDraftSchema,
      file: fileRefSchema.nullable().default(null),
      name: z.string().max(255),
      /** The hand rests: as Run solves it. It gives way to the next question. */
      full: z.boolean(),
      /** Maps of the dose to send with the answer. */
      maps: z.array(mapRequestSchema).max(16),
    }),
    result: z.strictObject({}),
  },
} as const;

export const whatIfStreams = {
  /** One session. Closing the stream ends it, and what it solves. It ends with an error when the device is lost. */
  whatIf: {
    params: z.strictObject({ session: whatIfSessionSchema }),
    frame: whatIfFrameSchema,
    policy: 'latest',
  },
} as const;
