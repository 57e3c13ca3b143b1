/** Session files: those that came with the program, those in the library, and those that the user opened. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { BenchSession } from '../../contract/bench.ts';
import { BraggError } from '../../contract/errors.ts';
import type { FileRef, NamedFile } from '../../contract/files.ts';
import { parseSession, readKept, readSession } from '../bench/session-file.ts';
import type { FileAccess } from '../files/access.ts';
import { isTaskSession } from '../workloads/task/session-file.ts';

/** Tells session files from scenarios, which are JSON too. */
export const SESSION_ENDING = '.session.json';

export interface StoredSession {
  readonly id: string;
  readonly name: string;
  readonly recorded: boolean;
  readonly file: NamedFile | null;
  readonly session: BenchSession;
}

/** A file that the host reaches, or the text of one that the page read itself. */
export type SessionSource =
  | { readonly kind: 'file'; readonly file: FileRef }
  | { readonly kind: 'text'; readonly name: string; readonly text: string };

interface Read {
  readonly modified_ms: number;
  readonly session: BenchSession;
}

const RECORDED = 'recorded~';
const LIBRARY = 'library~';
const OPENED = 'opened~';

const stem = (name: string): string => name.replace(/(\.session)?\.json$/i, '');

export class StoredSessions {
  readonly #recordedFolder: string;
  readonly #files: FileAccess;
  readonly #trouble: (reason: string) => void;
  readonly #opened = new Map<string, FileRef>();
  /** Handed over by the page: in no file that the host knows. */
  readonly #handed = new Map<string, StoredSession>();
  readonly #read = new Map<string, Read>();

  constructor(recordedFolder: string, files: FileAccess, trouble: (reason: string) => void) {
    this.#recordedFolder = recordedFolder;
    this.#files = files;
    this.#trouble = trouble;
  }

  /** Opened files first, then the library's, then the recorded ones. A file that cannot be read is told and left out. */
  async list(): Promise<readonly StoredSession[]> {
    const library = (await this.#files.library.list(['.json'])).filter(({ key }) => key.endsWith(SESSION_ENDING));
    const names = await readdir(this.#recordedFolder).catch(() => []);
    const recorded: string[] = [];
    for (const name of names.filter((one) => one.endsWith('.json')).sort()) {
      // Small workloads keep theirs beside; they are listed where they are shown.
      if (!(await this.#isTask(path.join(this.#recordedFolder, name)))) recorded.push(name);
    }
    const ids = [
      ...this.#handed.keys(),
      ...this.#opened.keys(),
      ...library.map(({ key }) => LIBRARY + key),
      ...recorded.map((name) => RECORDED + name),
    ];
    const found = await Promise.all(
      ids.map((id) =>
        this.get(id).catch((error: unknown) => {
          this.#trouble(error instanceof Error ? error.message : String(error));
          return null;
        }),
      ),
    );
    return found.filter((one) => one !== null);
  }

  isStored(id: string): boolean {
    return id.startsWith(RECORDED) || id.startsWith(LIBRARY) || id.startsWith(OPENED);
  }

  /** Throws BraggError `not-found` or `foreign-file`. */
  async get(id: string): Promise<StoredSession> {
    const handed = this.#handed.get(id);
    if (handed !== undefined) return handed;
    if (id.startsWith(RECORDED)) {
      const name = id.slice(RECORDED.length);
      if (path.basename(name) !== name) throw new BraggError('not-found', 'There is no such session.');
      const session = await this.#load(path.join(this.#recordedFolder, name));
      return { id, name: stem(name), recorded: true, file: null, session };
    }
    const ref = id.startsWith(LIBRARY)
      ? ({ kind: 'library', key: id.slice(LIBRARY.length) } as const)
      : this.#opened.get(id);
    if (ref === undefined) throw new BraggError('not-found', 'There is no such session.');
    const file = this.#files.nameOf(ref);
    const session = await this.#load((await this.#files.readable(ref)).path);
    return { id, name: stem(file.name), recorded: false, file, session };
  }

  /** Takes in a file that the user chose; the id to ask for it. */
  async open(source: SessionSource): Promise<string> {
    if (source.kind === 'text') {
      const session = parseSession(source.text, source.name);
      const id = `${OPENED}${this.#handed.size + 1}~${source.name}`;
      this.#handed.set(id, { id, name: stem(source.name), recorded: false, file: null, session });
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

  async #isTask(file: string): Promise<boolean> {
    if (this.#read.has(file)) return false;
    return isTaskSession(await readKept(file).catch(() => ''));
  }

  async #load(file: string): Promise<BenchSession> {
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }));
    const known = this.#read.get(file);
    if (known !== undefined && known.modified_ms === mtimeMs) return known.session;
    const session = await readSession(file);
    this.#read.set(file, { modified_ms: mtimeMs, session });
    return session;
  }
}
