/**
 * All connections of a host: greets each new carrier, gives it its connection back or
 * a new one, and keeps a connection for a while after its carrier broke.
 */
import { randomBytes } from 'node:crypto';
import type { Capabilities } from '../../../contract/capabilities.ts';
import { BraggError, toWireError } from '../../../contract/errors.ts';
import { decodeFrame, encodeFrame } from '../../../contract/wire/frame.ts';
import type { Port } from '../../../contract/wire/port.ts';
import {
  type ClientMessage,
  clientMessageSchema,
  type HostMessage,
  PROTOCOL_VERSION,
} from '../../../contract/wire/protocol.ts';
import { Connection } from './connection.ts';
import type { Service } from './service.ts';

/** Long enough for a laptop that was shut over lunch; a connection without a page costs little. */
const KEEP_DETACHED_MS = 2 * 60 * 60 * 1000;
/** A connection id lets a page take a connection over, so it must not be guessed. */
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

  /** Serves a page over this port. `singleUse`: the carrier cannot come back, so the connection ends with it. */
  accept(port: Port, options: { readonly singleUse?: boolean } = {}): void {
    let connection: Connection | null = null;
    port.listen({
      frame: (bytes) => {
        try {
          if (connection === null) connection = this.#greet(port, bytes);
          else if (connection.received(bytes) === 'leave') this.#end(connection, 'the page left');
        } catch (error) {
          // Our page never sends such a frame: this is another program, or an internal error that deserves a hard stop.
          this.#options.log?.(`A connection was closed: ${toWireError(error).message}`);
          port.close('a message that is not of this protocol');
          if (connection !== null) this.#detached(connection, port, options.singleUse ?? false);
        }
      },
      closed: () => {
        if (connection !== null) this.#detached(connection, port, options.singleUse ?? false);
      },
    });
  }

  /** Ends all connections. */
  close(reason: string): void {
    for (const connection of [...this.#connections.values()]) this.#end(connection, reason);
  }

  #greet(port: Port, bytes: Uint8Array): Connection | null {
    const message = clientMessageSchema.parse(decodeFrame(bytes));
    if (message.type !== 'greet') throw new BraggError('bad-request', 'The first message must be a greeting.');
    if (message.protocol !== PROTOCOL_VERSION) {
      const text = `The page speaks protocol ${message.protocol}, this host ${PROTOCOL_VERSION}. Reload the page.`;
      this.#refuse(port, new BraggError('unsupported', text));
      return null;
    }
    const known = message.resume === null ? undefined : this.#connections.get(message.resume.connection);
    if (known === undefined && this.#connections.size >= MAX_CONNECTIONS && !this.#endOldestDetached()) {
      this.#refuse(port, new BraggError('unsupported', `${MAX_CONNECTIONS} pages are open already.`));
      return null;
    }
    const connection = known ?? this.#create();
    this.#keep(connection);
    connection.attach(port);
    this.#hello(port, connection, known === undefined ? null : message.resume);
    return connection;
  }

  #hello(port: Port, connection: Connection, resume: Greeting['resume']): void {
    const missing = resume === null ? { calls: [], streams: [] } : connection.missing(resume);
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

  #detached(connection: Connection, port: Port, singleUse: boolean): void {
    if (!connection.detach(port)) return;
    if (singleUse) {
      this.#end(connection, 'the page is gone');
      return;
    }
    const timer = setTimeout(
      () => this.#end(connection, 'the page did not come back'),
      this.#options.keepDetached_ms ?? KEEP_DETACHED_MS,
    );
    timer.unref();
    this.#expiry.set(connection, timer);
  }

  #keep(connection: Connection): void {
    clearTimeout(this.#expiry.get(connection));
    this.#expiry.delete(connection);
  }

  #endOldestDetached(): boolean {
    // Insertion order is the order in which they were detached.
    const oldest = this.#expiry.keys().next();
    if (oldest.done) return false;
    this.#end(oldest.value, 'many newer pages');
    return true;
  }

  #end(connection: Connection, reason: string): void {
    this.#keep(connection);
    this.#connections.delete(connection.id);
    connection.end(reason);
  }
}
