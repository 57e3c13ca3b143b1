/** Recovery after crashes: lists, restores and discards unsaved runs, sessions and drafts. */
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { BenchInfo } from '../../../contract/bench/benches.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { FileRef } from '../../../contract/files.ts';
import type { RecoverableItem } from '../../../contract/recovery.ts';
import type { RunInfo } from '../../../contract/run.ts';
import { type ScenarioDraft, scenarioDraftSchema } from '../../../contract/scenario/workload.ts';
import type { Result } from '../../../contract/wire/methods.ts';
import { type FileAccess, isReadableFile } from '../../io/files/access.ts';
import { type ProcessFolders, removeFolderUnless } from '../../io/files/owned-folder.ts';
import { toFileError } from '../../io/files/plain-file.ts';
import { SerialQueue } from '../../io/flow/queues.ts';
import type { AnyRunData } from '../../workloads/run-data.ts';
import { writeAtomically } from '../../workloads/scenarios/scenarios.ts';
import type { Benches } from '../benches/benches.ts';
import type { StoredSessions } from '../benches/stored.ts';
import type { RunPacker } from '../run-files/packer.ts';
import type { Runs } from '../runs/runs.ts';
import {
  type Checkpoints,
  DRAFT_NAME,
  isNoteName,
  type NamedSession,
  runsIn,
  sessionsIn,
  stateFile,
} from './checkpoints.ts';

/** Unsaved edits of a page, stored in one small file per page. */
const savedSchema = z.object({
  version: z.literal(1),
  title: z.string(),
  /** Absolute path of the edited file. Null if it was never saved. */
  path: z.string().nullable(),
  time: z.string(),
  draft: scenarioDraftSchema,
});
type SavedDraft = Readonly<z.infer<typeof savedSchema>>;

export const draftFile = (folder: string, page: string): string => path.join(folder, `draft-${page}.json`);

export async function saveDraft(
  folder: string,
  page: string,
  draft: { readonly title: string; readonly path: string | null; readonly draft: ScenarioDraft },
): Promise<void> {
  const kept = { version: 1, ...draft, time: new Date().toISOString() };
  await writeAtomically(draftFile(folder, page), `${JSON.stringify(kept)}\n`, 'replace');
}

/**
 * Reads a draft. Null if it is missing or unreadable. Drafts are written atomically, so an unreadable one comes from
 * another program.
 */
export async function readDraft(file: string): Promise<SavedDraft | null> {
  try {
    return savedSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}

async function dropDraft(folder: string, page: string): Promise<void> {
  await rm(draftFile(folder, page), { force: true });
}

/** Paths of the drafts in a folder. */
async function draftsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => DRAFT_NAME.test(name)).map((name) => path.join(folder, name));
}

export interface RecoveryParts {
  readonly folders: ProcessFolders;
  readonly files: FileAccess;
  readonly packer: RunPacker;
  readonly runs: Runs;
  readonly checkpoints: Checkpoints<AnyRunData>;
  readonly sessionStates: Checkpoints<NamedSession>;
  readonly stored: StoredSessions;
  readonly benches: Benches;
}

export class Recovery {
  readonly #parts: RecoveryParts;
  /** Runs the saving and removal of drafts one after another. */
  readonly #drafts = new SerialQueue();

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /** Saves the draft of a page. Throws BraggError if it cannot be written. */
  async storeDraft(page: string, title: string, file: FileRef | null, draft: ScenarioDraft): Promise<void> {
    const { folders, files } = this.#parts;
    // Queue the lookup too. Otherwise a draft that is discarded meanwhile would be saved afterwards.
    await this.#drafts.do(async () => {
      const place = file === null ? null : await files.readable(file).catch(() => null);
      try {
        await folders.make();
      } catch (error) {
        throw toFileError(error, folders.own);
      }
      await saveDraft(folders.own, page, { title, path: place?.path ?? null, draft });
    });
  }

  drop(page: string): Promise<void> {
    return this.#drafts.do(() => dropDraft(this.#parts.folders.own, page));
  }

  /** Removes folders of killed processes that contain nothing to recover. */
  async sweep(): Promise<void> {
    for (const folder of await this.#parts.folders.orphans()) await removeFolderUnless(folder, isNoteName);
  }

  /** Lists unsaved work, newest first. */
  async list(pages: readonly string[]): Promise<readonly RecoverableItem[]> {
    const { folders } = this.#parts;
    const items: RecoverableItem[] = [];
    const add = async (file: string): Promise<void> => {
      const draft = await readDraft(file);
      if (draft === null) return;
      const { title, time, path: place } = draft;
      items.push({ kind: 'draft', id: this.#id(file), title, place, time });
    };
    for (const page of pages) await add(draftFile(folders.own, page));
    for (const folder of await folders.orphans()) {
      for (const file of await draftsIn(folder)) await add(file);
      for (const { file, note } of await runsIn(folder)) {
        const { title, time, upTo, finished } = note;
        items.push({ kind: 'run', id: this.#id(file), title, time, upTo, finished });
      }
      for (const { file, note } of await sessionsIn(folder)) {
        const { title, time, upTo, finished } = note;
        items.push({ kind: 'session', id: this.#id(file), title, time, upTo, finished });
      }
    }
    return items.sort((a, b) => b.time.localeCompare(a.time));
  }

  async draft(id: string): Promise<Result<'recovery.draft'>> {
    const { files } = this.#parts;
    const savedDraft = await readDraft(await this.#file(id));
    if (savedDraft === null) throw notFoundError();
    const there = savedDraft.path !== null && (await isReadableFile(savedDraft.path));
    return {
      title: savedDraft.title,
      file: there && savedDraft.path !== null ? files.grant(savedDraft.path) : null,
      draft: savedDraft.draft,
    };
  }

  async run(id: string): Promise<RunInfo> {
    const { packer, runs, checkpoints } = this.#parts;
    const note = await this.#file(id);
    const title = `The run saved in ${path.basename(path.dirname(note))}`;
    const bytes = await readFile(stateFile(note)).catch((error: unknown) => {
      throw toFileError(error, title);
    });
    const run = await runs.addFromFile(await packer.read(bytes, title), null);
    // The checkpoint remains on disk under the new id until the run is saved.
    await checkpoints.takeOver(note, run.id);
    await removeFolderUnless(path.dirname(note), isNoteName);
    return run;
  }

  /** Adds a recovered session to the benchmarks of this process. */
  async session(id: string): Promise<BenchInfo> {
    const { stored, benches, sessionStates } = this.#parts;
    const note = await this.#file(id);
    const found = (await sessionsIn(path.dirname(note))).find(({ file }) => file === note);
    if (found === undefined) throw notFoundError();
    const info = await benches.addRecovered(found.note.title, await stored.read(stateFile(note), found.note.title));
    await sessionStates.takeOver(note, info.id);
    await removeFolderUnless(path.dirname(note), isNoteName);
    return info;
  }

  async discard(id: string): Promise<void> {
    const file = await this.#file(id);
    await Promise.all([rm(file, { force: true }), rm(stateFile(file), { force: true })]);
    const folder = path.dirname(file);
    if (folder !== this.#parts.folders.own) await removeFolderUnless(folder, isNoteName);
  }

  /** Builds an id from the names of folder and file, because pages must not see paths. */
  #id(file: string): string {
    return `${path.basename(path.dirname(file))}~${path.basename(file)}`;
  }

  async #file(id: string): Promise<string> {
    const { folders } = this.#parts;
    const [folder = '', name = ''] = id.split('~');
    const known = [folders.own, ...(await folders.orphans())].find((each) => path.basename(each) === folder);
    if (known === undefined || !/^(draft|run|session)-[\w-]+\.json$/.test(name)) throw notFoundError();
    return path.join(known, name);
  }
}

function notFoundError(): BraggError {
  return new BraggError('not-found', 'This entry no longer exists: another window restored or discarded it.');
}
