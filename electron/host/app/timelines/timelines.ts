/** All timelines that are open or being read, each in its own process. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { BraggError, toWireError } from '../../../contract/errors.ts';
import type { TraceInfo, TraceState } from '../../../contract/timeline.ts';
import type { FrameSink } from '../../io/flow/subscribers.ts';
import type { ChildLink, ProcessExit, StartChild } from '../../io/processes/link.ts';
import type { RunTimeline } from '../../model/timeline/import/run.ts';
import type { Answer, Query, Question } from '../../model/timeline/questions.ts';
import type { Description } from '../../model/timeline/trace.ts';
import type { MessageFromTimeline, MessageToTimeline } from './child.ts';
import { type ReadProgress, scratchFolder } from './open.ts';

/**
 * Maximum time between progress reports while a file is read. Counting the rows is a single call without reports, which
 * needs minutes for 10 GB on a network drive.
 */
const SILENCE_MS = 300_000;

type ReplyValue = Description | Answer<Question> | null;
type DistributiveOmitId<T> = T extends unknown ? Omit<T, 'id'> : never;

interface PendingRead {
  readonly resolve: (value: ReplyValue) => void;
  readonly reject: (error: Error) => void;
  readonly progress: (progress: ReadProgress) => void;
}

export class TraceProcess {
  readonly #link: ChildLink;
  readonly #silence_ms: number;
  readonly #waiting = new Map<number, PendingRead>();
  readonly #scratch = scratchFolder();
  readonly #ended: Promise<void>;
  #silence: NodeJS.Timeout | undefined;
  #next = 0;
  #over: BraggError | null = null;

  constructor(startChild: StartChild, silence_ms = SILENCE_MS) {
    this.#silence_ms = silence_ms;
    this.#link = startChild('timeline-child');
    this.#link.onMessage((reply) => this.#handleReply(reply as MessageFromTimeline));
    // Read the output, because a full pipe would block the process.
    this.#link.onOutput(() => undefined);
    this.#ended = new Promise((resolve) => {
      this.#link.onEnded((how) => {
        this.#fail(lostError(`its process ended (${exitText(how)})`));
        resolve();
      });
    });
  }

  async openFile(file: string, name: string, progress: (progress: ReadProgress) => void): Promise<Description> {
    const failSilent = (): void => {
      const limit = `${this.#silence_ms / 1000} s`;
      this.#fail(
        new BraggError(
          'foreign-file',
          `${name} cannot be opened as a timeline: reading made no progress for ${limit}; the file is damaged or malicious.`,
        ),
      );
      this.#link.kill();
    };
    const restartSilenceTimer = (): void => {
      clearTimeout(this.#silence);
      this.#silence = setTimeout(failSilent, this.#silence_ms);
    };
    const report = (made: ReadProgress): void => {
      restartSilenceTimer();
      progress(made);
    };
    restartSilenceTimer();
    try {
      return (await this.#perform({ kind: 'file', file, name, scratch: this.#scratch }, report)) as Description;
    } finally {
      clearTimeout(this.#silence);
    }
  }

  async openRun(run: RunTimeline): Promise<Description> {
    return (await this.#perform({ kind: 'run', run })) as Description;
  }

  /** Sets the measured copy bandwidth of the GPU in bytes per second. Null if unknown. */
  async setCeiling(ceiling: number | null): Promise<void> {
    await this.#perform({ kind: 'ceiling', ceiling });
  }

  async ask<Q extends Question>(question: Q, asked: Query<Q>): Promise<Answer<Q>> {
    return (await this.#perform({ kind: 'ask', question, asked })) as Answer<Q>;
  }

  /** Ends the process, which frees its memory. Pending calls fail with `disconnected`. */
  async close(): Promise<void> {
    this.#fail(closedError());
    this.#link.kill();
    await this.#ended;
    // A process that was killed while it read a file has not removed its temporary folder.
    await rm(this.#scratch, { recursive: true, force: true });
  }

  #perform(
    task: DistributiveOmitId<MessageToTimeline>,
    progress: PendingRead['progress'] = () => undefined,
  ): Promise<ReplyValue> {
    if (this.#over !== null) return Promise.reject(this.#over);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, progress });
      this.#link.send({ ...task, id });
    });
  }

  #handleReply(reply: MessageFromTimeline): void {
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
const exitText = ({ code, signal }: ProcessExit): string => signal ?? `exit code ${code}`;

/**
 * Maximum number of open timelines. Each has a process with its spans in memory, and the panel displays fewer at a
 * time.
 */
const MAX_OPEN = 24;

interface OpenTimeline {
  readonly timeline: TraceProcess;
  state: TraceState;
}

export class Timelines {
  readonly #entries = new Map<string, OpenTimeline>();
  readonly #watchers = new Set<FrameSink<{ timelines: TraceState[] }>>();
  /** Timelines of runs that are being opened, by run. */
  readonly #opening = new Map<string, Promise<TraceInfo>>();
  readonly #startChild: StartChild;
  readonly #ceilingOf: (device: string) => Promise<number | null>;

  /** `ceilingOf`: returns the measured copy bandwidth of a GPU, given its name, in bytes per second. */
  constructor(startChild: StartChild, ceilingOf: (device: string) => Promise<number | null>) {
    this.#startChild = startChild;
    this.#ceilingOf = ceilingOf;
  }

  openFile(file: string, name: string, signal?: AbortSignal): Promise<TraceInfo> {
    return this.#open(name, null, signal, (timeline, progress) => timeline.openFile(file, name, progress));
  }

  /** Opens the timeline of a run once, even if it is requested several times. */
  openRun(id: string, run: () => Promise<RunTimeline>): Promise<TraceInfo> {
    const known = this.#opening.get(id) ?? this.#openRun(id, run).finally(() => this.#opening.delete(id));
    this.#opening.set(id, known);
    return known;
  }

  async #openRun(id: string, run: () => Promise<RunTimeline>): Promise<TraceInfo> {
    for (const { state } of this.#entries.values())
      if (state.state === 'open' && state.info.run === id) return state.info;
    const data = await run();
    return this.#open(data.name, id, undefined, (timeline) => timeline.openRun(data));
  }

  ask<Q extends Question>(trace: string, question: Q, asked: Query<Q>): Promise<Answer<Q>> {
    const entry = this.#entries.get(trace);
    if (entry?.state.state !== 'open') {
      return Promise.reject(new BraggError('not-found', 'This timeline is no longer open.'));
    }
    return entry.timeline.ask(question, asked);
  }

  /** Returns the description of an open timeline. Throws BraggError `not-found` if it is not open. */
  infoOf(trace: string): TraceInfo {
    const state = this.#entries.get(trace)?.state;
    if (state?.state === 'open') return state.info;
    throw new BraggError('not-found', 'This timeline is no longer open.');
  }

  async close(trace: string): Promise<void> {
    const entry = this.#entries.get(trace);
    this.#entries.delete(trace);
    this.#notifyWatchers();
    await entry?.timeline.close();
  }

  watch(sink: FrameSink<{ timelines: TraceState[] }>): () => void {
    this.#watchers.add(sink);
    sink.offer(() => this.#list());
    return () => this.#watchers.delete(sink);
  }

  async closeAll(): Promise<void> {
    for (const sink of this.#watchers) sink.end();
    this.#watchers.clear();
    await Promise.all([...this.#entries.keys()].map((id) => this.close(id)));
  }

  async #open(
    name: string,
    run: string | null,
    signal: AbortSignal | undefined,
    read: (timeline: TraceProcess, progress: (progress: ReadProgress) => void) => Promise<Description>,
  ): Promise<TraceInfo> {
    this.#makeRoom();
    const id = randomBytes(9).toString('base64url');
    const timeline = new TraceProcess(this.#startChild);
    const reading = (progress: ReadProgress): TraceState => ({ state: 'reading', id, name, ...progress });
    const entry: OpenTimeline = { timeline, state: reading({ read_bytes: 0, total_bytes: 0, spans: 0 }) };
    this.#entries.set(id, entry);
    this.#notifyWatchers();
    const stop = (): void => void this.close(id);
    signal?.addEventListener('abort', stop);
    try {
      const { device, ...description } = await read(timeline, (progress) => {
        entry.state = reading(progress);
        this.#notifyWatchers();
      });
      await timeline.setCeiling(device === null ? null : await this.#ceilingOf(device));
      const info: TraceInfo = { ...description, id, run };
      entry.state = { state: 'open', info };
      this.#notifyWatchers();
      return info;
    } catch (error) {
      await timeline.close();
      if (this.#entries.has(id)) {
        // The caller receives the error too. Remove the entry, because there is nothing to close.
        entry.state = { state: 'failed', id, name, error: toWireError(error) };
        this.#notifyWatchers();
        this.#entries.delete(id);
      }
      throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  #makeRoom(): void {
    if (this.#entries.size < MAX_OPEN) return;
    throw new BraggError('memory', `${MAX_OPEN} timelines are open, the maximum. Close one first.`);
  }

  #list(): { timelines: TraceState[] } {
    return { timelines: [...this.#entries.values()].map(({ state }) => state) };
  }

  #notifyWatchers(): void {
    for (const sink of this.#watchers) sink.offer(() => this.#list());
  }
}
