/** The host's end of one timeline's worker thread. */
import { rm } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { BraggError } from '../../../contract/errors.ts';
import { startedFile } from '../../io/started-file.ts';
import type { Description } from '../../model/timeline/description.ts';
import type { RunTimeline } from '../../model/timeline/import/run.ts';
import type { Answer, Asked, Question } from '../../model/timeline/questions.ts';
import type { ReadProgress } from './open.ts';
import { scratchFolder } from './scratch.ts';
import type { WorkerReply, WorkerTask } from './worker.ts';

type Value = Description | Answer<Question> | null;
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

interface Waiting {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
  readonly progress: (progress: ReadProgress) => void;
}

export class TraceWorker {
  readonly #worker = new Worker(startedFile('timeline-worker', 'app/timelines/worker.ts'));
  readonly #waiting = new Map<number, Waiting>();
  readonly #scratch = scratchFolder();
  #next = 0;
  #closed = false;

  constructor() {
    this.#worker.on('message', (reply: WorkerReply) => this.#take(reply));
    this.#worker.on('error', (error: Error) => this.#fail(error.message));
    this.#worker.on('exit', () => this.#fail('its thread ended'));
    // An open timeline alone does not keep a program alive.
    this.#worker.unref();
  }

  async openFile(file: string, name: string, progress: (progress: ReadProgress) => void): Promise<Description> {
    return (await this.#perform({ kind: 'file', file, name, scratch: this.#scratch }, progress)) as Description;
  }

  async openRun(run: RunTimeline): Promise<Description> {
    return (await this.#perform({ kind: 'run', run })) as Description;
  }

  /** Measured copy bandwidth of the GPU, bytes per second. */
  async setCeiling(ceiling: number | null): Promise<void> {
    await this.#perform({ kind: 'ceiling', ceiling });
  }

  async ask<Q extends Question>(question: Q, asked: Asked<Q>): Promise<Answer<Q>> {
    return (await this.#perform({ kind: 'ask', question, asked })) as Answer<Q>;
  }

  /** Frees its memory; what waits fails with `disconnected`. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker.terminate();
    // Where it was ended on its way.
    await rm(this.#scratch, { recursive: true, force: true });
  }

  #perform(task: WithoutId<WorkerTask>, progress: Waiting['progress'] = () => undefined): Promise<Value> {
    if (this.#closed) return Promise.reject(closedError());
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, progress });
      this.#worker.ref();
      this.#worker.postMessage({ ...task, id });
    });
  }

  #take(reply: WorkerReply): void {
    const waiting = this.#waiting.get(reply.id);
    if (reply.kind === 'progress') {
      waiting?.progress(reply.progress);
      return;
    }
    this.#waiting.delete(reply.id);
    if (reply.kind === 'done') waiting?.resolve(reply.value);
    else waiting?.reject(BraggError.fromWire(reply.error));
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #fail(reason: string): void {
    const error = this.#closed ? closedError() : new BraggError('memory', `The timeline was lost: ${reason}.`);
    this.#closed = true;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}

const closedError = (): BraggError => new BraggError('disconnected', 'This timeline was closed.');
