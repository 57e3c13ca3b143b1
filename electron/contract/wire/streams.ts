/**
 * Streams of the contract: name → params, frame and policy.
 *
 * `latest`: a newer frame replaces an unsent one, which counts as dropped. `lossless`: all frames arrive in order; if
 * the reader falls behind by more than the byte limit, the stream ends with the error `overflow`.
 */
import { z } from 'zod';
import { volumeStreams } from '../beams/volume.ts';
import { benchStreams } from '../bench/benches.ts';
import { solverFrameSchema } from '../capabilities.ts';
import { libraryStreams } from '../files.ts';
import { imageStreams } from '../image.ts';
import { remoteStreams } from '../remote.ts';
import {
  cutsFrameSchema,
  liveFrameSchema,
  mapRequestSchema,
  runIdSchema,
  runInfoSchema,
  runProgressSchema,
} from '../run.ts';
import { refiningStreams } from '../scenario/diffraction/refining.ts';
import { whatIfStreams } from '../scenario/transport/what-if.ts';
import { shellEventSchema } from '../shell.ts';
import { timelinesFrameSchema } from '../timeline.ts';

export type StreamPolicy = 'latest' | 'lossless';

const logEntrySchema = z.strictObject({
  /** Time of the entry, ISO 8601. */
  time: z.string(),
  level: z.enum(['info', 'warning', 'error']),
  text: z.string(),
});
export type LogEntry = Readonly<z.infer<typeof logEntrySchema>>;

export const streams = {
  ...libraryStreams,
  /** Sends all runs at once, and again whenever one changes its state. */
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
   * Cuts of an ended run and sums that were not saved, which the host recomputes up to a saved step. The last frame
   * contains the maps; closing the stream cancels the computation.
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
  /**
   * Sends the current state at once, then each change. Ends once the complete solver and the GPU's kernels are
   * available.
   */
  solver: { params: z.strictObject({}), frame: solverFrameSchema, policy: 'latest' },
  ...whatIfStreams,
  ...refiningStreams,
  ...volumeStreams,
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
