/**
 * One at a time, over all processes: what reads, changes and writes the files of one folder. The lock is SQLite's
 * on an empty file: the system frees it when its holder dies, so that it needs no clock, no process id and no age.
 */
import { createHash } from 'node:crypto';
import { chmod, realpath, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { BraggError } from '../../../contract/errors.ts';
import { InOrder } from '../flow/in-order.ts';
import { makePrivate } from './data-folder.ts';
import { fileError } from './errors.ts';

/** The program's own folder within a library: labels and the lock go where the library goes. */
export const OWN_FOLDER = '.braggbench';
/** Holders read and write small files. One that takes longer hangs. */
const WAIT_MS = 15_000;
const TRIED_EVERY_MS = [2, 25] as const;
/** SQLite's code, https://www.sqlite.org/rescode.html. */
const BUSY = 5;

export interface Lock {
  release(): void;
}

function isBusy(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'errcode') : null;
  return typeof code === 'number' && (code & 0xff) === BUSY;
}

/**
 * Takes the lock on a file that holds nothing, at once; null: another connection, of this process or of another,
 * holds it. The file is opened by SQLite alone: closing it otherwise would free the lock (POSIX).
 */
export function tryLock(file: string): Lock | null {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Nothing is written: neither a journal, for which a full disk has no room, nor what is begun here.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
}

/** `bits` for the owner, and for group and others where they may write into the folder with `mode`. */
const sharedMode = (mode: number, bits: number): number =>
  (bits << 6) | (mode & 0o020 ? bits << 3 : 0) | (mode & 0o002 ? bits : 0);

/** Makes the program's own folder in a library. In a library that several users write into, they share it. */
export async function makeOwnFolder(library: string): Promise<void> {
  const folder = path.join(library, OWN_FOLDER);
  if ((await makePrivate(folder)) === undefined) return;
  await chmod(folder, sharedMode((await stat(library)).mode, 0o7));
}

/**
 * Makes the file of a lock. Whoever can open it can hold it for as long as they like, so it has the permissions of the
 * folder that it guards: a user who may not write into that may not lock it.
 */
export async function makeLockFile(file: string, guarded = path.dirname(file)): Promise<void> {
  await makePrivate(path.dirname(file));
  const { mode } = await stat(guarded);
  try {
    await writeFile(file, '', { flag: 'wx', mode: 0o600 });
    await chmod(file, sharedMode(mode, 0o6));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

interface LockFile {
  readonly file: string;
  /** Folder whose permissions the lock gets: the library, or the data folder for locks stored there. */
  readonly guarded: string;
}

/** Waits of this process, by the file of the lock: in the order in which they came. */
const waits = new Map<string, { readonly order: InOrder; users: number }>();

async function whileLocked<T>({ file, guarded }: LockFile, name: string, work: () => Promise<T>): Promise<T> {
  let lock: Lock | null = null;
  try {
    if (!(await stat(file).catch(() => null))) await makeLockFile(file, guarded);
    const end = performance.now() + WAIT_MS;
    for (lock = tryLock(file); lock === null; lock = tryLock(file)) {
      if (performance.now() > end) {
        throw new BraggError('io', `${name} is being written by another program, which does not end. Try again later.`);
      }
      const [least, most] = TRIED_EVERY_MS;
      await sleep(least + Math.random() * (most - least));
    }
  } catch (error) {
    throw fileError(error, name);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

export class Locks {
  readonly #folder: string;

  /** Locks of folders other than libraries are stored in the data folder: we leave no files among the user's. */
  constructor(dataFolder: string) {
    this.#folder = path.join(dataFolder, 'locks');
  }

  /**
   * Does `work` while no other program does anything to the folder of `file` under its lock. Not to be nested.
   * Throws BraggError `io` where the lock is not to be had.
   */
  async holding<T>(file: string, work: () => Promise<T>): Promise<T> {
    const lockFile = await this.#fileOf(path.dirname(file));
    const wait = waits.get(lockFile.file) ?? { order: new InOrder(), users: 0 };
    waits.set(lockFile.file, wait);
    wait.users += 1;
    try {
      return await wait.order.do(() => whileLocked(lockFile, path.basename(file), work));
    } finally {
      wait.users -= 1;
      if (wait.users === 0) waits.delete(lockFile.file);
    }
  }

  /** The lock file; in the folder itself where any program made it a library. */
  async #fileOf(folder: string): Promise<LockFile> {
    const real = await realpath(folder).catch(() => path.resolve(folder));
    const own = path.join(real, OWN_FOLDER);
    if ((await stat(own).catch(() => null))?.isDirectory()) return { file: path.join(own, 'lock'), guarded: real };
    const name = createHash('sha256').update(real).digest('hex').slice(0, 32);
    return { file: path.join(this.#folder, name), guarded: this.#folder };
  }
}
