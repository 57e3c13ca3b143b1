/**
 * Interface between connections and the host, with handlers for all methods and streams. Every message is validated
 * against the contract before a handler receives it.
 */
import type { z } from 'zod';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import { valueAt } from '../../../contract/scenario/index.ts';
import {
  isMethod,
  type MethodName,
  type Methods,
  methods,
  type Params,
  type Result,
} from '../../../contract/wire/methods.ts';
import {
  isStream,
  type StreamFrame,
  type StreamName,
  type StreamPolicy,
  type Streams,
  streams,
} from '../../../contract/wire/streams.ts';
import type { StagedSolver } from '../../io/addon/staged-solver.ts';
import type { FrameSink } from '../../io/flow/subscribers.ts';

/** Validated parameters of a handler, with defaults filled in. */
export type HandlerParams<M extends MethodName> = Readonly<z.output<Methods[M]['params']>>;
type SourceParams<S extends StreamName> = Readonly<z.output<Streams[S]['params']>>;

type Handler<M extends MethodName> = (
  params: HandlerParams<M>,
  /** Aborted when the caller cancels or its connection ends. A handler that cannot stop early may ignore it. */
  signal: AbortSignal,
) => Promise<Result<M>> | Result<M>;

export type Handlers = { readonly [M in MethodName]: Handler<M> };

/** Starts a stream. Returns a function that stops it. Throws to reject the stream. */
type Source<S extends StreamName> = (params: SourceParams<S>, sink: FrameSink<StreamFrame<S>>) => () => void;

export type Sources = { readonly [S in StreamName]: Source<S> };

/** The host as connections see it: names and parameters are unchecked. Throws BraggError. */
export interface Service {
  callByName(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  policyOf(stream: string): StreamPolicy;
  /** Starts a stream. Returns a function that stops it. */
  open(stream: string, params: unknown, sink: FrameSink<unknown>): () => void;
}

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

function parseMessage<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const outcome = schema.safeParse(value);
  if (outcome.success) return outcome.data;
  const issues = issuesOf(outcome.error);
  const first = issues[0];
  throw new BraggError('bad-request', `${what}: ${first?.path || 'the message'}: ${first?.message ?? ''}`, issues);
}

interface RegistryOptions {
  /** Whether to validate results of handlers too. For tests, because an invalid result is an error of the host. */
  readonly checkResults?: boolean;
  /** Present on a first start, when the solver is compiled while pages are served. */
  readonly solver?: StagedSolver | null;
}

/** Methods that work without a solver: stored sessions, lists, files and windows. */
const WITHOUT_SOLVER: ReadonlySet<string> = new Set<MethodName>([
  ...(['capabilities', 'materials.list', 'document.presence', 'run.list', 'log.show', 'figure.pack'] as const),
  ...([
    'bench.list',
    'bench.session',
    'bench.open',
    'bench.history',
    'bench.climbs',
    'bench.attempt',
    'task.stored',
    'task.open',
  ] as const),
  ...(['compare.rows', 'scenario.recent', 'scenario.clearRecent', 'file.choose', 'file.write'] as const),
  ...(['remote.hosts', 'remote.connect', 'remote.answer', 'remote.close', 'host.ping'] as const),
  ...(['shell.document', 'shell.menu', 'shell.close', 'shell.pdf'] as const),
  ...(['recovery.list', 'recovery.draft', 'recovery.drop', 'recovery.keep', 'recovery.discard'] as const),
]);

/**
 * Methods that wait for the complete solver. Measurements wait because the compiler uses the cores until then. The
 * library's index waits because it reads files of all workloads.
 */
const WITH_WHOLE_SOLVER: ReadonlySet<string> = new Set<MethodName>([
  ...(['bench.start', 'study.start', 'study.resume', 'library.search', 'library.rebuild'] as const),
]);

/** Whether a call names a GPU variant. The solver of the first stage contains only transport on the CPU. */
function namesGpu(params: unknown): boolean {
  const variant = valueAt(params, ['scenario', 'solver', 'variant']);
  return typeof variant === 'string' && variant.startsWith('cuda');
}

export class Registry implements Service {
  readonly #handlers: Handlers;
  readonly #sources: Sources;
  readonly #checkResults: boolean;
  readonly #solver: StagedSolver | null;

  constructor(handlers: Handlers, sources: Sources, options: RegistryOptions = {}) {
    this.#handlers = handlers;
    this.#sources = sources;
    this.#checkResults = options.checkResults ?? false;
    this.#solver = options.solver ?? null;
  }

  /** Calls a method within this process, with checked types. */
  async call<M extends MethodName>(
    method: M,
    params: Params<M>,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Result<M>> {
    const schema: z.ZodType = methods[method].params;
    const handler: Handler<M> = this.#handlers[method];
    const accepted = parseMessage(schema, params, method) as HandlerParams<M>;
    const callHandler = (): Result<M> | Promise<Result<M>> => handler(accepted, signal);
    const value = await (this.#solver === null || WITHOUT_SOLVER.has(method)
      ? callHandler()
      : this.#withSolver(this.#solver, WITH_WHOLE_SOLVER.has(method) || namesGpu(params), callHandler, signal));
    if (this.#checkResults) parseMessage(methods[method].result as z.ZodType, value, `result of ${method}`);
    return value;
  }

  async #withSolver<T>(solver: StagedSolver, whole: boolean, callHandler: () => T | Promise<T>, signal: AbortSignal) {
    if (whole) await solver.waitForStage('whole', signal);
    return solver.callWhenCompiled(callHandler, signal);
  }

  /** Handles a call from a page, with unchecked name and parameters. */
  async callByName(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    if (!isMethod(method)) throw new BraggError('bad-request', `The method ${JSON.stringify(method)} does not exist.`);
    return this.call(method, params as Params<MethodName>, signal);
  }

  policyOf(name: string): StreamPolicy {
    if (!isStream(name)) throw new BraggError('bad-request', `The stream ${JSON.stringify(name)} does not exist.`);
    return streams[name].policy;
  }

  /** Opens a stream. Returns a function that stops it. */
  open(name: string, params: unknown, sink: FrameSink<unknown>): () => void {
    if (!isStream(name)) throw new BraggError('bad-request', `The stream ${JSON.stringify(name)} does not exist.`);
    return this.#open(name, params, sink);
  }

  #open<S extends StreamName>(name: S, params: unknown, sink: FrameSink<unknown>): () => void {
    const input: z.ZodType = streams[name].params;
    const frame: z.ZodType = streams[name].frame;
    const source = this.#sources[name] as (params: unknown, sink: FrameSink<unknown>) => () => void;
    const checking: FrameSink<unknown> = this.#checkResults
      ? {
          offer: (make) => sink.offer(() => parseMessage(frame, make(), `frame of ${name}`)),
          end: (error) => sink.end(error),
        }
      : sink;
    return source(parseMessage(input, params, name), checking);
  }
}
