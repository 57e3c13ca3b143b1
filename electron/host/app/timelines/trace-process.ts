/** The host's end of the process that holds one timeline. */
import { rm } from 'node:fs/promises';
import { BraggError } from '../../../contract/errors.ts';
import type { ChildLink, Ended, StartChild } from '../../io/processes/link.ts';
import type { Description } from '../../model/timeline/description.ts';
import type { RunTimeline } from '../../model/timeline/import/run.ts';
import type { Answer, Asked, Question } from '../../model/timeline/questions.ts';
import type { FromTimeline, ToTimeline } from './child.ts';
import type { ReadProgress } from './open.ts';
import { scratchFolder } from './scratch.ts';

/**
 * Longest time without a report of progress while a file is read. Counting rows is one call without a report; for 10 GB
 * on a network drive it takes minutes.
 */
const SILENCE_MS = 300_000;

type Value = Description | Answer<Question> | null;
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

interface Waiting {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
  readonly progress: (progress: ReadProgress) => void;
}

export class TraceProcess {
  readonly #link: ChildLink;
  readonly #silence_ms: number;
  readonly #waiting = new Map<number, Waiting>();
  readonly #scratch = scratchFolder();
  readonly #ended: Promise<void>;
  #silence: NodeJS.Timeout | undefined;
  #next = 0;
  #over: BraggError | null = null;

  constructor(startChild: StartChild, silence_ms = SILENCE_MS) {
    this.#silence_ms = silence_ms;
    this.#link = startChild('timeline-child');
    this.#link.onMessage((reply) => this.#take(reply as FromTimeline));
    // Its output is read so that it never waits for a full pipe.
    this.#link.onOutput(() => undefined);
    this.#ended = new Promise((resolve) => {
      this.#link.onEnded((how) => {
        this.#fail(lostError(`its process ended (${wordsOf(how)})`));
        resolve();
      });
    });
  }

  async openFile(file: string, name: string, progress: (progress: ReadProgress) => void): Promise<Description> {
    const late = (): void => {
      const limit = `${this.#silence_ms / 1000} s`;
      this.#fail(
        new BraggError(
          'foreign-file',
          `${name} cannot be opened as a timeline: reading made no progress for ${limit}; the file is damaged, or made to take for ever.`,
        ),
      );
      this.#link.kill();
    };
    const heard = (): void => {
      clearTimeout(this.#silence);
      this.#silence = setTimeout(late, this.#silence_ms);
    };
    const report = (made: ReadProgress): void => {
      heard();
      progress(made);
    };
    heard();
    try {
      return (await this.#perform({ kind: 'file', file, name, scratch: this.#scratch }, report)) as Description;
    } finally {
      clearTimeout(this.#silence);
    }
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

  /** Frees its memory. Pending calls fail with `disconnected`. */
  async close(): Promise<void> {
    this.#fail(closedError());
    this.#link.kill();
    await this.#ended;
    // A process that was killed while it read leaves the folder.
    await rm(this.#scratch, { recursive: true, force: true });
  }

  #perform(task: WithoutId<ToTimeline>, progress: Waiting['progress'] = () => undefined): Promise<Value> {
    if (this.#over !== null) return Promise.reject(this.#over);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, progress });
      this.#link.send({ ...task, id });
    });
  }

  #take(reply: FromTimeline): void {
    const waiting = this.#waiting.get(reply.id);
    if (reply.kind === 'progress') {
      waiting?.progress(reply.progress);
      return;
    }
    this.#waiting.delete(reply.id);
    if (reply.kind === 'done') waiting?.resolve(reply.value);
    else waiting?.reject(BraggError.fromWire(reply.error));
  }

  #fail(error: BraggError): void {
    this.#over ??= error;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(this.#over);
  }
}

const closedError = (): BraggError => new BraggError('disconnected', 'This timeline was closed.');
const lostError = (reason: string): BraggError => new BraggError('memory', `The timeline was lost: ${reason}.`);
const wordsOf = ({ code, signal }: Ended): string => signal ?? `exit code ${code}`;
