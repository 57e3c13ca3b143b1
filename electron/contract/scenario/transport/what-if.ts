/**
 * Live what-if: a scenario is solved again after every edit. A page opens the stream, sends requests, and receives
 * complete readouts. Of the requests that arrive while one is solved, only the last is solved.
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
import { kindOfDocument } from '../kinds.ts';
import { type ScenarioDraft, scenarioDraftSchema } from '../workload.ts';

/** Whether Live solves documents of this kind. */
export function isForLive(document: ScenarioDraft): boolean {
  return kindOfDocument(document) === 'transport';
}

/** Chosen by the page that opens the session; unique within the host. */
const whatIfSessionSchema = z.string().regex(/^[\w-]{8,64}$/);

/** Increases with every request of a session. */
const sequence = z.number().int().nonnegative();

/** Variant, device and grid that solved a request. */
const whatIfMethodSchema = z.strictObject({
  variant: z.string(),
  device: z.string(),
  stepping: z.enum(['path', 'depth']),
  /**
   * Factors by which the grid is coarser than the scenario's, along x, z and the angle; all 1 for the scenario's grid.
   */
  coarser: z.strictObject({ x: z.number(), z: z.number(), theta: z.number() }),
  dx_mm: z.number(),
  dz_mm: z.number(),
  dtheta_mrad: z.number(),
});
export type WhatIfMethod = Readonly<z.infer<typeof whatIfMethodSchema>>;

const whatIfAnswerSchema = z.strictObject({
  state: z.literal('answer'),
  sequence,
  /** Run with the latest answer, valid while the session is open; calls about runs accept it. */
  run: runIdSchema,
  /** Whether it was solved on the scenario's full grid, as by Run. */
  full: z.boolean(),
  way: whatIfMethodSchema,
  /** Time from the start of the request to the frame, and the solver's part of it. */
  total_ms: z.number(),
  solve_ms: z.number(),
  resolved: resolvedSchema,
  depthDose: depthDoseSchema,
  summary: runSummarySchema,
  moments: momentsSchema,
  ledger: ledgerTableSchema,
  keyframes: z.array(z.strictObject({ step: z.number().int(), depth_mm: z.number() })),
  pairs: z.array(z.tuple([axisNameSchema, axisNameSchema])),
  /** Maps in the order of the request; a map that cannot be computed has a reason. */
  maps: z.array(z.union([z.strictObject({ field: fieldMapSchema }), z.strictObject({ reason: z.string() })])),
});
export type WhatIfAnswer = Readonly<z.infer<typeof whatIfAnswerSchema>>;

const whatIfFrameSchema = z.discriminatedUnion('state', [
  /** Another task uses the device; the request is solved after it. */
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
  /** Submits a request, replacing one that waits. Returns at once. Throws `not-found` without an open stream. */
  'whatIf.ask': {
    params: z.strictObject({
      session: whatIfSessionSchema,
      sequence,
      scenario: scenarioDraftSchema,
      file: fileRefSchema.nullable().default(null),
      name: z.string().max(255),
      /** Document in the file, if the form has edits: the answer is then named after the changes. */
      saved: scenarioDraftSchema.nullable().default(null),
      /** Solve on the full grid, because editing has paused. The next request interrupts it. */
      full: z.boolean(),
      /** Maps of the dose to send with the answer. */
      maps: z.array(mapRequestSchema).max(16),
    }),
    result: z.strictObject({}),
  },
} as const;

export const whatIfStreams = {
  /**
   * Stream of one session. Closing it ends the session and its computation. It ends with an error if the device is
   * lost.
   */
  whatIf: {
    params: z.strictObject({ session: whatIfSessionSchema }),
    frame: whatIfFrameSchema,
    policy: 'latest',
  },
} as const;
