/** Kept sessions of small measured workloads: those that came with the program, and those in the library. */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { allRunEndings } from '../../../contract/exports.ts';
import type { StoredTask } from '../../../contract/task.ts';
import type { TaskSession } from '../../../contract/task-bench.ts';
import type { FileAccess } from '../../files/access.ts';
import { isTaskSession, parseTaskSession } from './session-file.ts';

const RECORDED = 'recorded~';
const LIBRARY = 'library~';

interface Found {
  readonly id: string;
  readonly name: string;
  readonly file: string;
  readonly recorded: boolean;
}

interface Read {
  readonly modified_ms: number;
  /** Null: of another kind. */
  readonly session: TaskSession | null;
}

const stem = (name: string): string => name.replace(/(\.task)?\.json$/i, '');

export class StoredTasks {
  readonly #folder: string;
  readonly #files: FileAccess;
  readonly #trouble: (reason: string) => void;
  readonly #read = new Map<string, Read>();

  /** `folder`: the recorded ones, also below it. */
  constructor(folder: string, files: FileAccess, trouble: (reason: string) => void) {
    this.#folder = folder;
    this.#files = files;
    this.#trouble = trouble;
  }

  /** Of one workload. A file that cannot be read is told and left out. */
  async list(workload: string): Promise<readonly StoredTask[]> {
    const out: StoredTask[] = [];
    for (const found of await this.#all()) {
      const session = await this.#load(found).catch((error: unknown) => {
        this.#trouble(error instanceof Error ? error.message : String(error));
        return null;
      });
      const [report] = session?.reports ?? [];
      if (session === null || report === undefined || report.workload !== workload) continue;
      out.push({
        id: found.id,
        name: found.name,
        workload,
        bench: report.bench,
        scenario: report.scenario,
        machine: report.machine.gpu?.name ?? report.machine.cpu,
        created: session.created,
        recorded: found.recorded,
        sweep: session.sweep?.path ?? null,
      });
    }
    return out;
  }

  /** Throws BraggError `not-found` or `foreign-file`. */
  async get(id: string): Promise<TaskSession> {
    const found = (await this.#all()).find((one) => one.id === id);
    const session = found === undefined ? null : await this.#load(found);
    if (session === null) throw new BraggError('not-found', 'There is no such session.');
    return session;
  }

  async #all(): Promise<readonly Found[]> {
    const names = await readdir(this.#folder, { recursive: true }).catch(() => []);
    const recorded = names
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name): Found => {
        const shown = name.split(path.sep).join('/');
        return { id: RECORDED + shown, name: stem(shown), file: path.join(this.#folder, name), recorded: true };
      });
    const library = await this.#files.library.list(['.json']);
    const own = library.filter(({ key }) => allRunEndings.some((ending) => key.endsWith(ending)));
    return [
      ...recorded,
      ...own.map((file): Found => ({ id: LIBRARY + file.key, name: stem(file.key), file: file.path, recorded: false })),
    ];
  }

  async #load({ file }: Found): Promise<TaskSession | null> {
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }));
    const known = this.#read.get(file);
    if (known !== undefined && known.modified_ms === mtimeMs) return known.session;
    const text = await readFile(file, 'utf8');
    const session = isTaskSession(text) ? parseTaskSession(text, path.basename(file)) : null;
    this.#read.set(file, { modified_ms: mtimeMs, session });
    return session;
  }
}
