/** Worker threads of the host: few, started on demand, ended after some idle time. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { BraggError, type WireError } from '../../../contract/errors.ts';
import { inTurns } from '../flow/in-turns.ts';
import { startedFile } from '../started-file.ts';
import { Assembly, type Piece, piecesInSteps } from './pieces.ts';
import { withSharedArrays } from './shared.ts';

export type ToThread =
  /** Argument of a task, in pieces; the last piece comes with the request. */
  | { readonly kind: 'part'; readonly id: number; readonly piece: Piece }
  | { readonly kind: 'task'; readonly id: number; readonly name: string; readonly piece: Piece }
  | { readonly kind: 'cancel'; readonly id: number }
  /** Requests the next piece of an answer, one at a time, so that other work can run in between. */
  | { readonly kind: 'more'; readonly id: number };

export type FromThread =
  | { readonly kind: 'piece'; readonly id: number; readonly piece: Piece; readonly last: boolean }
  | { readonly kind: 'failed'; readonly id: number; readonly error: WireError };

/** One works on a file for minutes while the other reads a scenario; more would take cores from the solvers. */
const MOST_THREADS = 2;
/** The library of run files takes 50 ms to load: worth keeping for the next file, not for ever. */
const IDLE_MS = 30_000;
/** Rows of a study take longer to read than a person looks elsewhere. */
const KEEPING_MS = 600_000;

interface Waiting {
  readonly assembly: Assembly;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

class Thread {
  readonly #worker = new Worker(startedFile('aside-worker', 'app/aside/worker.ts'));
  readonly #waiting = new Map<number, Waiting>();
  readonly #gone: () => void;
  #next = 0;
  #idle: NodeJS.Timeout | undefined;
  /** Its data will be requested again, so it stays alive longer. */
  keeps = false;

  constructor(gone: () => void) {
    this.#gone = gone;
    this.#worker.on('message', (message: FromThread) => this.#take(message));
    // Out of memory, or its file is missing: everything that waits fails, and the next task starts a new one.
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
      this.#waiting.set(id, { assembly: new Assembly(), resolve, reject });
      this.#worker.ref();
      signal.addEventListener('abort', cancel);
      void this.#ask(id, name, pieces, signal);
    }).finally(() => signal.removeEventListener('abort', cancel));
  }

  async #ask(id: number, name: string, pieces: readonly Piece[], signal: AbortSignal): Promise<void> {
    for (const [i, piece] of pieces.entries()) {
      if (i > 0) await nextTurn();
      // It may have ended meanwhile.
      if (!this.#waiting.has(id)) return;
      this.#send(i === pieces.length - 1 ? { kind: 'task', id, name, piece } : { kind: 'part', id, piece });
    }
    // A cancel that came before the task is repeated after it.
    if (signal.aborted) this.#send({ kind: 'cancel', id });
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromThread): void {
    const { id } = message;
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    if (message.kind === 'piece') {
      const value = waiting.assembly.take(message.piece);
      if (!message.last) {
        this.#send({ kind: 'more', id });
        return;
      }
      waiting.resolve(value);
    } else waiting.reject(BraggError.fromWire(message.error));
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#rest();
  }

  #rest(): void {
    this.#worker.unref();
    // Removed before it ends: requests in the meantime go to another thread.
    const end = (): void => {
      this.#gone();
      void this.#worker.terminate();
    };
    this.#idle = setTimeout(end, this.keeps ? KEEPING_MS : IDLE_MS);
    this.#idle.unref();
  }

  #fail(reason: string): void {
    clearTimeout(this.#idle);
    this.#gone();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new BraggError('internal', `What was asked for failed: ${reason}.`));
  }
}

class Threads {
  readonly #all = new Set<Thread>();

  /** `keeps`: it goes on with what such a task has read before, so all of them have one thread. */
  async perform(name: string, argument: unknown, keeps: boolean, signal: AbortSignal): Promise<unknown> {
    const pieces = await inTurns(piecesInSteps(await withSharedArrays(argument)));
    if (!keeps) return this.#leastBusy().perform(name, pieces, signal);
    const keeper = [...this.#all].find((thread) => thread.keeps) ?? this.#leastBusy();
    keeper.keeps = true;
    return keeper.perform(name, pieces, signal);
  }

  #leastBusy(): Thread {
    const found = [...this.#all].sort((a, b) => a.load - b.load)[0];
    if (found !== undefined && (found.load === 0 || this.#all.size === MOST_THREADS)) return found;
    const thread: Thread = new Thread(() => this.#all.delete(thread));
    this.#all.add(thread);
    return thread;
  }
}

/** One set for the whole program: each thread costs memory. */
export const threads = new Threads();
