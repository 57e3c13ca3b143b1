/**
 * Messages on a Port, which transports complete frames in order between a page and a host. Each message is one frame
 * (frame.ts). Messages belong to calls, streams or the connection, and do not depend on the transport. The envelope is
 * checked here, parameters and results by methods.ts and streams.ts.
 */
import { z } from 'zod';
import { capabilitiesSchema } from '../capabilities.ts';
import { wireErrorSchema } from '../errors.ts';

export const PROTOCOL_VERSION = 3;

/** Number that one side increments for each new call or stream of a connection. */
const counterSchema = z.number().int().nonnegative();

/** First message of the page. With `resume`, it continues a connection whose transport was lost. */
const greetingSchema = z.strictObject({
  type: z.literal('greet'),
  protocol: z.number().int(),
  resume: z
    .strictObject({
      connection: z.string().max(64),
      /** Calls that have no response yet. */
      calls: z.array(counterSchema).max(10_000),
      /** Open streams, with the number of frames received on each. */
      streams: z.array(z.strictObject({ stream: counterSchema, received: counterSchema })).max(1_000),
    })
    .nullable(),
});

export const clientMessageSchema = z.discriminatedUnion('type', [
  greetingSchema,
  z.strictObject({ type: z.literal('call'), id: counterSchema, method: z.string().max(64), params: z.unknown() }),
  z.strictObject({ type: z.literal('cancel'), id: counterSchema }),
  z.strictObject({
    type: z.literal('open'),
    stream: counterSchema,
    name: z.string().max(64),
    params: z.unknown(),
    credits: z.number().int().min(1).max(1024),
  }),
  /**
   * Acknowledges frames that the page has painted. `received` counts all frames since the stream was opened, so
   * repeating the message is harmless.
   */
  z.strictObject({ type: z.literal('credit'), stream: counterSchema, received: counterSchema }),
  z.strictObject({ type: z.literal('close'), stream: counterSchema }),
  /** The page is closing, so the host must end the connection instead of waiting for a resume. */
  z.strictObject({ type: z.literal('leave') }),
]);
export type ClientMessage = z.infer<typeof clientMessageSchema>;

export const hostMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello'),
    protocol: z.number().int(),
    build: z.string(),
    connection: z.string(),
    /** False if the connection to resume does not exist any more, so that the page must start a new one. */
    resumed: z.boolean(),
    /** Calls listed in `resume` that the host never received; the page must send them again. */
    unknownCalls: z.array(counterSchema),
    /** Streams listed in `resume` that the host never received; the page must open them again. */
    unknownStreams: z.array(counterSchema),
    capabilities: capabilitiesSchema,
  }),
  /** The host refused the connection, for example because the page uses another protocol version. */
  z.strictObject({ type: z.literal('refused'), protocol: z.number().int(), error: wireErrorSchema }),
  z.strictObject({ type: z.literal('result'), id: counterSchema, value: z.unknown() }),
  z.strictObject({ type: z.literal('cancelled'), id: counterSchema }),
  z.strictObject({ type: z.literal('error'), id: counterSchema, error: wireErrorSchema }),
  z.strictObject({
    type: z.literal('frame'),
    stream: counterSchema,
    /** Number of the frame on this stream, starting at 1. */
    sequence: counterSchema,
    /** Total number of frames on this stream that newer ones replaced before they were sent. */
    dropped: counterSchema,
    value: z.unknown(),
  }),
  /** The stream has ended; `error` is null if it ended normally. */
  z.strictObject({ type: z.literal('end'), stream: counterSchema, error: wireErrorSchema.nullable() }),
]);
export type HostMessage = z.infer<typeof hostMessageSchema>;

/** Result of a call that can be cancelled. Cancellation is not an error. */
export type Outcome<T> = Readonly<{ status: 'done'; value: T }> | Readonly<{ status: 'cancelled' }>;

export type PortClosed = Readonly<{
  /** True if this side called `close`. */
  byUs: boolean;
  reason: string;
}>;

export interface Port {
  /**
   * Queues one frame for sending; does nothing on a closed port. The caller must not modify the bytes afterwards,
   * because the transport may read them later.
   */
  send(frame: Uint8Array): void;
  /** Queued bytes that the transport has not accepted yet; 0 if it cannot report them. */
  readonly bufferedBytes: number;
  /** Sets the handler; call once, directly after creating the port. Frames received earlier are then delivered. */
  listen(handler: PortHandler): void;
  /** Closes the port. The other side's handler is called with `closed`. Further calls do nothing. */
  close(reason?: string): void;
}

export interface PortHandler {
  frame(bytes: Uint8Array): void;
  /** Called once, after the last frame. */
  closed(event: PortClosed): void;
}
