/**
 * Stored benchmark sessions of every workload: files shipped with the program, files in the library, files opened by
 * the user, and runs that measured several variants.
 */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { BenchInfo, BenchState } from '../../../contract/bench/benches.ts';
import type { Session } from '../../../contract/bench/session.ts';
import { BraggError, messageOf, type WireError } from '../../../contract/errors.ts';
import type { FileRef, NamedFile } from '../../../contract/files.ts';
import { allRunEndings, type WorkloadName } from '../../../contract/workload.ts';
import type { FileAccess } from '../../io/files/access.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import type { Runs } from '../runs/runs.ts';
import {
  type CurrentRules,
  makeSession,
  type ReadSession,
  readOverviewFile,
  readSessionFile,
  readSessionText,
  type SessionOverview,
  withoutRecordings,
} from '../sessions/index.ts';

/** Ending of session files. It distinguishes them from scenarios, which are JSON files too. */
export const SESSION_ENDING = '.session.json';
/** Endings of all session files, including runs that are stored as sessions. */
const endings = [SESSION_ENDING, ...allRunEndings].filter((ending) => ending.endsWith('.json'));

export interface StoredSession {
  readonly id: string;
  readonly name: string;
  readonly recorded: boolean;
  readonly file: NamedFile | null;
  readonly overview: SessionOverview;
  /**
   * Returns the session as it is stored in its file. A recorded session is read on this call, which may therefore throw
   * BraggError `foreign-file`.
   */
  readonly saved: () => Promise<Session>;
  /** Returns the session without recordings. */
  readonly outline: () => Promise<Session>;
  /** Returns the session with the effects of optimisations. */
  readonly session: () => Promise<Session>;
}

export interface NamedOutline {
  readonly name: string;
  readonly outline: Session;
}

/** A file that the host can read, or the text of a file that the page has read. */
export type SessionSource =
  | { readonly kind: 'file'; readonly file: FileRef }
  | { readonly kind: 'text'; readonly name: string; readonly text: string };

/** A run of this program that measured several variants. */
interface MeasuredRun {
  readonly run: string;
  readonly name: string;
  readonly file: NamedFile | null;
  readonly saved: Session;
}

interface StoredSessionsOptions {
  /** Folder that contains the recorded sessions, also in subfolders. */
  readonly recordedFolder: string;
  readonly files: FileAccess;
  readonly current: CurrentRules;
  readonly measuredRuns: () => Promise<readonly MeasuredRun[]>;
  readonly trouble: (reason: string) => void;
}

type SessionContents = Pick<StoredSession, 'overview' | 'saved' | 'outline' | 'session'>;

const RECORDED_PREFIX = 'recorded~';
const LIBRARY = 'library~';
const OPENED_PREFIX = 'opened~';
const RUN = 'run~';

const sessionNotFound = (): BraggError => new BraggError('not-found', 'This session does not exist.');

/** Caches the result of the first successful call. Errors are not cached. */
function cacheSuccess<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}

const stem = (name: string): string => name.replace(/(\.session|\.task)?\.json$/i, '');

export class StoredSessions {
  readonly #options: StoredSessionsOptions;
  readonly #opened = new Map<string, FileRef>();
  /** Sessions that the page sent as text. The host has no files for them. */
  readonly #receivedTexts = new Map<string, StoredSession>();
  /**
   * Contents by path, including files that are still being read. Several panels request the list at the same time, and
   * each file must be read only once.
   */
  readonly #loaded = new Map<string, { readonly read: Promise<SessionContents>; readonly stamp: string }>();
  readonly #ofRuns = new WeakMap<Session, SessionContents>();

  constructor(options: StoredSessionsOptions) {
    this.#options = options;
  }

  /**
   * Lists runs and opened files first, then sessions of the library, then recorded ones. Unreadable files are reported
   * and skipped.
   */
  async list(): Promise<readonly StoredSession[]> {
    const runs = (await this.#options.measuredRuns()).map((run) => this.#fromRun(run));
    const library = (await this.#options.files.library.list(['.json'])).filter(({ key }) =>
      endings.some((ending) => key.endsWith(ending)),
    );
    const ids = [
      ...this.#receivedTexts.keys(),
      ...this.#opened.keys(),
      ...library.map(({ key }) => LIBRARY + key),
      ...(await this.#recordedNames()).map((name) => RECORDED_PREFIX + name),
    ];
    const found: StoredSession[] = [];
    // Sequential, because parsing hundreds of files at once would block the event loop.
    for (const id of ids) {
      try {
        const name = id.startsWith(RECORDED_PREFIX) ? id.slice(RECORDED_PREFIX.length) : null;
        found.push(await (name !== null ? this.#loadRecorded(name) : this.get(id)));
      } catch (error) {
        this.#options.trouble(messageOf(error));
      }
    }
    return [...runs, ...found];
  }

  isStored(id: string): boolean {
    return [RECORDED_PREFIX, LIBRARY, OPENED_PREFIX, RUN].some((place) => id.startsWith(place));
  }

  /** Returns the session with this id. Throws BraggError `not-found` or `foreign-file`. */
  async get(id: string): Promise<StoredSession> {
    const handed = this.#receivedTexts.get(id);
    if (handed !== undefined) return handed;
    if (id.startsWith(RUN)) {
      const run = (await this.#options.measuredRuns()).find((one) => RUN + one.run === id);
      if (run === undefined) throw sessionNotFound();
      return this.#fromRun(run);
    }
    if (id.startsWith(RECORDED_PREFIX)) return this.#loadRecorded(id.slice(RECORDED_PREFIX.length));
    const ref = id.startsWith(LIBRARY)
      ? ({ kind: 'library', key: id.slice(LIBRARY.length) } as const)
      : this.#opened.get(id);
    if (ref === undefined) throw sessionNotFound();
    const file = this.#options.files.nameOf(ref);
    const read = await this.#load((await this.#options.files.readable(ref)).path, file.name);
    return { id, name: stem(file.name), recorded: false, file, ...read };
  }

  /** Returns the sessions that match, without recordings. Unreadable files are reported and skipped. */
  async outlines(matches: (one: StoredSession) => boolean): Promise<readonly NamedOutline[]> {
    const found: NamedOutline[] = [];
    for (const { name, outline } of (await this.list()).filter(matches)) {
      try {
        found.push({ name, outline: await outline() });
      } catch (error) {
        this.#options.trouble(messageOf(error));
      }
    }
    return found;
  }

  /** Reads a session from a file outside the lists. Throws BraggError with `name`. */
  async read(file: string, name: string): Promise<{ readonly saved: Session; readonly session: Session }> {
    const { saved, session } = await this.#load(file, name);
    return { saved: await saved(), session: await session() };
  }

  /** Adds a file that the user chose. Returns its id. */
  async open(source: SessionSource): Promise<string> {
    if (source.kind === 'text') {
      const { name, text } = source;
      const read = await readSessionText({ text, path: name });
      const id = `${OPENED_PREFIX}${this.#receivedTexts.size + 1}~${name}`;
      this.#receivedTexts.set(id, { id, name: stem(name), recorded: false, file: null, ...this.#readContents(read) });
      return id;
    }
    const ref = source.file;
    const id = ref.kind === 'library' ? LIBRARY + ref.key : OPENED_PREFIX + ref.key;
    if (ref.kind === 'granted') this.#opened.set(id, ref);
    try {
      await this.get(id);
    } catch (error) {
      this.#opened.delete(id);
      throw error;
    }
    return id;
  }

  async #loadRecorded(name: string): Promise<StoredSession> {
    // The name may come from a page, so reject paths that lead out of the folder.
    if (!name.endsWith('.json') || name.split(/[\\/]/).includes('..') || path.isAbsolute(name)) throw sessionNotFound();
    const read = await this.#load(path.join(this.#options.recordedFolder, name), name, { recorded: true });
    return { id: RECORDED_PREFIX + name, name: stem(name), recorded: true, file: null, ...read };
  }

  #fromRun({ run, name, file, saved }: MeasuredRun): StoredSession {
    return { id: RUN + run, name, recorded: false, file, ...this.#contentsOf(saved) };
  }

  /** Adds the effects of optimisations and the verdicts on claims to the session of a run. */
  complete(saved: Session): Promise<Session> {
    return this.#contentsOf(saved).session();
  }

  #contentsOf(saved: Session): SessionContents {
    const known = this.#ofRuns.get(saved) ?? this.#readContents({ saved, outline: withoutRecordings(saved) });
    this.#ofRuns.set(saved, known);
    return known;
  }

  #readContents(read: ReadSession): SessionContents {
    return this.#lazyContents(read.outline, () => Promise.resolve(read));
  }

  #lazyContents(overview: SessionOverview, read: () => Promise<ReadSession>): SessionContents {
    const saved = async (): Promise<Session> => (await read()).saved;
    const make = async (): Promise<Session> => makeSession({ saved: await saved(), current: this.#options.current });
    return { overview, saved, outline: async () => (await read()).outline, session: cacheSuccess(make) };
  }

  /** Returns the paths of the recorded sessions relative to their folder, with / as separator. */
  async #recordedNames(): Promise<readonly string[]> {
    const names = await readdir(this.#options.recordedFolder, { recursive: true }).catch(() => []);
    const each = names.filter((name) => name.endsWith('.json')).map((name) => name.split(path.sep).join('/'));
    // Files directly in the folder come first.
    const folderRank = (name: string): number => Number(name.includes('/'));
    return each.sort((a, b) => folderRank(a) - folderRank(b) || (a < b ? -1 : 1));
  }

  /**
   * Loads a session file. Of the hundreds of recorded sessions only the overviews are read; opening one reads it
   * completely.
   */
  async #load(file: string, name: string, { recorded = false } = {}): Promise<SessionContents> {
    const there = await stat(file).catch(() => null);
    // The modification time alone is not enough: it may repeat after a clock was set back.
    const stamp = there === null ? '' : `${there.mtimeMs} ${there.size} ${there.ino}`;
    const known = this.#loaded.get(file);
    if (known !== undefined && known.stamp === stamp) return known.read;
    const whole = cacheSuccess(() => readSessionFile(file, name));
    const read = recorded
      ? readOverviewFile(file, name).then((overview) => this.#lazyContents(overview, whole))
      : whole().then((found) => this.#readContents(found));
    const mine = { stamp, read };
    this.#loaded.set(file, mine);
    read.catch(() => {
      if (this.#loaded.get(file) === mine) this.#loaded.delete(file);
    });
    return read;
  }
}

/** Returns the ended runs that are sessions themselves, newest first. */
export async function measuredRuns(runs: Runs): Promise<readonly MeasuredRun[]> {
  const all = runs.list().map(({ id, workload, name, file, wall_s }) => {
    const { compared } = hostWorkloads[workload];
    if (compared.kind !== 'sessions' || wall_s === null) return null;
    return runs.data(id).then((data): MeasuredRun => ({ run: id, name, file, saved: compared.session(data) }));
  });
  return (await Promise.all(all)).filter((one) => one !== null);
}

interface BenchFacts {
  readonly id: string;
  readonly workload: WorkloadName;
  readonly name: string;
  readonly state: BenchState;
  readonly queuePosition: number | null;
  readonly created: string;
  readonly recorded: boolean;
  readonly file: NamedFile | null;
  readonly scenario: string;
  readonly machine: string;
  readonly sweep: string | null;
  readonly session: SessionOverview | null;
  readonly error: WireError | null;
}

function subjectsOf(bench: string, session: SessionOverview): BenchInfo['subjects'] {
  const many = session.reports.length > 1;
  return session.reports.flatMap(({ entries, external }, report) => {
    const value = session.sweep?.values[report];
    const at = many ? ` at ${value ?? report + 1}` : '';
    return [
      ...entries
        .filter(({ status }) => status === 'measured')
        .map(({ label }) => ({
          subject: { kind: 'entry' as const, bench, report, label },
          title: `${label}${at}`,
        })),
      ...external
        .filter(({ result }) => result !== null)
        .map(({ id, title }) => ({
          subject: { kind: 'external' as const, bench, report, label: id },
          title: `${title}${at}`,
        })),
    ];
  });
}

function refusedEntriesIn(session: SessionOverview): BenchInfo['refused'] {
  const all = session.reports.flatMap(({ entries, external }) => [
    ...entries.flatMap((one) => (one.status === 'refused' ? [{ title: one.label, reason: one.reason }] : [])),
    ...external.flatMap(({ title, result, reason }) =>
      result === null ? [{ title, reason: reason ?? 'no reason known' }] : [],
    ),
  ]);
  // Every value of a sweep repeats the same reasons, so remove duplicates.
  return [...new Map(all.map((one) => [`${one.title} ${one.reason}`, one])).values()];
}

export function benchInfo({ session, error, ...facts }: BenchFacts): BenchInfo {
  return {
    ...facts,
    bench: session?.reports[0]?.bench ?? '',
    subjects: session === null ? [] : subjectsOf(facts.id, session),
    refused: session === null ? [] : refusedEntriesIn(session),
    error: error === null ? null : { ...error, issues: [...error.issues] },
  };
}

export function machineOf({ reports }: SessionOverview): string {
  const machine = reports[0]?.machine;
  return machine?.gpu?.name ?? machine?.cpu ?? 'not known';
}
