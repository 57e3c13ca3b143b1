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
  /** Sends the list of all runs, at first and whenever a run changes its state. */
  runs: {
    params: z.strictObject({}),
    frame: z.strictObject({ runs: z.array(runInfoSchema) }),
    policy: 'latest',
  },
  /** Sends the progress of a run. Ends after the frame with the final state. */
  'run.progress': {
    params: z.strictObject({ run: runIdSchema }),
    frame: runProgressSchema,
    policy: 'latest',
  },
  /** Sends dose and projected proton maps during a run, reduced to the requested pixels. Ends with the run. */
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
   * Computes maps of an ended run that were not saved, by repeating steps from a saved one. The last frame contains the
   * maps. Closing the stream cancels the computation.
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
  /** Sends log entries for the user, starting with the last hundred. */
  'host.log': {
    params: z.strictObject({}),
    frame: logEntrySchema,
    policy: 'lossless',
  },
  ...benchStreams,
  /**
   * Sends the build state of the solver, at first and after each change. Ends when solver and GPU kernels are complete.
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
