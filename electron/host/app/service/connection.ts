/**
 * Connections of pages: calls and streams of one page over its current carrier, which is a message port or a WebSocket.
 *
 * If a carrier breaks, the connection is retained for a while, so that the page can resume it on a new carrier.
 */
import { randomBytes } from 'node:crypto';
import type { Capabilities } from '../../../contract/capabilities.ts';
import { BraggError, toWireError } from '../../../contract/errors.ts';
import { decodeFrame, encodeFrame, FrameError, FrameSizeError, frameInSteps } from '../../../contract/wire/frame.ts';
import {
  type ClientMessage,
  clientMessageSchema,
  type HostMessage,
  type Port,
  PROTOCOL_VERSION,
} from '../../../contract/wire/protocol.ts';
import { runInSlices } from '../../io/flow/cooperative.ts';
import type { Service } from './service.ts';
import { StreamSender } from './stream-sender.ts';

/**
 * Number of recent responses that are cached for a page that lost its carrier before they arrived. Larger responses are
 * cached only while there is no carrier.
 */
const CACHED_ANSWERS = 256;
const CACHED_ANSWER_BYTES = 4 * 2 ** 20;
/** A page opens a few dozen streams. Without a limit, a faulty page would exhaust the host's memory. */
const MAX_OPEN_STREAMS = 256;
const MAX_RUNNING_CALLS = 1024;

type ResumeRequest = NonNullable<Extract<ClientMessage, { type: 'greet' }>['resume']>;

class Connection {
  readonly id: string;
  readonly #service: Service;
  #port: Port | null = null;
  #ended = false;
  #highestCall = -1;
  readonly #running = new Map<number, AbortController>();
  readonly #answers = new Map<number, Uint8Array>();
  readonly #streams = new Map<number, StreamSender>();

  constructor(id: string, service: Service) {
    this.id = id;
    this.#service = service;
  }

  get isAttached(): boolean {
    return this.#port !== null;
  }

  /** Attaches a new carrier and closes the old one. Frames from the page must be passed to `received`. */
  attach(port: Port): void {
    const old = this.#port;
    this.#port = port;
    old?.close('another transport took over this connection');
  }

  /** Detaches a carrier that broke. Returns false if it was not the current one. */
  detach(port: Port): boolean {
    if (this.#port !== port) return false;
    this.#port = null;
    return true;
  }

  /** Returns the calls and streams that the page waits for but that never arrived here. */
  findMissing(resume: ResumeRequest): { readonly calls: readonly number[]; readonly streams: readonly number[] } {
    return {
      calls: resume.calls.filter((id) => id > this.#highestCall),
      streams: resume.streams.filter(({ stream }) => !this.#streams.has(stream)).map(({ stream }) => stream),
    };
  }

  /**
   * Sends the responses and frames again that were lost with the old carrier. Call it after the hello on a new carrier.
   */
  resume(resume: ResumeRequest): void {
    for (const id of resume.calls) {
      const answer = this.#answers.get(id);
      if (answer !== undefined) this.#port?.send(answer);
      else if (id <= this.#highestCall && !this.#running.has(id)) {
        const error = new BraggError(
          'disconnected',
          'The connection was lost before the reply arrived. Please try again.',
        );
        this.#send({ type: 'error', id, error: error.toWire() });
      }
    }
    const wanted = new Map(resume.streams.map(({ stream, received }) => [stream, received]));
    for (const [stream, sender] of [...this.#streams]) {
      const received = wanted.get(stream);
      if (received === undefined) this.#closeStream(stream);
      else sender.resume(received);
    }
  }

  /** Handles one frame from the page. Throws BraggError or FrameError if the frame is invalid. */
  handleFrame(bytes: Uint8Array): 'leave' | null {
    const parsed = clientMessageSchema.safeParse(decodeFrame(bytes));
    if (!parsed.success) throw new BraggError('bad-request', 'A message does not follow the protocol.');
    const message = parsed.data;
    switch (message.type) {
      case 'call':
        void this.#call(message.id, message.method, message.params);
        return null;
      case 'cancel':
        this.#running.get(message.id)?.abort();
        return null;
      case 'open':
        this.#open(message);
        return null;
      case 'credit':
        this.#streams.get(message.stream)?.credit(message.received);
        return null;
      case 'close':
        this.#closeStream(message.stream);
        return null;
      case 'leave':
        return 'leave';
      case 'greet':
        throw new BraggError('bad-request', 'A second greeting.');
    }
  }

  /** Ends calls and streams of this page. Runs continue, because they belong to the host. */
  end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const controller of this.#running.values()) controller.abort();
    for (const stream of [...this.#streams.keys()]) this.#closeStream(stream);
    this.#answers.clear();
    this.#port?.close(reason);
    this.#port = null;
  }

  async #call(id: number, method: string, params: unknown): Promise<void> {
    this.#highestCall = Math.max(this.#highestCall, id);
    if (this.#running.has(id)) return;
    if (this.#running.size >= MAX_RUNNING_CALLS) {
      const error = new BraggError(
        'bad-request',
        `More than ${MAX_RUNNING_CALLS} calls are running at the same time. Wait for some of them to finish.`,
      );
      this.#send({ type: 'error', id, error: error.toWire() });
      return;
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    let answer: HostMessage;
    try {
      const value = await this.#service.callByName(method, params, controller.signal);
      // A handler may finish in spite of a cancellation; its result is still the response.
      answer = { type: 'result', id, value };
    } catch (error) {
      answer = controller.signal.aborted ? { type: 'cancelled', id } : { type: 'error', id, error: toWireError(error) };
    }
    await this.#sendResponse(id, method, answer);
  }

  async #sendResponse(id: number, method: string, message: HostMessage): Promise<void> {
    if (this.#ended) return;
    let bytes: Uint8Array;
    try {
      const steps = frameInSteps(message);
      const first = steps.next();
      // Small responses are sent at once, in the order of completion.
      bytes = first.done ? first.value : await runInSlices(steps);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      const tooLarge = error instanceof FrameSizeError;
      const failure = tooLarge
        ? new BraggError('overflow', `The reply of ${method} cannot be sent: ${error.message}.`)
        : error;
      bytes = encodeFrame({ type: 'error', id, error: toWireError(failure) } satisfies HostMessage);
    }
    this.#running.delete(id);
    // The connection may have ended in the meantime.
    if (this.#ended) return;
    if (bytes.byteLength <= CACHED_ANSWER_BYTES || this.#port === null) {
      this.#answers.set(id, bytes);
      const oldest = this.#answers.keys().next();
      if (this.#answers.size > CACHED_ANSWERS && !oldest.done) this.#answers.delete(oldest.value);
    }
    this.#port?.send(bytes);
  }

  #open(message: Extract<ClientMessage, { type: 'open' }>): void {
    const { stream, name, params, credits } = message;
    if (this.#streams.has(stream)) return;
    try {
      if (this.#streams.size >= MAX_OPEN_STREAMS) {
        throw new BraggError(
          'bad-request',
          `More than ${MAX_OPEN_STREAMS} streams are open at the same time. Close some of them.`,
        );
      }
      const sender = new StreamSender({
        stream,
        policy: this.#service.policyOf(name),
        credits,
        send: (bytes) => this.#port?.send(bytes),
        attached: () => this.#port !== null,
      });
      this.#streams.set(stream, sender);
      try {
        sender.onStop(this.#service.open(name, params, sender));
      } catch (error) {
        sender.end(error);
      }
    } catch (error) {
      this.#send({ type: 'end', stream, error: toWireError(error) });
    }
  }

  #closeStream(stream: number): void {
    const sender = this.#streams.get(stream);
    this.#streams.delete(stream);
    sender?.close();
  }

  #send(message: HostMessage): void {
    this.#port?.send(encodeFrame(message));
  }
}

/**
 * Time after which a connection without a page ends. It is long enough for a laptop that is closed over lunch, and such
 * a connection needs few resources.
 */
const KEEP_DETACHED_MS = 2 * 60 * 60 * 1000;
/** A page that knows the id of a connection can take it over, so the id must not be guessable. */
const ID_BYTES = 18;
const MAX_CONNECTIONS = 64;

type Greeting = Extract<ClientMessage, { type: 'greet' }>;

interface ConnectionsOptions {
  readonly service: Service;
  readonly capabilities: () => Capabilities;
  readonly keepDetached_ms?: number;
  readonly log?: (text: string) => void;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #connections = new Map<string, Connection>();
  readonly #expiry = new Map<Connection, NodeJS.Timeout>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Serves a page on this port. `singleUse`: the carrier cannot reconnect, so the connection ends with it. */
  accept(port: Port, options: { readonly singleUse?: boolean } = {}): void {
    let connection: Connection | null = null;
    port.listen({
      frame: (bytes) => {
        try {
          if (connection === null) connection = this.#handleGreeting(port, bytes);
          else if (connection.handleFrame(bytes) === 'leave') this.#end(connection, 'the page closed');
        } catch (error) {
          // Pages never send invalid frames, so the sender is another program or there is an internal error.
          this.#options.log?.(`A connection was closed: ${toWireError(error).message}`);
          port.close('a message does not follow the protocol');
          if (connection !== null) this.#handleDetach(connection, port, options.singleUse ?? false);
        }
      },
      closed: () => {
        if (connection !== null) this.#handleDetach(connection, port, options.singleUse ?? false);
      },
    });
  }

  /** Ends all connections. */
  close(reason: string): void {
    for (const connection of [...this.#connections.values()]) this.#end(connection, reason);
  }

  #handleGreeting(port: Port, bytes: Uint8Array): Connection | null {
    const message = clientMessageSchema.parse(decodeFrame(bytes));
    if (message.type !== 'greet') throw new BraggError('bad-request', 'The first message must be a greeting.');
    if (message.protocol !== PROTOCOL_VERSION) {
      const text = `The page uses protocol ${message.protocol}, this host ${PROTOCOL_VERSION}. Reload the page.`;
      this.#refuse(port, new BraggError('unsupported', text));
      return null;
    }
    const known = message.resume === null ? undefined : this.#connections.get(message.resume.connection);
    if (known === undefined && this.#connections.size >= MAX_CONNECTIONS && !this.#endOldestDetached()) {
      this.#refuse(port, new BraggError('unsupported', `${MAX_CONNECTIONS} pages are already open.`));
      return null;
    }
    const connection = known ?? this.#create();
    this.#cancelExpiry(connection);
    connection.attach(port);
    this.#sendHello(port, connection, known === undefined ? null : message.resume);
    return connection;
  }

  #sendHello(port: Port, connection: Connection, resume: Greeting['resume']): void {
    const missing = resume === null ? { calls: [], streams: [] } : connection.findMissing(resume);
    const capabilities = this.#options.capabilities();
    const hello: HostMessage = {
      type: 'hello',
      protocol: PROTOCOL_VERSION,
      build: capabilities.build,
      connection: connection.id,
      resumed: resume !== null,
      unknownCalls: [...missing.calls],
      unknownStreams: [...missing.streams],
      capabilities,
    };
    port.send(encodeFrame(hello));
    if (resume !== null) connection.resume(resume);
  }

  #refuse(port: Port, error: BraggError): void {
    const refused: HostMessage = { type: 'refused', protocol: PROTOCOL_VERSION, error: error.toWire() };
    port.send(encodeFrame(refused));
    port.close(error.message);
  }

  #create(): Connection {
    const connection = new Connection(randomBytes(ID_BYTES).toString('base64url'), this.#options.service);
    this.#connections.set(connection.id, connection);
    return connection;
  }

  #handleDetach(connection: Connection, port: Port, singleUse: boolean): void {
    if (!connection.detach(port)) return;
    if (singleUse) {
      this.#end(connection, 'the page was closed');
      return;
    }
    const timer = setTimeout(
      () => this.#end(connection, 'the page did not reconnect'),
      this.#options.keepDetached_ms ?? KEEP_DETACHED_MS,
    );
    timer.unref();
    this.#expiry.set(connection, timer);
  }

  #cancelExpiry(connection: Connection): void {
    clearTimeout(this.#expiry.get(connection));
    this.#expiry.delete(connection);
  }

  #endOldestDetached(): boolean {
    // Entries are in the order of detachment, so the first one is the oldest.
    const oldest = this.#expiry.keys().next();
    if (oldest.done) return false;
    this.#end(oldest.value, 'many newer pages');
    return true;
  }

  #end(connection: Connection, reason: string): void {
    this.#cancelExpiry(connection);
    this.#connections.delete(connection.id);
    connection.end(reason);
  }
}
