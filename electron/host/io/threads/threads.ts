/**
 * Worker threads of the host: few, started on demand, and ended when idle. Messages between threads are copied, and a
 * large one would block the sending thread. Values are therefore divided into pieces, each of which is sent and
 * received within a few milliseconds.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { BraggError, type WireError } from '../../../contract/errors.ts';
import { runToCompletion, type YieldingTask } from '../../../domain/values/pausing.ts';
import { runInSlices } from '../flow/cooperative.ts';
import { programPath } from '../programs.ts';
import { withSharedArrays } from './shared.ts';

type PathKey = string | number;

/** Location in a piece where another piece is inserted. An empty `at` denotes the root of the piece. */
interface PiecePosition {
  readonly at: readonly PathKey[];
  readonly piece: number;
}

/**
 * A piece of a value. Pieces are numbered from 0: nested pieces come before those that contain them, and the last is
 * the complete value.
 */
export type Piece =
  | { readonly kind: 'value'; readonly value: unknown; readonly holes: readonly PiecePosition[] }
  /** Concatenated lists, or objects with merged keys. */
  | { readonly kind: 'list' | 'map'; readonly of: readonly number[] };

/** Maximum number of values in a piece, which need about 4 ms to serialize. */
const MAX_VALUES = 10_000;
/** Number of characters of a text that count as one value. */
const CHARACTERS_PER_VALUE = 64;

interface PieceDraft {
  readonly value: unknown;
  readonly values: number;
  readonly holes: readonly PiecePosition[];
}

function isPlainContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}

class PieceGroup {
  readonly entries: [PathKey, unknown][] = [];
  readonly holes: PiecePosition[] = [];
  values = 1;

  add(step: PathKey, { value, values, holes }: PieceDraft): void {
    this.entries.push([step, value]);
    this.values += values;
    for (const hole of holes) this.holes.push({ at: [step, ...hole.at], piece: hole.piece });
  }
}

/** Size of a number or text, in the unit of MAX_VALUES. */
const leafSize = (leaf: unknown): number =>
  typeof leaf === 'string' ? 1 + Math.floor(leaf.length / CHARACTERS_PER_VALUE) : 1;

/** Number of values in a tree. Stops counting above `most`. */
function countValues(value: unknown, most: number): number {
  if (!isPlainContainer(value)) return leafSize(value);
  let sum = 1;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    sum += typeof inner === 'number' ? 1 : countValues(inner, most - sum);
    if (sum > most) break;
  }
  return sum;
}

/**
 * Divides a value into pieces, in the order of assembly. The value may contain lists, objects, typed arrays, numbers
 * and texts.
 */
export const splitIntoPieces = (whole: unknown, most?: number): readonly Piece[] =>
  runToCompletion(splitInSlices(whole, most));

export function* splitInSlices(whole: unknown, most: number = MAX_VALUES): YieldingTask<readonly Piece[]> {
  const pieces: Piece[] = [];
  const put = (piece: Piece): number => pieces.push(piece) - 1;
  function* split(value: unknown): YieldingTask<PieceDraft> {
    yield;
    // A value that fits into one piece is not copied: copying doubled the time of a task that reads a file.
    const values = countValues(value, most);
    if (!isPlainContainer(value) || values <= most) return { value, values, holes: [] };
    const isList = Array.isArray(value);
    let group = new PieceGroup();
    const groups = [group];
    for (const [key, inner] of isList ? value.entries() : Object.entries(value)) {
      const part = yield* split(inner);
      if (group.values + part.values > most && group.entries.length > 0) {
        group = new PieceGroup();
        groups.push(group);
      }
      group.add(isList ? group.entries.length : key, part);
    }
    const made = groups.map(({ entries, values, holes }) => ({
      value: isList ? entries.map(([, entry]) => entry) : Object.fromEntries(entries),
      values,
      holes,
    }));
    const [only] = made;
    if (made.length === 1 && only !== undefined) return only;
    const of = made.map(({ value: each, holes }) => put({ kind: 'value', value: each, holes }));
    return { value: null, values: 1, holes: [{ at: [], piece: put({ kind: isList ? 'list' : 'map', of }) }] };
  }
  const { value, holes } = yield* split(whole);
  if (holes[0]?.at.length !== 0) put({ kind: 'value', value, holes });
  return pieces;
}

/** Puts a value together from its pieces. */
export class PieceAssembler {
  readonly #made: unknown[] = [];

  /** Adds the next piece, in order. The call with the last piece returns the complete value. */
  add(piece: Piece): unknown {
    const made = this.#assemble(piece);
    this.#made.push(made);
    return made;
  }

  #assemble(piece: Piece): unknown {
    if (piece.kind !== 'value') {
      const parts = piece.of.map((each) => this.#made[each]);
      if (piece.kind === 'list') return parts.flat();
      return Object.fromEntries(parts.flatMap((part) => Object.entries(part as object)));
    }
    for (const { at, piece: inner } of piece.holes) {
      const holder = at.slice(0, -1).reduce<unknown>((value, step) => Reflect.get(value as object, step), piece.value);
      const value = this.#made[inner];
      const step = at.at(-1) ?? '';
      Object.defineProperty(holder, step, { value, writable: true, enumerable: true, configurable: true });
    }
    return piece.value;
  }
}

export type MessageToThread =
  /** A piece of the argument of a task. The last piece comes with the message `task`. */
  | { readonly kind: 'part'; readonly id: number; readonly piece: Piece }
  | { readonly kind: 'task'; readonly id: number; readonly name: string; readonly piece: Piece }
  | { readonly kind: 'cancel'; readonly id: number }
  /** Requests the next piece of the result. Pieces are sent one at a time, so that other work can run in between. */
  | { readonly kind: 'more'; readonly id: number };

export type MessageFromThread =
  | { readonly kind: 'piece'; readonly id: number; readonly piece: Piece; readonly last: boolean }
  | { readonly kind: 'failed'; readonly id: number; readonly error: WireError };

/**
 * Maximum number of threads: one may work on a file for minutes while the other reads a scenario. More would use cores
 * that solvers need.
 */
const MAX_THREADS = 2;
/**
 * Time after which an idle thread ends. Until then it is ready for the next file; loading the HDF5 library again would
 * need 50 ms.
 */
const IDLE_MS = 30_000;
/**
 * Idle time for threads with rows of a study: a user who returns to the study should not wait until it is read again.
 */
const CACHING_IDLE_MS = 600_000;

interface PendingWork {
  readonly assembly: PieceAssembler;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

class WorkerThread {
  readonly #worker = new Worker(programPath('aside-worker', 'app/threads/worker.ts'));
  readonly #waiting = new Map<number, PendingWork>();
  readonly #gone: () => void;
  #next = 0;
  #idle: NodeJS.Timeout | undefined;
  /** Whether the thread has data that will be requested again, so that it lives longer. */
  isCaching = false;

  constructor(gone: () => void) {
    this.#gone = gone;
    this.#worker.on('message', (message: MessageFromThread) => this.#handleMessage(message));
    // An error means that the thread ran out of memory, or that its file is missing. All pending tasks fail; the next
    // one starts a new thread.
    this.#worker.on('error', (error: Error) => this.#fail(error.message));
    this.#worker.on('exit', () => this.#fail('its thread ended'));
  }

  get load(): number {
    return this.#waiting.size;
  }

  perform(name: string, pieces: readonly Piece[], signal: AbortSignal): Promise<unknown> {
    clearTimeout(this.#idle);
    const id = this.#next++;
    const cancel = (): void => this.#send({ kind: 'cancel', id });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { assembly: new PieceAssembler(), resolve, reject });
      this.#worker.ref();
      signal.addEventListener('abort', cancel);
      void this.#sendTask(id, name, pieces, signal);
    }).finally(() => signal.removeEventListener('abort', cancel));
  }

  async #sendTask(id: number, name: string, pieces: readonly Piece[], signal: AbortSignal): Promise<void> {
    for (const [i, piece] of pieces.entries()) {
      if (i > 0) await nextTurn();
      // The task may have failed while the pieces were sent.
      if (!this.#waiting.has(id)) return;
      this.#send(i === pieces.length - 1 ? { kind: 'task', id, name, piece } : { kind: 'part', id, piece });
    }
    // A cancellation sent before the task's message had no effect, so it is sent again.
    if (signal.aborted) this.#send({ kind: 'cancel', id });
  }

  #send(message: MessageToThread): void {
    this.#worker.postMessage(message);
  }

  #handleMessage(message: MessageFromThread): void {
    const { id } = message;
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    if (message.kind === 'piece') {
      const value = waiting.assembly.add(message.piece);
      if (!message.last) {
        this.#send({ kind: 'more', id });
        return;
      }
      waiting.resolve(value);
    } else waiting.reject(BraggError.fromWire(message.error));
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#startIdleTimer();
  }

  #startIdleTimer(): void {
    this.#worker.unref();
    // The thread is removed from the list before it ends, so that no request is sent to it in the meantime.
    const end = (): void => {
      this.#gone();
      void this.#worker.terminate();
    };
    this.#idle = setTimeout(end, this.isCaching ? CACHING_IDLE_MS : IDLE_MS);
    this.#idle.unref();
  }

  #fail(reason: string): void {
    clearTimeout(this.#idle);
    this.#gone();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new BraggError('internal', `The request failed: ${reason}.`));
  }
}

class ThreadPool {
  readonly #all = new Set<WorkerThread>();

  /**
   * Performs a task on the least busy thread. If `isCaching` is true, the task reuses data of earlier calls: all such tasks
   * run on one thread.
   */
  async perform(name: string, argument: unknown, isCaching: boolean, signal: AbortSignal): Promise<unknown> {
    const pieces = await runInSlices(splitInSlices(await withSharedArrays(argument)));
    if (!isCaching) return this.#leastBusy().perform(name, pieces, signal);
    const keeper = [...this.#all].find((thread) => thread.isCaching) ?? this.#leastBusy();
    keeper.isCaching = true;
    return keeper.perform(name, pieces, signal);
  }

  #leastBusy(): WorkerThread {
    const found = [...this.#all].sort((a, b) => a.load - b.load)[0];
    if (found !== undefined && (found.load === 0 || this.#all.size === MAX_THREADS)) return found;
    const thread: WorkerThread = new WorkerThread(() => this.#all.delete(thread));
    this.#all.add(thread);
    return thread;
  }
}

/** The host's worker threads. All parts of the host share them, because each thread needs memory. */
export const threadPool = new ThreadPool();
