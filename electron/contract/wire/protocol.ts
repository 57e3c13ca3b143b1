/**
 * Messages on a Port: calls, streams and the connection that both belong to. Each message is one frame (frame.ts). The
 * host checks params and results against methods.ts and streams.ts; the envelope is checked here. A Port carries
 * complete frames in order between a page and a host. Calls, streams and connections are independent of the transport
 * below it.
 */
import { z } from 'zod';
import { capabilitiesSchema } from '../capabilities.ts';
import { wireErrorSchema } from '../errors.ts';

export const PROTOCOL_VERSION = 3;

/** Counter that one side increments within a connection. */
const counter = z.number().int().nonnegative();

/** First message of the page; `resume` continues a connection whose transport was lost. */
const greet = z.strictObject({
  type: z.literal('greet'),
  protocol: z.number().int(),
  resume: z
    .strictObject({
      connection: z.string().max(64),
      /** Calls without a response yet. */
      calls: z.array(counter).max(10_000),
      /** Open streams, with the number of their frames that arrived. */
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
   * Acknowledges frames that the page has painted: `received` is their total since the stream was opened. It is
   * cumulative, so that a repeated message does no harm.
   */
  z.strictObject({ type: z.literal('credit'), stream: counter, received: counter }),
  z.strictObject({ type: z.literal('close'), stream: counter }),
  /** The page is closing: end the connection now, without waiting for it to resume. */
  z.strictObject({ type: z.literal('leave') }),
]);
export type ClientMessage = z.infer<typeof clientMessageSchema>;

export const hostMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello'),
    protocol: z.number().int(),
    build: z.string(),
    connection: z.string(),
    /** False if the connection to resume no longer exists, so that the page must start again. */
    resumed: z.boolean(),
    /** Calls in `resume` that never reached the host and must be sent again. */
    unknownCalls: z.array(counter),
    /** Streams in `resume` that never reached the host and must be opened again. */
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
    /** Number of frames replaced before they were sent, since the stream was opened. */
    dropped: counter,
    value: z.unknown(),
  }),
  /** End of the stream; `error` is null for a normal end. */
  z.strictObject({ type: z.literal('end'), stream: counter, error: wireErrorSchema.nullable() }),
]);
export type HostMessage = z.infer<typeof hostMessageSchema>;

/** Result of a call that may be cancelled: cancellation is a result, not an error. */
export type Outcome<T> = Readonly<{ status: 'done'; value: T }> | Readonly<{ status: 'cancelled' }>;

export type PortClosed = Readonly<{
  /** True if this side called close(). */
  byUs: boolean;
  reason: string;
}>;

export interface Port {
  /**
   * Queues one frame. The transport may read the bytes later, so the caller must not change them afterwards. Ignored
   * once closed.
   */
  send(frame: Uint8Array): void;
  /** Bytes passed to send() that the transport has not accepted yet; 0 if the transport cannot report it. */
  readonly bufferedBytes: number;
  /** Called once, immediately after the port is created; earlier frames are buffered and delivered then. */
  listen(handler: PortHandler): void;
  /** Closes the port; idempotent. The other side receives `closed`. */
  close(reason?: string): void;
}

export interface PortHandler {
  frame(bytes: Uint8Array): void;
  /** Called exactly once, after the last frame. */
  closed(event: PortClosed): void;
}
