/** Session files of every workload: those that came with the program, those in the library, those that the user opened, and runs that are measurements. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Session } from '../../../contract/bench/session.ts';
import { BraggError, messageOf } from '../../../contract/errors.ts';
import { allRunEndings } from '../../../contract/exports.ts';
import type { FileRef, NamedFile } from '../../../contract/files.ts';
import type { FileAccess } from '../../io/files/access.ts';
import type { FactorialDesign } from '../../model/bench/factorial/designs.ts';
import { makeSession, type ReadSession, readSessionFile, readSessionText } from '../sessions/aside.ts';
import { withoutRecordings } from '../sessions/index.ts';

/** Distinguishes session files from scenarios, which are JSON too. */
export const SESSION_ENDING = '.session.json';
/** Includes the extensions of runs that are stored as sessions. */
const endings = [SESSION_ENDING, ...allRunEndings].filter((ending) => ending.endsWith('.json'));

export interface StoredSession {
  readonly id: string;
  readonly name: string;
  readonly recorded: boolean;
  readonly file: NamedFile | null;
  readonly kept: Session;
  /** Without recordings. */
  readonly outline: Session;
  /** Loaded on demand. */
  readonly session: () => Promise<Session>;
}

/** A file that the host reaches, or the text of one that the page read itself. */
export type SessionSource =
  | { readonly kind: 'file'; readonly file: FileRef }
  | { readonly kind: 'text'; readonly name: string; readonly text: string };

/** A run of this program that measured several variants. */
export interface MeasuredRun {
  readonly run: string;
  readonly name: string;
  readonly file: NamedFile | null;
  readonly kept: Session;
}

interface StoredSessionsOptions {
  /** The recorded ones lie in it and below. */
  readonly recordedFolder: string;
  readonly files: FileAccess;
  readonly designs: () => readonly FactorialDesign[];
  readonly measuredRuns: () => Promise<readonly MeasuredRun[]>;
  readonly trouble: (reason: string) => void;
}

type Read = Pick<StoredSession, 'kept' | 'outline' | 'session'>;

const RECORDED = 'recorded~';
const LIBRARY = 'library~';
const OPENED = 'opened~';
const RUN = 'run~';

const missing = (): BraggError => new BraggError('not-found', 'There is no such session.');

const stem = (name: string): string => name.replace(/(\.session|\.task)?\.json$/i, '');

export class StoredSessions {
  readonly #options: StoredSessionsOptions;
  readonly #opened = new Map<string, FileRef>();
  /** Handed over by the page: in no file that the host knows. */
  readonly #handed = new Map<string, StoredSession>();
  /** Those that are still being read, too: panels ask for the list at the same time, and each read all of it. */
  readonly #read = new Map<string, { readonly read: Promise<Read>; readonly stamp: string }>();
  readonly #ofRuns = new WeakMap<Session, Read>();

  constructor(options: StoredSessionsOptions) {
    this.#options = options;
  }

  /**
   * Runs and opened files first, then the library's, then the recorded ones. Unreadable files are reported and skipped.
   */
  async list(): Promise<readonly StoredSession[]> {
    const runs = (await this.#options.measuredRuns()).map((run) => this.#ofRun(run));
    const library = (await this.#options.files.library.list(['.json'])).filter(({ key }) =>
      endings.some((ending) => key.endsWith(ending)),
    );
    const ids = [
      ...this.#handed.keys(),
      ...this.#opened.keys(),
      ...library.map(({ key }) => LIBRARY + key),
      ...(await this.#recorded()).map((name) => RECORDED + name),
    ];
    const found: StoredSession[] = [];
    // One after the other: what hundreds of files say, all at once, would leave nobody else a turn.
    for (const id of ids) {
      try {
        const name = id.startsWith(RECORDED) ? id.slice(RECORDED.length) : null;
        found.push(await (name !== null ? this.#ofRecorded(name) : this.get(id)));
      } catch (error) {
        this.#options.trouble(messageOf(error));
      }
    }
    return [...runs, ...found];
  }

  isStored(id: string): boolean {
    return [RECORDED, LIBRARY, OPENED, RUN].some((place) => id.startsWith(place));
  }

  /** Throws BraggError `not-found` or `foreign-file`. */
  async get(id: string): Promise<StoredSession> {
    const handed = this.#handed.get(id);
    if (handed !== undefined) return handed;
    if (id.startsWith(RUN)) {
      const run = (await this.#options.measuredRuns()).find((one) => RUN + one.run === id);
      if (run === undefined) throw missing();
      return this.#ofRun(run);
    }
    if (id.startsWith(RECORDED)) return this.#ofRecorded(id.slice(RECORDED.length));
    const ref = id.startsWith(LIBRARY)
      ? ({ kind: 'library', key: id.slice(LIBRARY.length) } as const)
      : this.#opened.get(id);
    if (ref === undefined) throw missing();
    const file = this.#options.files.nameOf(ref);
    const read = await this.#load((await this.#options.files.readable(ref)).path, file.name);
    return { id, name: stem(file.name), recorded: false, file, ...read };
  }

  /** A session of a file outside the lists. Throws BraggError with `name`. */
  async read(file: string, name: string): Promise<{ readonly kept: Session; readonly session: Session }> {
    const { kept, session } = await this.#load(file, name);
    return { kept, session: await session() };
  }

  /** Takes in a file that the user chose; the id to ask for it. */
  async open(source: SessionSource): Promise<string> {
    if (source.kind === 'text') {
      const { name, text } = source;
      const read = await readSessionText({ text, path: name });
      const id = `${OPENED}${this.#handed.size + 1}~${name}`;
      this.#handed.set(id, { id, name: stem(name), recorded: false, file: null, ...this.#made(read) });
      return id;
    }
    const ref = source.file;
    const id = ref.kind === 'library' ? LIBRARY + ref.key : OPENED + ref.key;
    if (ref.kind === 'granted') this.#opened.set(id, ref);
    try {
      await this.get(id);
    } catch (error) {
      this.#opened.delete(id);
      throw error;
    }
    return id;
  }

  async #ofRecorded(name: string): Promise<StoredSession> {
    // Below the folder, whatever the name says: it may come from outside.
    if (!name.endsWith('.json') || name.split(/[\\/]/).includes('..') || path.isAbsolute(name)) throw missing();
    const read = await this.#load(path.join(this.#options.recordedFolder, name), name);
    return { id: RECORDED + name, name: stem(name), recorded: true, file: null, ...read };
  }

  #ofRun({ run, name, file, kept }: MeasuredRun): StoredSession {
    const known = this.#ofRuns.get(kept) ?? this.#made({ kept, outline: withoutRecordings(kept) });
    this.#ofRuns.set(kept, known);
    return { id: RUN + run, name, recorded: false, file, ...known };
  }

  #made({ kept, outline }: ReadSession): Read {
    let whole: Promise<Session> | null = null;
    const session = (): Promise<Session> => {
      whole ??= makeSession({ kept, designs: this.#options.designs() }).catch((error: unknown) => {
        whole = null;
        throw error;
      });
      return whole;
    };
    return { kept, outline, session };
  }

  /** Names below the folder, with / between. */
  async #recorded(): Promise<readonly string[]> {
    const names = await readdir(this.#options.recordedFolder, { recursive: true }).catch(() => []);
    const each = names.filter((name) => name.endsWith('.json')).map((name) => name.split(path.sep).join('/'));
    // Those of the folder itself first.
    const deep = (name: string): number => Number(name.includes('/'));
    return each.sort((a, b) => deep(a) - deep(b) || (a < b ? -1 : 1));
  }

  async #load(file: string, name: string): Promise<Read> {
    const there = await stat(file).catch(() => null);
    // Not the time alone, which a clock that was set back gives again.
    const stamp = there === null ? '' : `${there.mtimeMs} ${there.size} ${there.ino}`;
    const known = this.#read.get(file);
    if (known !== undefined && known.stamp === stamp) return known.read;
    const read = readSessionFile(file, name).then((found) => this.#made(found));
    const mine = { stamp, read };
    this.#read.set(file, mine);
    read.catch(() => {
      if (this.#read.get(file) === mine) this.#read.delete(file);
    });
    return read;
  }
}
