/** The host's end of the thread that has a library's index. */
import { Worker } from 'node:worker_threads';
import { BraggError } from '../../../contract/errors.ts';
import { startedFile } from '../../io/started-file.ts';
import type { IndexedFolders, IndexQuestions, IndexReply, IndexTask } from './index-worker.ts';

type Asked<Q extends keyof IndexQuestions> = Parameters<IndexQuestions[Q]>;
type Answer<Q extends keyof IndexQuestions> = ReturnType<IndexQuestions[Q]>;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class IndexThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #onTrouble: (reason: string) => void;
  #next = 0;
  #renewals = 0;
  #ended: BraggError | null = null;

  constructor(place: IndexedFolders, onTrouble: (reason: string) => void) {
    this.#onTrouble = onTrouble;
    this.#worker = new Worker(startedFile('library-worker', 'app/library/index-worker.ts'), { workerData: place });
    this.#worker.on('message', (reply: IndexReply) => this.#take(reply));
    this.#worker.on('error', (error: Error) => this.#end(`The index of the library failed: ${error.message}.`));
    this.#worker.on('exit', () => this.#end('The index of the library was closed.'));
    // An index alone does not keep a program alive.
    this.#worker.unref();
  }

  /** Another one is to be opened. */
  get ended(): boolean {
    return this.#ended !== null;
  }

  /** Number of rebuilds since opening, as of the last answer. A rebuild discards everything that was read before. */
  get renewals(): number {
    return this.#renewals;
  }

  ask<Q extends keyof IndexQuestions>(question: Q, ...asked: Asked<Q>): Promise<Answer<Q>> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    const id = this.#next++;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#worker.ref();
    this.#worker.postMessage({ id, question, asked } satisfies IndexTask);
    return answer as Promise<Answer<Q>>;
  }

  /** Closes after all earlier requests. */
  async close(): Promise<void> {
    await this.ask('close').catch(() => undefined);
    await this.#worker.terminate();
  }

  #take(reply: IndexReply): void {
    if (reply.kind === 'trouble') {
      this.#onTrouble(reply.reason);
      return;
    }
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (reply.kind === 'failed') {
      waiting?.reject(BraggError.fromWire(reply.error));
      return;
    }
    this.#renewals = reply.renewals;
    waiting?.resolve(reply.value);
  }

  #end(reason: string): void {
    this.#ended ??= new BraggError('internal', reason);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(this.#ended);
  }
}
