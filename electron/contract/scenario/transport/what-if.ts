/**
 * Live mode, which solves a scenario again after every edit. The page opens the stream, submits requests, and receives
 * complete results. If several requests arrive during a computation, only the last of them is solved.
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

/** Whether Live mode supports documents of this kind. */
export function supportsLive(document: ScenarioDraft): boolean {
  return kindOfDocument(document) === 'transport';
}

/** Id that the page chooses for its Live session; unique within the host. */
const whatIfSessionSchema = z.string().regex(/^[\w-]{8,64}$/);

/** Request number, which increases within a session. */
const sequenceSchema = z.number().int().nonnegative();

/** Variant, device and grid with which a request was solved. */
const whatIfMethodSchema = z.strictObject({
  variant: z.string(),
  device: z.string(),
  stepping: z.enum(['path', 'depth']),
  /** Ratios of cell size to the scenario's cell size, along x, z and the angle; all 1 on the full grid. */
  coarser: z.strictObject({ x: z.number(), z: z.number(), theta: z.number() }),
  dx_mm: z.number(),
  dz_mm: z.number(),
  dtheta_mrad: z.number(),
});
export type WhatIfMethod = Readonly<z.infer<typeof whatIfMethodSchema>>;

const whatIfAnswerSchema = z.strictObject({
  state: z.literal('answer'),
  sequence: sequenceSchema,
  /** Run that contains the latest answer. Calls about runs accept its id as long as the session is open. */
  run: runIdSchema,
  /** Whether the scenario's full grid was used, as in an ordinary run. */
  full: z.boolean(),
  way: whatIfMethodSchema,
  /** Time from the start of the request until the frame was sent, and the solver's part of it. */
  total_ms: z.number(),
  solve_ms: z.number(),
  resolved: resolvedSchema,
  depthDose: depthDoseSchema,
  summary: runSummarySchema,
  moments: momentsSchema,
  ledger: ledgerTableSchema,
  keyframes: z.array(z.strictObject({ step: z.number().int(), depth_mm: z.number() })),
  pairs: z.array(z.tuple([axisNameSchema, axisNameSchema])),
  /** Maps in the order of the request; if a map cannot be computed, the reason. */
  maps: z.array(z.union([z.strictObject({ field: fieldMapSchema }), z.strictObject({ reason: z.string() })])),
});
export type WhatIfAnswer = Readonly<z.infer<typeof whatIfAnswerSchema>>;

const whatIfFrameSchema = z.discriminatedUnion('state', [
  /** The request waits, because another task uses the device. */
  z.strictObject({ state: z.literal('waiting'), sequence: sequenceSchema }),
  whatIfAnswerSchema,
  /** The scenario cannot be solved. The previous answer remains valid. */
  z.strictObject({
    state: z.literal('refused'),
    sequence: sequenceSchema,
    error: wireErrorSchema,
    issues: z.array(issueSchema),
  }),
]);
export type WhatIfFrame = Readonly<z.infer<typeof whatIfFrameSchema>>;

export const whatIfMethods = {
  /**
   * Submits a request and returns at once. A request that is still waiting is replaced. Throws `not-found` if the
   * stream is not open.
   */
  'whatIf.ask': {
    params: z.strictObject({
      session: whatIfSessionSchema,
      sequence: sequenceSchema,
      scenario: scenarioDraftSchema,
      file: fileRefSchema.nullable().default(null),
      name: z.string().max(255),
      /** Document as saved in the file, if the form has edits. The answer is then named after the edits. */
      saved: scenarioDraftSchema.nullable().default(null),
      /** Whether to use the full grid, as after a pause in editing. The next request interrupts the computation. */
      full: z.boolean(),
      /** Maps to send with the answer. */
      maps: z.array(mapRequestSchema).max(16),
    }),
    result: z.strictObject({}),
  },
} as const;

export const whatIfStreams = {
  /**
   * Opens a Live session and sends its answers. Closing the stream ends the session. If the device is lost, the stream
   * ends with an error.
   */
  whatIf: {
    params: z.strictObject({ session: whatIfSessionSchema }),
    frame: whatIfFrameSchema,
    policy: 'latest',
  },
} as const;
