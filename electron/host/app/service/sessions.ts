/**
 * All sessions of a host: greets each new carrier, gives it its session back or
 * a new one, and keeps a session for a while after its carrier broke.
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
import type { Service } from './service.ts';
import { Session } from './session.ts';

/** Long enough for a laptop that was shut over lunch; a session without a page costs little. */
export const KEEP_DETACHED_MS = 2 * 60 * 60 * 1000;
/** A session id lets a page take a session over, so it must not be guessed. */
const ID_BYTES = 18;
const MAX_SESSIONS = 64;

type Greeting = Extract<ClientMessage, { type: 'greet' }>;

export interface SessionsOptions {
  readonly service: Service;
  readonly capabilities: () => Capabilities;
  readonly keepDetached_ms?: number;
  readonly log?: (text: string) => void;
}

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #expiry = new Map<Session, NodeJS.Timeout>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Serves a page over this port. `singleUse`: the carrier cannot come back, so the session ends with it. */
  accept(port: Port, options: { readonly singleUse?: boolean } = {}): void {
    let session: Session | null = null;
    port.listen({
      frame: (bytes) => {
        try {
          if (session === null) session = this.#greet(port, bytes);
          else if (session.received(bytes) === 'leave') this.#end(session, 'the page left');
        } catch (error) {
          // No page of ours sends such a frame: this is another program, or a fault worth a hard stop.
          this.#options.log?.(`A connection was closed: ${toWireError(error).message}`);
          port.close('a message that is not of this protocol');
          if (session !== null) this.#detached(session, port, options.singleUse ?? false);
        }
      },
      closed: () => {
        if (session !== null) this.#detached(session, port, options.singleUse ?? false);
      },
    });
  }

  /** Ends all sessions. */
  close(reason: string): void {
    for (const session of [...this.#sessions.values()]) this.#end(session, reason);
  }

  #greet(port: Port, bytes: Uint8Array): Session | null {
    const message = clientMessageSchema.parse(decodeFrame(bytes));
    if (message.type !== 'greet') throw new BraggError('bad-request', 'The first message must be a greeting.');
    if (message.protocol !== PROTOCOL_VERSION) {
      const text = `The page speaks protocol ${message.protocol}, this host ${PROTOCOL_VERSION}. Reload the page.`;
      this.#refuse(port, new BraggError('unsupported', text));
      return null;
    }
    const known = message.resume === null ? undefined : this.#sessions.get(message.resume.session);
    if (known === undefined && this.#sessions.size >= MAX_SESSIONS && !this.#endOldestDetached()) {
      this.#refuse(port, new BraggError('unsupported', `${MAX_SESSIONS} pages are open already.`));
      return null;
    }
    const session = known ?? this.#create();
    this.#keep(session);
    session.attach(port);
    this.#hello(port, session, known === undefined ? null : message.resume);
    return session;
  }

  #hello(port: Port, session: Session, resume: Greeting['resume']): void {
    const missing = resume === null ? { calls: [], streams: [] } : session.missing(resume);
    const capabilities = this.#options.capabilities();
    const hello: HostMessage = {
      type: 'hello',
      protocol: PROTOCOL_VERSION,
      build: capabilities.build,
      session: session.id,
      resumed: resume !== null,
      unknownCalls: [...missing.calls],
      unknownStreams: [...missing.streams],
      capabilities,
    };
    port.send(encodeFrame(hello));
    if (resume !== null) session.resume(resume);
  }

  #refuse(port: Port, error: BraggError): void {
    const refused: HostMessage = { type: 'refused', protocol: PROTOCOL_VERSION, error: error.toWire() };
    port.send(encodeFrame(refused));
    port.close(error.message);
  }

  #create(): Session {
    const session = new Session(randomBytes(ID_BYTES).toString('base64url'), this.#options.service);
    this.#sessions.set(session.id, session);
    return session;
  }

  #detached(session: Session, port: Port, singleUse: boolean): void {
    if (!session.detach(port)) return;
    if (singleUse) {
      this.#end(session, 'the page is gone');
      return;
    }
    const timer = setTimeout(
      () => this.#end(session, 'the page did not come back'),
      this.#options.keepDetached_ms ?? KEEP_DETACHED_MS,
    );
    timer.unref();
    this.#expiry.set(session, timer);
  }

  #keep(session: Session): void {
    clearTimeout(this.#expiry.get(session));
    this.#expiry.delete(session);
  }

  #endOldestDetached(): boolean {
    // Insertion order is the order in which they were detached.
    const oldest = this.#expiry.keys().next();
    if (oldest.done) return false;
    this.#end(oldest.value, 'many newer pages');
    return true;
  }

  #end(session: Session, reason: string): void {
    this.#keep(session);
    this.#sessions.delete(session.id);
    session.end(reason);
  }
}
