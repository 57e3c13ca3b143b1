/**
 * States of runs that go on, kept so that a crash loses the last seconds and
 * not the whole: each is a run file of a run that ended there. A run that has
 * ended is kept until it is saved, forgotten, or its user closes the program.
 */
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { OwnedFolders } from '../../io/files/owned-folder.ts';
import type { AnyRunData } from '../../workloads/run-data.ts';
import { writeAtomically } from '../../workloads/scenarios/index.ts';
import type { RunPacker } from '../run-files/packer.ts';
import { RUN_NAME } from './kept.ts';

const noteSchema = z.object({
  version: z.literal(2),
  title: z.string(),
  time: z.string(),
  /** How far it was, in words. */
  upTo: z.string(),
  finished: z.boolean(),
});
type RunNote = Readonly<z.infer<typeof noteSchema>>;

const noteFile = (folder: string, id: string): string => path.join(folder, `run-${id}.json`);
export const stateFile = (note: string): string => note.replace(/\.json$/, '.h5');

interface KeptState {
  readonly id: string;
  readonly data: AnyRunData;
  readonly upTo: string;
  readonly finished: boolean;
}

export class Checkpoints {
  readonly #folders: OwnedFolders;
  readonly #packer: RunPacker;
  readonly #onTrouble: (reason: string) => void;
  /** One after another per run, so that the last one written is the newest. */
  readonly #writing = new Map<string, Promise<void>>();
  readonly #dropped = new Set<string>();
  #told = false;

  constructor(folders: OwnedFolders, packer: RunPacker, onTrouble: (reason: string) => void) {
    this.#folders = folders;
    this.#packer = packer;
    this.#onTrouble = onTrouble;
  }

  /** Resolves when it is on disk, or was told that it cannot be. */
  keep(state: KeptState): Promise<void> {
    const before = this.#writing.get(state.id) ?? Promise.resolve();
    const writing = before.then(() => this.#write(state));
    this.#writing.set(state.id, writing);
    return writing;
  }

  /** Takes a kept state of another process over, as that of a run of this one. */
  async adopt(note: string, id: string): Promise<void> {
    await this.#folders.make();
    const own = noteFile(this.#folders.own, id);
    await rename(stateFile(note), stateFile(own));
    await rename(note, own);
    this.#writing.set(id, Promise.resolve());
  }

  async drop(id: string): Promise<void> {
    this.#dropped.add(id);
    await this.#writing.get(id);
    this.#writing.delete(id);
    const note = noteFile(this.#folders.own, id);
    await Promise.all([rm(note, { force: true }), rm(stateFile(note), { force: true })]);
  }

  /**
   * `keep`: the program was told to end, by a signal or with its session, and nobody was asked: what is not saved is
   * offered at the next start. `drop`: its user closed it, so that what was not saved was not wanted. How many runs
   * are kept.
   */
  async close(unsaved: 'keep' | 'drop'): Promise<number> {
    if (unsaved === 'drop') await Promise.all([...this.#writing.keys()].map((id) => this.drop(id)));
    await Promise.all(this.#writing.values());
    return this.#writing.size;
  }

  async #write({ id, data, upTo, finished }: KeptState): Promise<void> {
    if (this.#dropped.has(id)) return;
    try {
      await this.#folders.make();
      const bytes = await this.#packer.write(data);
      if (this.#dropped.has(id)) return;
      const note = noteFile(this.#folders.own, id);
      const about: RunNote = { version: 2, title: data.name, time: new Date().toISOString(), upTo, finished };
      await writeAtomically(stateFile(note), bytes, 'replace');
      await writeAtomically(note, JSON.stringify(about), 'replace');
    } catch (error) {
      // Once: a full disk would say it every few seconds.
      if (!this.#told) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#onTrouble(`Runs are not protected against a crash: ${reason}`);
      }
      this.#told = true;
    }
  }
}

export async function runsIn(folder: string): Promise<readonly { readonly file: string; readonly note: RunNote }[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => RUN_NAME.test(name));
  const found: { file: string; note: RunNote }[] = [];
  for (const name of names) {
    const file = path.join(folder, name);
    try {
      found.push({ file, note: noteSchema.parse(JSON.parse(await readFile(file, 'utf8'))) });
    } catch {
      // Notes are written whole: this one is another program's.
    }
  }
  return found;
}
