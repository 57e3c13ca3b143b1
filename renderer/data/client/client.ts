/**
 * Client side of the protocol. A client reconnects when its transport fails, and then continues its pending calls and
 * streams.
 */
import type { Capabilities } from '../../../electron/contract/capabilities.ts';
import { BraggError } from '../../../electron/contract/errors.ts';
import { decodeFrame, encodeFrame, FrameSizeError } from '../../../electron/contract/wire/frame.ts';
import type { MethodName, Params, Result } from '../../../electron/contract/wire/methods.ts';
import {
  type ClientMessage,
  hostMessageSchema,
  type Outcome,
  type Port,
} from '../../../electron/contract/wire/protocol.ts';
import type { StreamFrame, StreamName, StreamParams } from '../../../electron/contract/wire/streams.ts';
import { type GreetedPort, greet, type Hello } from './handshake.ts';
import { OpenStream, type StreamHandle, type StreamReader } from './stream-reader.ts';

/** Maximum unacknowledged frames per stream: one that is being painted and one in transit. */
const DEFAULT_CREDITS = 2;
/** First delay before reconnecting, in ms; doubled up to the maximum. */
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;

export type ConnectionState =
  | Readonly<{ kind: 'connected' }>
  | Readonly<{ kind: 'reconnecting'; attempt: number; reason: string }>
  /** The connection is lost permanently: calls fail and streams have ended. Create a new client. */
  | Readonly<{ kind: 'lost'; reason: string }>;

export interface ClientOptions {
  readonly onState?: (state: ConnectionState) => void;
  /** False if the transport cannot be reopened (a message port, in-process). */
  readonly reconnect?: boolean;
  readonly retry_ms?: number;
}

export interface Client {
  readonly capabilities: Capabilities;
  readonly connection: string;
  /** Rejects with a BraggError. */
  call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>>;
  /** A call that can be cancelled; cancellation is a result, not an error. */
  callCancellable<M extends MethodName>(method: M, params: Params<M>, signal: AbortSignal): Promise<Outcome<Result<M>>>;
  stream<S extends StreamName>(
    name: S,
    params: StreamParams<S>,
    reader: StreamReader<StreamFrame<S>>,
    options?: { readonly credits?: number },
  ): StreamHandle;
  /** Ends the connection. */
  close(): void;
}

type PendingCall = {
  readonly request: Extract<ClientMessage, { type: 'call' }>;
  readonly signal: AbortSignal;
  readonly settle: (outcome: Outcome<unknown>) => void;
  readonly fail: (error: BraggError) => void;
};

class ConnectedClient implements Client {
  readonly #openPort: () => Promise<Port>;
  readonly #options: ClientOptions;
  #port: Port | null = null;
  #hello: Hello;
  #ended = false;
  #nextCall = 0;
  #nextStream = 0;
  readonly #calls = new Map<number, PendingCall>();
  readonly #streams = new Map<number, OpenStream>();

  constructor(openPort: () => Promise<Port>, options: ClientOptions, hello: Hello) {
    this.#openPort = openPort;
    this.#options = options;
    this.#hello = hello;
  }

  get capabilities(): Capabilities {
    return this.#hello.capabilities;
  }

  get connection(): string {
    return this.#hello.connection;
  }

  /** Replaces the current port by this one. */
  adopt({ port, hello, listen }: GreetedPort): void {
    this.#hello = hello;
    this.#port = port;
    listen({
      frame: (bytes) => this.#received(bytes),
      closed: (event) => this.#carrierClosed(port, event.reason),
    });
    this.#options.onState?.({ kind: 'connected' });
  }

  async call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>> {
    const outcome = await this.callCancellable(method, params, new AbortController().signal);
    if (outcome.status === 'cancelled') throw new BraggError('internal', `${method} was cancelled unexpectedly`);
    return outcome.value;
  }

  callCancellable<M extends MethodName>(
    method: M,
    params: Params<M>,
    signal: AbortSignal,
  ): Promise<Outcome<Result<M>>> {
    if (signal.aborted) return Promise.resolve({ status: 'cancelled' });
    if (this.#ended) return Promise.reject(new BraggError('disconnected', 'The connection to the host is closed.'));
    const id = this.#nextCall++;
    const request = { type: 'call', id, method, params } as const;
    return new Promise((resolve, reject) => {
      const cancel = (): void => this.#send({ type: 'cancel', id });
      signal.addEventListener('abort', cancel, { once: true });
      const finish = (): void => {
        this.#calls.delete(id);
        signal.removeEventListener('abort', cancel);
      };
      this.#calls.set(id, {
        request,
        signal,
        settle: (outcome) => {
          finish();
          // Safe because the host's handlers are typed by the same contract.
          resolve(outcome as Outcome<Result<M>>);
        },
        fail: (error) => {
          finish();
          reject(error);
        },
      });
      try {
        this.#send(request);
      } catch (error) {
        finish();
        const tooLarge = error instanceof FrameSizeError;
        reject(tooLarge ? new BraggError('overflow', `${method} cannot be sent: ${error.message}.`) : error);
      }
    });
  }

  stream<S extends StreamName>(
    name: S,
    params: StreamParams<S>,
    reader: StreamReader<StreamFrame<S>>,
    options: { readonly credits?: number } = {},
  ): StreamHandle {
    const stream = this.#nextStream++;
    const request = { stream, name, params, credits: options.credits ?? DEFAULT_CREDITS };
    const open = new OpenStream(request, reader as StreamReader<unknown>, (received) => {
      this.#send({ type: 'credit', stream, received });
    });
    this.#streams.set(stream, open);
    if (this.#ended)
      queueMicrotask(() => open.end(new BraggError('disconnected', 'The connection is closed.').toWire()));
    else this.#send({ type: 'open', ...request });
    return {
      close: () => {
        open.close();
        if (this.#streams.delete(stream)) this.#send({ type: 'close', stream });
      },
    };
  }

  close(): void {
    if (this.#ended) return;
    this.#send({ type: 'leave' });
    const port = this.#port;
    this.#loseConnection('closed by the page');
    port?.close('the page closed');
  }

  #received(bytes: Uint8Array): void {
    const message = hostMessageSchema.parse(decodeFrame(bytes));
    switch (message.type) {
      case 'result':
        this.#calls.get(message.id)?.settle({ status: 'done', value: message.value });
        return;
      case 'cancelled':
        this.#calls.get(message.id)?.settle({ status: 'cancelled' });
        return;
      case 'error':
        this.#calls.get(message.id)?.fail(BraggError.fromWire(message.error));
        return;
      case 'frame':
        this.#streams
          .get(message.stream)
          ?.frame(message.value, { sequence: message.sequence, dropped: message.dropped });
        return;
      case 'end': {
        const stream = this.#streams.get(message.stream);
        this.#streams.delete(message.stream);
        // Acknowledge the end of the stream, so that the host need not repeat it.
        if (stream !== undefined) this.#send({ type: 'close', stream: message.stream });
        stream?.end(message.error);
        return;
      }
      case 'hello':
      case 'refused':
        throw new BraggError('bad-request', `an unexpected ${message.type}`);
    }
  }

  #carrierClosed(port: Port, reason: string): void {
    if (this.#ended || this.#port !== port) return;
    this.#port = null;
    if (this.#options.reconnect ?? true) void this.#reconnect(reason);
    else this.#loseConnection(reason);
  }

  async #reconnect(reason: string): Promise<void> {
    let wait = this.#options.retry_ms ?? FIRST_RETRY_MS;
    for (let attempt = 1; !this.#ended; attempt += 1) {
      this.#options.onState?.({ kind: 'reconnecting', attempt, reason });
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(wait * 2, LAST_RETRY_MS);
      if (this.#ended) return;
      const requested = { calls: new Set(this.#calls.keys()), streams: new Set(this.#streams.keys()) };
      const resume = {
        connection: this.connection,
        calls: [...requested.calls],
        streams: [...this.#streams.values()].map((s) => ({ stream: s.request.stream, received: s.received })),
      };
      try {
        this.#resendPending(await greet(this.#openPort, resume), requested);
        return;
      } catch (error) {
        // A refusal is permanent; other errors may be temporary.
        if (error instanceof BraggError) return this.#loseConnection(error.message);
      }
    }
  }

  /** Sends the host all changes made while the connection was down. */
  #resendPending(greeted: GreetedPort, pending: { readonly calls: Set<number>; readonly streams: Set<number> }): void {
    const { hello, port } = greeted;
    if (this.#ended || !hello.resumed) {
      // Close the connection that the host opened for this greeting, because this page no longer needs it.
      port.send(encodeFrame({ type: 'leave' } satisfies ClientMessage));
      port.close('the connection is closed');
      this.#loseConnection('The host was restarted.');
      return;
    }
    this.adopt(greeted);
    const unknownCalls = new Set(hello.unknownCalls);
    for (const [id, call] of this.#calls) {
      if (!pending.calls.has(id) || unknownCalls.has(id)) this.#send(call.request);
      if (call.signal.aborted) this.#send({ type: 'cancel', id });
    }
    const unknownStreams = new Set(hello.unknownStreams);
    for (const [id, stream] of this.#streams) {
      if (pending.streams.has(id) && !unknownStreams.has(id)) continue;
      stream.reset();
      this.#send({ type: 'open', ...stream.request });
    }
    for (const id of pending.streams) {
      if (!this.#streams.has(id)) this.#send({ type: 'close', stream: id });
    }
  }

  #loseConnection(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#port = null;
    const error = new BraggError('disconnected', reason);
    for (const call of [...this.#calls.values()]) call.fail(error);
    for (const stream of [...this.#streams.values()]) stream.end(error.toWire());
    this.#streams.clear();
    this.#options.onState?.({ kind: 'lost', reason });
  }

  #send(message: ClientMessage): void {
    this.#port?.send(encodeFrame(message));
  }
}

/**
 * Connects to a host. Rejects if no host answers or the host refuses. Afterwards the client reconnects by itself and
 * reports changes through `onState`.
 */
export async function connect(openPort: () => Promise<Port>, options: ClientOptions = {}): Promise<Client> {
  const greeted = await greet(openPort, null);
  const client = new ConnectedClient(openPort, options, greeted.hello);
  client.adopt(greeted);
  return client;
}

/** Types for pages that use the host: calls, streams and the connection state. */
export type { FrameInfo, StreamHandle, StreamReader } from './stream-reader.ts';
