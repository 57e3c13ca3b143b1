/**
 * Checkpoints of unsaved runs and benchmark sessions on disk, so that a crash loses only the last seconds. A run is
 * stored as a run file that ends early, a session as a session file with its complete rounds. Checkpoints remain until
 * the result is saved or removed, or the user closes the program.
 */
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Session } from '../../../contract/bench/session.ts';
import { messageOf } from '../../../contract/errors.ts';
import type { ProcessFolders } from '../../io/files/owned-folder.ts';
import { jsonTextInSlices, runInSlices } from '../../io/flow/cooperative.ts';
import { sessionFileContent } from '../../model/bench/session-file.ts';
import type { AnyRunData } from '../../workloads/run-data.ts';
import { writeAtomically } from '../../workloads/scenarios/scenarios.ts';
import type { RunPacker } from '../run-files/packer.ts';

/**
 * Names of the note files in a folder of recovery data, for drafts, runs and benchmark sessions. Each note describes
 * one item.
 */
export const DRAFT_NAME = /^draft-([\w-]+)\.json$/;
const RUN_NAME = /^run-([\w-]+)\.json$/;

const SESSION_NAME = /^session-([\w-]+)\.json$/;

export const isNoteName = (name: string): boolean => [DRAFT_NAME, RUN_NAME, SESSION_NAME].some((one) => one.test(name));

const noteSchema = z.object({
  version: z.literal(2),
  title: z.string(),
  time: z.string(),
  /** Progress of the run or session as text. */
  upTo: z.string(),
  finished: z.boolean(),
});
type Note = Readonly<z.infer<typeof noteSchema>>;

export const stateFile = (note: string): string =>
  note.replace(/\.json$/, SESSION_NAME.test(path.basename(note)) ? '.session.json' : '.h5');

interface SavedState<T> {
  readonly id: string;
  readonly data: T;
  readonly upTo: string;
  readonly finished: boolean;
}

/** File format of the checkpoints of runs or sessions. */
interface StateFormat<T> {
  /** Prefix of file names. */
  readonly kind: 'run' | 'session';
  /** Plural noun for messages. */
  readonly many: string;
  readonly write: (data: T) => Promise<Uint8Array | string>;
}

export const runForm = (packer: RunPacker): StateFormat<AnyRunData> => ({
  kind: 'run',
  many: 'Runs',
  write: (data) => packer.write(data),
});

export interface NamedSession {
  readonly name: string;
  readonly session: Session;
}

export const sessionForm: StateFormat<NamedSession> = {
  kind: 'session',
  many: 'Benchmarks',
  write: async ({ session }) => `${await runInSlices(jsonTextInSlices(sessionFileContent(session)))}\n`,
};

export class Checkpoints<T extends { readonly name: string }> {
  readonly #folders: ProcessFolders;
  readonly #form: StateFormat<T>;
  readonly #onTrouble: (reason: string) => void;
  /** Pending writes by id. Checkpoints with equal id are written in order, so that the newest one remains. */
  readonly #writing = new Map<string, Promise<void>>();
  readonly #dropped = new Set<string>();
  #hasReported = false;

  constructor(folders: ProcessFolders, form: StateFormat<T>, onTrouble: (reason: string) => void) {
    this.#folders = folders;
    this.#form = form;
    this.#onTrouble = onTrouble;
  }

  /** Writes a checkpoint. Also resolves after a failure, which has then been reported. */
  save(state: SavedState<T>): Promise<void> {
    const before = this.#writing.get(state.id) ?? Promise.resolve();
    const writing = before.then(() => this.#write(state));
    this.#writing.set(state.id, writing);
    return writing;
  }

  /** Renames a checkpoint of another process, so that it belongs to this process under the new id. */
  async takeOver(note: string, id: string): Promise<void> {
    await this.#folders.make();
    const own = this.#noteFile(id);
    await rename(stateFile(note), stateFile(own));
    await rename(note, own);
    this.#writing.set(id, Promise.resolve());
  }

  async drop(id: string): Promise<void> {
    this.#dropped.add(id);
    await this.#writing.get(id);
    this.#writing.delete(id);
    const note = this.#noteFile(id);
    await Promise.all([rm(note, { force: true }), rm(stateFile(note), { force: true })]);
  }

  /**
   * Completes or removes the checkpoints when the program closes. `drop`: the user closed it, so unsaved work is not
   * wanted. `keep`: a signal or the end of the login session closed it, so the next start offers unsaved work. Returns
   * the number of remaining checkpoints.
   */
  async close(unsaved: 'keep' | 'drop'): Promise<number> {
    if (unsaved === 'drop') await Promise.all([...this.#writing.keys()].map((id) => this.drop(id)));
    await Promise.all(this.#writing.values());
    return this.#writing.size;
  }

  #noteFile(id: string): string {
    return path.join(this.#folders.own, `${this.#form.kind}-${id}.json`);
  }

  async #write({ id, data, upTo, finished }: SavedState<T>): Promise<void> {
    if (this.#dropped.has(id)) return;
    try {
      await this.#folders.make();
      const bytes = await this.#form.write(data);
      if (this.#dropped.has(id)) return;
      const note = this.#noteFile(id);
      const about: Note = { version: 2, title: data.name, time: new Date().toISOString(), upTo, finished };
      await writeAtomically(stateFile(note), bytes, 'replace');
      await writeAtomically(note, JSON.stringify(about), 'replace');
    } catch (error) {
      // Report only once: a full disk would cause a message every few seconds.
      if (!this.#hasReported) {
        const reason = messageOf(error);
        this.#onTrouble(`${this.#form.many} are not protected against a crash: ${reason}`);
      }
      this.#hasReported = true;
    }
  }
}

type FoundNote = { readonly file: string; readonly note: Note };

async function notesIn(folder: string, names: RegExp): Promise<readonly FoundNote[]> {
  const notes = (await readdir(folder).catch(() => [])).filter((name) => names.test(name));
  const found: FoundNote[] = [];
  for (const name of notes) {
    const file = path.join(folder, name);
    try {
      found.push({ file, note: noteSchema.parse(JSON.parse(await readFile(file, 'utf8'))) });
    } catch {
      // Notes are written atomically, so an unreadable one comes from another program.
    }
  }
  return found;
}

export const runsIn = (folder: string): Promise<readonly FoundNote[]> => notesIn(folder, RUN_NAME);
export const sessionsIn = (folder: string): Promise<readonly FoundNote[]> => notesIn(folder, SESSION_NAME);
