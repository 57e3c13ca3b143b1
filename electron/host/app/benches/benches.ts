/** All benchmark sessions of a host: starts and cancels them one at a time, and stores their results. */
import { randomBytes } from 'node:crypto';
import type { BenchInfo, BenchProgress, BenchState } from '../../../contract/bench/benches.ts';
import type { Session } from '../../../contract/bench/session.ts';
import { BraggError, toWireError, type WireError } from '../../../contract/errors.ts';
import type { FileRef, NamedFile } from '../../../contract/files.ts';
import type { WorkloadName } from '../../../contract/workload.ts';
import type { FileAccess } from '../../io/files/access.ts';
import { jsonTextInSlices, runInSlices } from '../../io/flow/cooperative.ts';
import { ALL_LANES, type LaneQueue } from '../../io/flow/lanes.ts';
import { type FrameSink, FrameSubscribers } from '../../io/flow/subscribers.ts';
import { sessionFileContent } from '../../model/bench/session-file.ts';
import type { BenchProgress as Measured } from '../../model/bench/stopping.ts';
import type { ComparedField } from '../../model/fields/field.ts';
import type { BenchOutcome, BenchTask } from '../../workloads/benchable.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import type { Checkpoints, NamedSession } from '../recovery/checkpoints.ts';
import { type SessionOverview, withoutRecordings } from '../sessions/index.ts';
import {
  benchInfo,
  machineOf,
  type NamedOutline,
  type SessionSource,
  type StoredSession,
  type StoredSessions,
} from './stored.ts';
import type { BenchRunner } from './thread.ts';

interface BenchRequest {
  readonly name: string;
  readonly task: Omit<BenchTask, 'created'>;
}

/** Properties of a benchmark that lists show. They are the same before and after it has a result. */
interface BenchDescription {
  readonly name: string;
  readonly workload: WorkloadName;
  readonly scenario: string;
  readonly sweep: string | null;
}

interface LiveBench {
  readonly id: string;
  readonly about: BenchDescription;
  /** Null if the session was measured by an earlier process. */
  readonly request: BenchRequest | null;
  readonly created: string;
  readonly stop: AbortController;
  readonly followers: FrameSubscribers<BenchProgress>;
  state: BenchState;
  progress: BenchProgress;
  session: Session | null;
  /** The session exactly as it is stored in a file. */
  saved: Session | null;
  /** Fields computed by the candidates, by report and label. Empty for sessions of an earlier process. */
  answers: BenchOutcome['answers'];
  file: NamedFile | null;
  error: WireError | null;
}

interface ListedSession {
  readonly name: string;
  readonly session: Session;
  /** The session exactly as it is stored in a file. */
  readonly saved: Session;
  /** Returns the field that an entry computed. Null for sessions of other processes, because files store no fields. */
  readonly answer: (report: number, label: string) => ComparedField | null;
}

interface BenchesOptions {
  readonly lanes: LaneQueue;
  readonly files: FileAccess;
  readonly stored: StoredSessions;
  readonly perform: BenchRunner;
  /** Name of this machine in lists. */
  readonly machine: () => string;
  /** Saves unsaved sessions for recovery after a crash. Null if recovery is not needed. */
  readonly checkpoints: Pick<Checkpoints<NamedSession>, 'save' | 'drop'> | null;
  readonly log: (level: 'info' | 'warning' | 'error', text: string) => void;
}

function hasEnded({ state }: LiveBench): boolean {
  return state !== 'queued' && state !== 'running';
}

function firstProgress(bench: string, rounds: number): BenchProgress {
  const nothingYet = { round: 0, rounds, elapsed_s: 0, left_s: null, latest: [] };
  return { bench, state: 'queued', phase: '', variant: '', ...nothingYet };
}

export class Benches {
  readonly #options: BenchesOptions;
  readonly #live = new Map<string, LiveBench>();
  readonly #watchers = new Set<FrameSink<{ benches: BenchInfo[] }>>();
  #closing = false;

  constructor(options: BenchesOptions) {
    this.#options = options;
    options.lanes.listen(() => this.#notifyWatchers());
  }

  start(request: BenchRequest): BenchInfo {
    if (this.#closing) throw new BraggError('unsupported', 'The program is closing.');
    const id = randomBytes(9).toString('base64url');
    const { task, name } = request;
    const { workload, scenario, sweep } = task;
    const live: LiveBench = {
      id,
      about: { name, workload, scenario, sweep: sweep?.path ?? null },
      request,
      created: new Date().toISOString(),
      stop: new AbortController(),
      followers: new FrameSubscribers(),
      state: 'queued',
      progress: firstProgress(id, task.limits.mostRounds),
      session: null,
      saved: null,
      answers: [],
      file: null,
      error: null,
    };
    this.#live.set(id, live);
    this.#options.lanes.add({ id, lane: ALL_LANES, run: () => this.#execute(live, request) });
    this.#notifyWatchers();
    return this.#infoOf(live);
  }

  /** Adds a session that an earlier process measured but did not save. */
  async addRecovered(name: string, { saved, session }: { saved: Session; session: Session }): Promise<BenchInfo> {
    const id = randomBytes(9).toString('base64url');
    const { workload, created, sweep, reports } = session;
    const live: LiveBench = {
      id,
      about: { name, workload, scenario: reports[0]?.scenario ?? '', sweep: sweep?.path ?? null },
      request: null,
      created,
      stop: new AbortController(),
      followers: new FrameSubscribers(),
      state: 'done',
      progress: { ...firstProgress(id, 0), state: 'done' },
      session,
      saved,
      answers: [],
      file: null,
      error: null,
    };
    this.#live.set(id, live);
    this.#notifyWatchers();
    return this.#infoOf(live);
  }

  /** Returns at once. The session then ends after its current run and retains its complete rounds. */
  cancel(id: string): BenchInfo {
    const live = this.#requireLive(id);
    if (this.#options.lanes.remove(id)) this.#finish(live, 'cancelled');
    else live.stop.abort();
    return this.#infoOf(live);
  }

  forget(id: string): void {
    const live = this.#requireLive(id);
    if (!hasEnded(live)) throw new BraggError('unsupported', 'This benchmark is still running. Cancel it first.');
    this.#live.delete(id);
    void this.#options.checkpoints?.drop(id);
    this.#notifyWatchers();
  }

  async list(): Promise<BenchInfo[]> {
    return [...this.#listed(), ...(await this.#options.stored.list()).map(storedInfo)];
  }

  /** Returns the ended sessions that match. Those from files come without recordings. */
  async outlines(matches: (overview: SessionOverview) => boolean): Promise<readonly Session[]> {
    const own = [...this.#live.values()].reverse().flatMap(({ session }) => session ?? []);
    const stored = await this.#options.stored.outlines(({ overview }) => matches(overview));
    return [...own.filter(matches), ...stored.map(({ outline }) => outline)];
  }

  async open(source: SessionSource): Promise<BenchInfo> {
    return storedInfo(await this.#options.stored.get(await this.#options.stored.open(source)));
  }

  /** Sessions shipped with the program, without their timelines. */
  recorded(): Promise<readonly NamedOutline[]> {
    return this.#options.stored.outlines(({ recorded }) => recorded);
  }

  /** Throws BraggError `not-found` if the session does not exist or has no result yet. */
  async session(id: string): Promise<ListedSession> {
    if (this.#options.stored.isStored(id)) {
      const { name, session, saved } = await this.#options.stored.get(id);
      return { name, session: await session(), saved: await saved(), answer: () => null };
    }
    const { about, session, request, saved, answers, error } = this.#requireLive(id);
    if (error !== null) throw BraggError.fromWire(error);
    if (session === null || saved === null) {
      throw new BraggError('not-found', 'This benchmark has no result yet.');
    }
    const { name, workload } = about;
    const answer = (report: number, label: string): ComparedField | null => {
      const [values, problem] = [answers[report]?.get(label), request?.task.problems[report]];
      if (values === undefined || problem === undefined) return null;
      return hostWorkloads[workload].benchable.field(problem, values);
    };
    return { name, session, saved, answer };
  }

  async save(id: string, file: FileRef, ifExists: 'replace' | 'refuse'): Promise<NamedFile> {
    const { saved } = await this.session(id);
    const text = await runInSlices(jsonTextInSlices(sessionFileContent(saved)));
    const named = await this.#options.files.write(file, `${text}\n`, ifExists);
    const live = this.#live.get(id);
    if (live !== undefined) {
      live.file = named;
      void this.#options.checkpoints?.drop(id);
    }
    this.#notifyWatchers();
    return named;
  }

  watch(sink: FrameSink<{ benches: BenchInfo[] }>): () => void {
    this.#watchers.add(sink);
    sink.offer(() => ({ benches: this.#listed() }));
    return () => this.#watchers.delete(sink);
  }

  watchProgress(id: string, sink: FrameSink<BenchProgress>): () => void {
    const live = this.#requireLive(id);
    const stop = live.followers.add(sink, () => live.progress);
    live.followers.offer(sink);
    if (!hasEnded(live)) return stop;
    stop();
    sink.end();
    return () => undefined;
  }

  /** Resolves when a session has ended, with or without success. */
  async waitForEnd(id: string): Promise<BenchInfo> {
    const live = this.#requireLive(id);
    if (!hasEnded(live)) {
      await new Promise<void>((resolve) => {
        this.watchProgress(id, { offer: () => undefined, end: () => resolve() });
      });
    }
    return this.#infoOf(live);
  }

  /** Cancels all sessions and waits for their threads. */
  async close(): Promise<void> {
    this.#closing = true;
    const open = [...this.#live.values()].filter((live) => !hasEnded(live));
    for (const { id } of open.reverse()) this.cancel(id);
    await Promise.all(open.map(({ id }) => this.waitForEnd(id)));
    for (const sink of this.#watchers) sink.end();
  }

  #requireLive(id: string): LiveBench {
    const live = this.#live.get(id);
    if (live === undefined) throw new BraggError('not-found', 'This benchmark does not exist.');
    return live;
  }

  /** Sessions of this process, newest first. */
  #listed(): BenchInfo[] {
    return [...this.#live.values()].reverse().map((live) => this.#infoOf(live));
  }

  #infoOf(live: LiveBench): BenchInfo {
    const { id, about, state, created, file, session, error } = live;
    return benchInfo({
      id,
      ...about,
      state,
      queuePosition: this.#options.lanes.position(id),
      created,
      recorded: false,
      file,
      machine: session === null ? this.#options.machine() : machineOf(session),
      session,
      error,
    });
  }

  async #execute(live: LiveBench, { task: asked }: BenchRequest): Promise<void> {
    live.state = 'running';
    live.progress = { ...live.progress, state: 'running' };
    live.followers.offerAll();
    this.#notifyWatchers();
    try {
      const value = (report: number): number | undefined => asked.sweep?.values[report];
      const onProgress = (measured: Measured, report: number): void =>
        this.#reportProgress(live, measured, value(report));
      const task = { ...asked, created: live.created };
      const { checkpoints } = this.#options;
      const soFar =
        checkpoints === null ? undefined : (session: Session): void => this.#saveCheckpoint(live, session, false);
      const outcome = await this.#options.perform(task, onProgress, live.stop.signal, soFar);
      live.saved = outcome.session;
      live.answers = outcome.answers;
      live.session = withoutRecordings(outcome.session);
      this.#saveCheckpoint(live, outcome.session, true);
      this.#finish(live, live.session.reports.some(({ stopped }) => stopped === 'cancelled') ? 'cancelled' : 'done');
    } catch (error) {
      live.error = toWireError(error);
      this.#options.log('error', `${live.about.name}: ${live.error.message}`);
      this.#finish(live, 'failed');
    }
  }

  /** Saves a checkpoint of a session, unless it has no complete round yet. */
  #saveCheckpoint({ id, about: { name } }: LiveBench, session: Session, finished: boolean): void {
    const rounds = session.reports.reduce((sum, report) => sum + report.rounds, 0);
    if (rounds === 0) return;
    const upTo = `${rounds} ${rounds === 1 ? 'round' : 'rounds'}`;
    void this.#options.checkpoints?.save({ id, data: { name, session }, upTo, finished });
  }

  #reportProgress(live: LiveBench, measured: Measured, value: number | undefined): void {
    const { phase, variant, round, mostRounds, elapsed_s, left_s, latest } = measured;
    live.progress = {
      bench: live.id,
      state: live.state,
      phase,
      variant: value === undefined ? variant : `${variant} at ${value}`,
      round,
      rounds: mostRounds,
      elapsed_s,
      left_s,
      latest: [...latest],
    };
    live.followers.offerAll();
  }

  #finish(live: LiveBench, state: 'done' | 'cancelled' | 'failed'): void {
    live.state = state;
    live.progress = { ...live.progress, state, left_s: null };
    live.followers.offerAll();
    live.followers.finish();
    this.#notifyWatchers();
  }

  #notifyWatchers(): void {
    for (const sink of this.#watchers) sink.offer(() => ({ benches: this.#listed() }));
  }
}

function storedInfo({ id, name, recorded, file, overview: session }: StoredSession): BenchInfo {
  return benchInfo({
    id,
    workload: session.workload,
    name,
    state: 'stored',
    queuePosition: null,
    created: session.created,
    recorded,
    file,
    scenario: session.reports[0]?.scenario ?? '',
    machine: machineOf(session),
    sweep: session.sweep?.path ?? null,
    session,
    error: null,
  });
}
