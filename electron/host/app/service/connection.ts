/**
 * One page's connection: its calls and streams, over whatever carrier it has at
 * the moment. The carrier may break and be replaced; the connection goes on.
 */

import { BraggError, toWireError } from '../../../contract/errors.ts';
import { decodeFrame, encodeFrame, FrameError, FrameSizeError, frameInSteps } from '../../../contract/wire/frame.ts';
import type { Port } from '../../../contract/wire/port.ts';
import { type ClientMessage, clientMessageSchema, type HostMessage } from '../../../contract/wire/protocol.ts';
import { inTurns } from '../../io/flow/in-turns.ts';
import type { Service } from './service.ts';
import { StreamSender } from './stream-sender.ts';

/** Answers are cached for a page that lost its carrier before they arrived; larger ones only while it has none. */
const KEPT_ANSWERS = 256;
const KEPT_ANSWER_BYTES = 4 * 2 ** 20;
/** A page has a few dozen; beyond this a faulty one would eat the host's memory. */
const MAX_OPEN_STREAMS = 256;
const MAX_RUNNING_CALLS = 1024;

type Resume = NonNullable<Extract<ClientMessage, { type: 'greet' }>['resume']>;

export class Connection {
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

  get attached(): boolean {
    return this.#port !== null;
  }

  /** Takes a carrier, giving up the one before. What the page says comes through `received`. */
  attach(port: Port): void {
    const old = this.#port;
    this.#port = port;
    old?.close('another carrier took over this connection');
  }

  /** The carrier broke. False when it was not the present one. */
  detach(port: Port): boolean {
    if (this.#port !== port) return false;
    this.#port = null;
    return true;
  }

  /** Matches what the page still waits for with what is here; returns what never arrived. */
  missing(resume: Resume): { readonly calls: readonly number[]; readonly streams: readonly number[] } {
    return {
      calls: resume.calls.filter((id) => id > this.#highestCall),
      streams: resume.streams.filter(({ stream }) => !this.#streams.has(stream)).map(({ stream }) => stream),
    };
  }

  /** After the hello on a new carrier: answers and frames that were lost with the old one. */
  resume(resume: Resume): void {
    for (const id of resume.calls) {
      const answer = this.#answers.get(id);
      if (answer !== undefined) this.#port?.send(answer);
      else if (id <= this.#highestCall && !this.#running.has(id)) {
        const error = new BraggError('disconnected', 'The answer was lost with the connection. Please repeat.');
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

  /** Handles one frame of the page. Throws BraggError or FrameError for what no page of ours sends. */
  received(bytes: Uint8Array): 'leave' | null {
    const parsed = clientMessageSchema.safeParse(decodeFrame(bytes));
    if (!parsed.success) throw new BraggError('bad-request', 'A message that is not of this protocol.');
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

  /** Ends everything that was going on for this page. Runs go on: they belong to the host. */
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
      const error = new BraggError('bad-request', `More than ${MAX_RUNNING_CALLS} calls at a time.`);
      this.#send({ type: 'error', id, error: error.toWire() });
      return;
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    let answer: HostMessage;
    try {
      const value = await this.#service.callByName(method, params, controller.signal);
      // A handler that finished although it was to stop has done its work: that is the answer.
      answer = { type: 'result', id, value };
    } catch (error) {
      answer = controller.signal.aborted ? { type: 'cancelled', id } : { type: 'error', id, error: toWireError(error) };
    }
    await this.#answer(id, method, answer);
  }

  async #answer(id: number, method: string, message: HostMessage): Promise<void> {
    if (this.#ended) return;
    let bytes: Uint8Array;
    try {
      const steps = frameInSteps(message);
      const first = steps.next();
      // Small answers are sent at once, in the order of completion.
      bytes = first.done ? first.value : await inTurns(steps);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      const tooLarge = error instanceof FrameSizeError;
      const failure = tooLarge
        ? new BraggError('overflow', `The answer of ${method} cannot be sent: ${error.message}.`)
        : error;
      bytes = encodeFrame({ type: 'error', id, error: toWireError(failure) } satisfies HostMessage);
    }
    this.#running.delete(id);
    // It may have ended meanwhile.
    if (this.#ended) return;
    if (bytes.byteLength <= KEPT_ANSWER_BYTES || this.#port === null) {
      this.#answers.set(id, bytes);
      const oldest = this.#answers.keys().next();
      if (this.#answers.size > KEPT_ANSWERS && !oldest.done) this.#answers.delete(oldest.value);
    }
    this.#port?.send(bytes);
  }

  #open(message: Extract<ClientMessage, { type: 'open' }>): void {
    const { stream, name, params, credits } = message;
    if (this.#streams.has(stream)) return;
    try {
      if (this.#streams.size >= MAX_OPEN_STREAMS) {
        throw new BraggError('bad-request', `More than ${MAX_OPEN_STREAMS} streams at a time.`);
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
