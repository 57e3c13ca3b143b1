/** The timelines that are open, and those being read. */
import { randomBytes } from 'node:crypto';
import { BraggError, toWireError } from '../../../contract/errors.ts';
import type { TraceInfo, TraceState } from '../../../contract/timeline.ts';
import type { Sink } from '../../io/flow/sink.ts';
import type { StartChild } from '../../io/processes/link.ts';
import type { Description } from '../../model/timeline/description.ts';
import type { RunTimeline } from '../../model/timeline/import/run.ts';
import type { Answer, Asked, Question } from '../../model/timeline/questions.ts';
import type { ReadProgress } from './open.ts';
import { TraceProcess } from './trace-process.ts';

/** Each has a process with its spans in memory; the panel shows fewer at once. */
const MOST_OPEN = 24;

interface Entry {
  readonly timeline: TraceProcess;
  state: TraceState;
}

export class Timelines {
  readonly #entries = new Map<string, Entry>();
  readonly #watchers = new Set<Sink<{ timelines: TraceState[] }>>();
  /** Runs whose timelines are on their way. */
  readonly #opening = new Map<string, Promise<TraceInfo>>();
  readonly #startChild: StartChild;
  readonly #ceilingOf: (device: string) => Promise<number | null>;

  /** `ceilingOf`: measured copy bandwidth of a GPU by its name, bytes per second. */
  constructor(startChild: StartChild, ceilingOf: (device: string) => Promise<number | null>) {
    this.#startChild = startChild;
    this.#ceilingOf = ceilingOf;
  }

  openFile(file: string, name: string, signal?: AbortSignal): Promise<TraceInfo> {
    return this.#open(name, null, signal, (timeline, progress) => timeline.openFile(file, name, progress));
  }

  /** A run's timeline is opened once, whoever asks. */
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

  ask<Q extends Question>(trace: string, question: Q, asked: Asked<Q>): Promise<Answer<Q>> {
    const entry = this.#entries.get(trace);
    if (entry?.state.state !== 'open') {
      return Promise.reject(new BraggError('not-found', 'This timeline is no longer open.'));
    }
    return entry.timeline.ask(question, asked);
  }

  /** Throws BraggError `not-found` for one that is not open. */
  infoOf(trace: string): TraceInfo {
    const state = this.#entries.get(trace)?.state;
    if (state?.state === 'open') return state.info;
    throw new BraggError('not-found', 'This timeline is no longer open.');
  }

  async close(trace: string): Promise<void> {
    const entry = this.#entries.get(trace);
    this.#entries.delete(trace);
    this.#changed();
    await entry?.timeline.close();
  }

  watch(sink: Sink<{ timelines: TraceState[] }>): () => void {
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
    const entry: Entry = { timeline, state: reading({ read_bytes: 0, total_bytes: 0, spans: 0 }) };
    this.#entries.set(id, entry);
    this.#changed();
    const stop = (): void => void this.close(id);
    signal?.addEventListener('abort', stop);
    try {
      const { device, ...description } = await read(timeline, (progress) => {
        entry.state = reading(progress);
        this.#changed();
      });
      await timeline.setCeiling(device === null ? null : await this.#ceilingOf(device));
      const info: TraceInfo = { ...description, id, run };
      entry.state = { state: 'open', info };
      this.#changed();
      return info;
    } catch (error) {
      await timeline.close();
      if (this.#entries.has(id)) {
        // The caller gets the error too. The list drops the entry, as there is nothing to close.
        entry.state = { state: 'failed', id, name, error: toWireError(error) };
        this.#changed();
        this.#entries.delete(id);
      }
      throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  #makeRoom(): void {
    if (this.#entries.size < MOST_OPEN) return;
    throw new BraggError('memory', `${MOST_OPEN} timelines are open, the most there can be. Close one first.`);
  }

  #list(): { timelines: TraceState[] } {
    return { timelines: [...this.#entries.values()].map(({ state }) => state) };
  }

  #changed(): void {
    for (const sink of this.#watchers) sink.offer(() => this.#list());
  }
}
