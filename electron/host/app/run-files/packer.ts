/** Packs runs into files and back, on a worker thread that lives only while there is work. */
import { Worker } from 'node:worker_threads';
import { BraggError } from '../../../contract/errors.ts';
import type { PackedFigure } from '../../../contract/figures.ts';
import { startedFile } from '../../io/started-file.ts';
import type { AnyRunData } from '../../workloads/run-data.ts';
import type { Packer, RunFacts } from '../../workloads/run-files/run-file.ts';
import type { Answers, Reply, Task } from './worker.ts';

/** The library takes 50 ms to load: worth keeping for the next file, not for ever. */
const IDLE_MS = 30_000;

type Answer = Answers[Task['kind']];
type Waiting = { readonly resolve: (value: Answer) => void; readonly reject: (error: Error) => void };
/** Distributes over the union, so that each kind of task keeps its own fields. */
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

export class RunPacker implements Packer {
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  #next = 0;
  readonly #waiting = new Map<number, Waiting>();

  write(run: AnyRunData): Promise<Uint8Array> {
    return this.#perform<'write'>({ kind: 'write', run });
  }

  /** The arrays of a figure as an HDF5 file. */
  figure(figure: PackedFigure): Promise<Uint8Array> {
    return this.#perform<'figure'>({ kind: 'figure', figure });
  }

  /** A run of any workload. Throws BraggError `foreign-file`, with `name` in its message. */
  read(bytes: Uint8Array, name: string): Promise<AnyRunData> {
    return this.#perform<'read'>({ kind: 'read', bytes, name });
  }

  /** What lists show of a run file. Throws as `read` does. */
  facts(bytes: Uint8Array, name: string): Promise<RunFacts> {
    return this.#perform<'facts'>({ kind: 'facts', bytes, name });
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #perform<K extends Task['kind']>(task: WithoutId<Extract<Task, { kind: K }>>): Promise<Answers[K]> {
    clearTimeout(this.#idle);
    const worker = this.#worker ?? this.#start();
    const id = this.#next++;
    return new Promise<Answers[K]>((resolve, reject) => {
      // The worker answers each task with what its kind comes to.
      this.#waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
      worker.ref();
      worker.postMessage({ ...task, id });
    });
  }

  #start(): Worker {
    const worker = new Worker(startedFile('run-file-worker', 'app/run-files/worker.ts'));
    this.#worker = worker;
    worker.on('message', (reply: Reply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if (reply.ok) waiting?.resolve(reply.value);
      else waiting?.reject(BraggError.fromWire(reply.error));
      if (this.#waiting.size === 0) this.#rest(worker);
    });
    // Out of memory, or the worker's file is missing: everything that waits fails, and the next task starts a new one.
    worker.on('error', (error: Error) => this.#fail(worker, error.message));
    worker.on('exit', () => this.#fail(worker, 'the file worker ended'));
    return worker;
  }

  #rest(worker: Worker): void {
    worker.unref();
    this.#idle = setTimeout(() => void this.close(), IDLE_MS);
    this.#idle.unref();
  }

  #fail(worker: Worker, reason: string): void {
    if (this.#worker === worker) this.#worker = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new BraggError('internal', `Packing a run file failed: ${reason}`));
  }
}
