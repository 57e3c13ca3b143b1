/** Calls and streams by name, each message checked against the contract before a handler sees it. */
import type { z } from 'zod';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import { isMethod, type MethodName, methods, type Params, type Result } from '../../../contract/wire/methods.ts';
import { isStream, type StreamName, type StreamPolicy, streams } from '../../../contract/wire/streams.ts';
import type { Sink } from '../../io/flow/sink.ts';
import type { Handler, HandlerParams, Handlers, Service, Sources } from './service.ts';

function issuesOf(error: z.ZodError): readonly Issue[] {
  return error.issues.map((issue) => ({
    severity: 'error',
    file: null,
    path: issue.path.map(String).join('.'),
    line: null,
    column: null,
    message: issue.message,
    value: null,
    allowed: null,
  }));
}

function checked<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const outcome = schema.safeParse(value);
  if (outcome.success) return outcome.data;
  const issues = issuesOf(outcome.error);
  const first = issues[0];
  throw new BraggError('bad-request', `${what}: ${first?.path || 'the message'}: ${first?.message ?? ''}`, issues);
}

interface RegistryOptions {
  /** Also check what handlers return. For tests: a fault there is the host's own. */
  readonly checkResults?: boolean;
}

export class Registry implements Service {
  readonly #handlers: Handlers;
  readonly #sources: Sources;
  readonly #checkResults: boolean;

  constructor(handlers: Handlers, sources: Sources, options: RegistryOptions = {}) {
    this.#handlers = handlers;
    this.#sources = sources;
    this.#checkResults = options.checkResults ?? false;
  }

  /** A call within the process, typed. */
  async call<M extends MethodName>(
    method: M,
    params: Params<M>,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Result<M>> {
    const schema: z.ZodType = methods[method].params;
    const handler: Handler<M> = this.#handlers[method];
    const value = await handler(checked(schema, params, method) as HandlerParams<M>, signal);
    if (this.#checkResults) checked(methods[method].result as z.ZodType, value, `result of ${method}`);
    return value;
  }

  /** A call from outside: the name and the params are anything. */
  async callByName(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    if (!isMethod(method)) throw new BraggError('bad-request', `There is no method ${JSON.stringify(method)}.`);
    return this.call(method, params as Params<MethodName>, signal);
  }

  policyOf(name: string): StreamPolicy {
    if (!isStream(name)) throw new BraggError('bad-request', `There is no stream ${JSON.stringify(name)}.`);
    return streams[name].policy;
  }

  /** Opens a stream; returns what stops it. */
  open(name: string, params: unknown, sink: Sink<unknown>): () => void {
    if (!isStream(name)) throw new BraggError('bad-request', `There is no stream ${JSON.stringify(name)}.`);
    return this.#open(name, params, sink);
  }

  #open<S extends StreamName>(name: S, params: unknown, sink: Sink<unknown>): () => void {
    const input: z.ZodType = streams[name].params;
    const frame: z.ZodType = streams[name].frame;
    const source = this.#sources[name] as (params: unknown, sink: Sink<unknown>) => () => void;
    const checking: Sink<unknown> = this.#checkResults
      ? {
          offer: (make) => sink.offer(() => checked(frame, make(), `frame of ${name}`)),
          end: (error) => sink.end(error),
        }
      : sink;
    return source(checked(input, params, name), checking);
  }
}
