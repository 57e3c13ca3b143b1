/** Requests from a connection to the host, and the handlers of every method and stream. */

import type { z } from 'zod';
import type { MethodName, Methods, Result } from '../../../contract/wire/methods.ts';
import type { StreamFrame, StreamName, StreamPolicy, Streams } from '../../../contract/wire/streams.ts';
import type { Sink } from '../../io/flow/sink.ts';

/** Params as a handler gets them: validated, defaults filled in. */
export type HandlerParams<M extends MethodName> = Readonly<z.output<Methods[M]['params']>>;
type SourceParams<S extends StreamName> = Readonly<z.output<Streams[S]['params']>>;

export type Handler<M extends MethodName> = (
  params: HandlerParams<M>,
  /** Aborted when the caller cancels or its connection ends; a handler that cannot stop early may ignore it. */
  signal: AbortSignal,
) => Promise<Result<M>> | Result<M>;

export type Handlers = { readonly [M in MethodName]: Handler<M> };

/** Starts a stream; returns what stops it. Throwing refuses the stream. */
type Source<S extends StreamName> = (params: SourceParams<S>, sink: Sink<StreamFrame<S>>) => () => void;

export type Sources = { readonly [S in StreamName]: Source<S> };

/** A host as connections see it: messages in, anything out. Throws BraggError. */
export interface Service {
  callByName(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  policyOf(stream: string): StreamPolicy;
  /** Starts a stream; returns what stops it. */
  open(stream: string, params: unknown, sink: Sink<unknown>): () => void;
}
