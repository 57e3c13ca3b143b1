/**
 * Folders of recovery data, one per host process. A folder whose process is
 * gone holds what a crash left behind.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

/** A living process says so this often. */
const BEAT_MS = 30_000;
/** A process id can belong to another program by now: one that was silent for this long is gone. */
const SILENT_MS = 5 * 60_000;
const OWNER = 'owner.json';
const ownerSchema = z.object({ pid: z.number().int() });

/** Whether there is a process of this id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Of another user: there is such a process.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function hasOwner(folder: string): Promise<boolean> {
  const file = path.join(folder, OWNER);
  try {
    const { pid } = ownerSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    const { mtimeMs } = await stat(file);
    // This process has one folder, and it is not this one.
    return pid !== process.pid && isAlive(pid) && Date.now() - mtimeMs < SILENT_MS;
  } catch {
    return false;
  }
}

export class RecoveryFolders {
  readonly #root: string;
  /** This process's own; made when something is first kept. */
  readonly own: string;
  #made: Promise<void> | null = null;
  #beat: NodeJS.Timeout | undefined;

  constructor(dataFolder: string) {
    this.#root = path.join(dataFolder, 'recovery');
    this.own = path.join(this.#root, `${process.pid}-${randomBytes(6).toString('hex')}`);
  }

  /** Makes the own folder. Rejects as the file system does. */
  make(): Promise<void> {
    this.#made ??= this.#create().catch((error: unknown) => {
      this.#made = null;
      throw error;
    });
    return this.#made;
  }

  /** Folders that other processes left behind. */
  async orphans(): Promise<readonly string[]> {
    const names = await readdir(this.#root).catch(() => []);
    const folders = names.map((name) => path.join(this.#root, name)).filter((folder) => folder !== this.own);
    const owned = await Promise.all(folders.map(hasOwner));
    return folders.filter((_, i) => !owned[i]);
  }

  /** The own folder goes when nothing is left in it; what a page has not saved stays. */
  async close(): Promise<void> {
    clearInterval(this.#beat);
    await this.#made?.catch(() => undefined);
    if (this.#made !== null) await tidy(this.own);
  }

  async #create(): Promise<void> {
    await mkdir(this.own, { recursive: true });
    const file = path.join(this.own, OWNER);
    await writeFile(file, JSON.stringify({ pid: process.pid }));
    this.#beat = setInterval(() => {
      const now = new Date();
      utimes(file, now, now).catch(() => undefined);
    }, BEAT_MS);
    this.#beat.unref();
  }
}

/** Takes a folder away in which nothing is kept any more. */
export async function tidy(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => null);
  if (names === null || names.some((name) => name !== OWNER && !name.startsWith('.'))) return;
  await rm(path.join(folder, OWNER), { force: true });
  await rmdir(folder).catch(() => undefined);
}
