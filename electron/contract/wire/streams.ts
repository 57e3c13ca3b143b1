/**
 * Every stream of the contract: name → params, frame and policy.
 *
 * `latest`: a frame that was not sent yet is replaced by a newer one, and
 * counted as dropped. `lossless`: all frames arrive in order; a reader that
 * falls behind the byte bound loses the stream with the error `overflow`.
 */
import { z } from 'zod';
import { benchStreams } from '../bench/benches.ts';
import { solverFrameSchema } from '../capabilities.ts';
import { imageStreams } from '../image.ts';
import { libraryStreams } from '../library.ts';
import { runProgressSchema } from '../progress.ts';
import { remoteStreams } from '../remote.ts';
import { cutsFrameSchema, liveFrameSchema, mapRequestSchema, runIdSchema, runInfoSchema } from '../run.ts';
import { refiningStreams } from '../scenario/diffraction/refining.ts';
import { whatIfStreams } from '../scenario/transport/what-if.ts';
import { shellEventSchema } from '../shell.ts';
import { timelinesFrameSchema } from '../timeline.ts';

export type StreamPolicy = 'latest' | 'lossless';

const logEntrySchema = z.strictObject({
  /** ISO 8601. */
  time: z.string(),
  level: z.enum(['info', 'warning', 'error']),
  text: z.string(),
});
export type LogEntry = Readonly<z.infer<typeof logEntrySchema>>;

export const streams = {
  ...libraryStreams,
  /** All runs, whenever one of them changes its state; the present ones at once. */
  runs: {
    params: z.strictObject({}),
    frame: z.strictObject({ runs: z.array(runInfoSchema) }),
    policy: 'latest',
  },
  /** Ends after the frame with the final state. */
  'run.progress': {
    params: z.strictObject({ run: runIdSchema }),
    frame: runProgressSchema,
    policy: 'latest',
  },
  /** Dose and marginals during the run, reduced to the requested pixels. Ends with the run. */
  'run.live': {
    params: z.strictObject({
      run: runIdSchema,
      maps: z.array(mapRequestSchema).max(16),
      depthDose: z.boolean(),
    }),
    frame: liveFrameSchema,
    policy: 'latest',
  },
  /**
   * Cuts of an ended run, and sums that were not saved, recomputed up to a saved step. The last frame contains the
   * maps; closing the stream cancels the computation.
   */
  'run.cuts': {
    params: z.strictObject({
      run: runIdSchema,
      /** Index of the keyframe. */
      index: z.number().int().nonnegative(),
      maps: z.array(mapRequestSchema).min(1).max(16),
    }),
    frame: cutsFrameSchema,
    policy: 'latest',
  },
  ...imageStreams,
  /** Log entries of the host for the user, beginning with the last hundred. */
  'host.log': {
    params: z.strictObject({}),
    frame: logEntrySchema,
    policy: 'lossless',
  },
  ...benchStreams,
  /** The present state at once, then each change. Ends once the whole solver and the GPU's kernels are there. */
  solver: { params: z.strictObject({}), frame: solverFrameSchema, policy: 'latest' },
  ...whatIfStreams,
  ...refiningStreams,
  ...remoteStreams,
  timelines: { params: z.strictObject({}), frame: timelinesFrameSchema, policy: 'latest' },
  'shell.events': {
    params: z.strictObject({}),
    frame: shellEventSchema,
    policy: 'lossless',
  },
} as const satisfies Record<string, { params: z.ZodType; frame: z.ZodType; policy: StreamPolicy }>;

export type Streams = typeof streams;
export type StreamName = keyof Streams;
export type StreamParams<S extends StreamName> = Readonly<z.input<Streams[S]['params']>>;
export type StreamFrame<S extends StreamName> = Readonly<z.output<Streams[S]['frame']>>;

export function isStream(name: string): name is StreamName {
  return Object.hasOwn(streams, name);
}
