/**
 * Messages on a Port: calls, streams and the connection that both belong to. Each message is one frame (frame.ts). The
 * host checks params and results against methods.ts and streams.ts; the envelope is checked here.
 */
import { z } from 'zod';
import { capabilitiesSchema } from '../capabilities.ts';
import { wireErrorSchema } from '../errors.ts';

export const PROTOCOL_VERSION = 3;

/** A number that one side counts up within a connection. */
const counter = z.number().int().nonnegative();

/** First message of the page; `resume` takes up a connection whose carrier was lost. */
const greet = z.strictObject({
  type: z.literal('greet'),
  protocol: z.number().int(),
  resume: z
    .strictObject({
      connection: z.string().max(64),
      /** Calls without an answer yet. */
      calls: z.array(counter).max(10_000),
      /** Open streams and how many of their frames arrived. */
      streams: z.array(z.strictObject({ stream: counter, received: counter })).max(1_000),
    })
    .nullable(),
});

export const clientMessageSchema = z.discriminatedUnion('type', [
  greet,
  z.strictObject({ type: z.literal('call'), id: counter, method: z.string().max(64), params: z.unknown() }),
  z.strictObject({ type: z.literal('cancel'), id: counter }),
  z.strictObject({
    type: z.literal('open'),
    stream: counter,
    name: z.string().max(64),
    params: z.unknown(),
    credits: z.number().int().min(1).max(1024),
  }),
  /**
   * The page has taken in (painted) frames: `received` in all since the stream
   * was opened. Cumulative, so that a message sent twice does no harm.
   */
  z.strictObject({ type: z.literal('credit'), stream: counter, received: counter }),
  z.strictObject({ type: z.literal('close'), stream: counter }),
  /** The page is going away: end the connection now instead of keeping it. */
  z.strictObject({ type: z.literal('leave') }),
]);
export type ClientMessage = z.infer<typeof clientMessageSchema>;

export const hostMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello'),
    protocol: z.number().int(),
    build: z.string(),
    connection: z.string(),
    /** False if the connection to resume no longer exists: the page starts over. */
    resumed: z.boolean(),
    /** Calls in `resume` that never reached the host: send them again. */
    unknownCalls: z.array(counter),
    /** Streams in `resume` that never reached the host: open them again. */
    unknownStreams: z.array(counter),
    capabilities: capabilitiesSchema,
  }),
  /** The page speaks another protocol version, or no connection could be made. */
  z.strictObject({ type: z.literal('refused'), protocol: z.number().int(), error: wireErrorSchema }),
  z.strictObject({ type: z.literal('result'), id: counter, value: z.unknown() }),
  z.strictObject({ type: z.literal('cancelled'), id: counter }),
  z.strictObject({ type: z.literal('error'), id: counter, error: wireErrorSchema }),
  z.strictObject({
    type: z.literal('frame'),
    stream: counter,
    /** 1 for the first frame sent on this stream. */
    sequence: counter,
    /** Frames replaced before they were sent, in all since the stream was opened. */
    dropped: counter,
    value: z.unknown(),
  }),
  /** The stream is over; `error` null means that there is nothing more to come. */
  z.strictObject({ type: z.literal('end'), stream: counter, error: wireErrorSchema.nullable() }),
]);
export type HostMessage = z.infer<typeof hostMessageSchema>;

/** The answer of a call that may be cancelled: being cancelled is a result, not an error. */
export type Outcome<T> = Readonly<{ status: 'done'; value: T }> | Readonly<{ status: 'cancelled' }>;
