/**
 * Locks that let one process at a time read, change and write the files of a folder. A lock is SQLite's lock on an
 * empty file. The operating system releases it when its owner dies, so no clock, process id or age is needed.
 */
import { createHash } from 'node:crypto';
import { chmod, realpath, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { BraggError } from '../../../contract/errors.ts';
import { SerialQueue } from '../flow/queues.ts';
import { makePrivateFolder } from './folders.ts';
import { toFileError } from './plain-file.ts';

/** Folder of the program inside a library. It contains labels and the lock, which therefore move with the library. */
export const PROGRAM_FOLDER = '.braggbench';
/**
 * Longest wait for a lock. Locks are held only while small files are read and written, so a longer wait means that the
 * owner hangs.
 */
const MAX_WAIT_MS = 15_000;
const RETRY_RANGE_MS = [2, 25] as const;
/** Error code SQLITE_BUSY, see https://www.sqlite.org/rescode.html. */
const SQLITE_BUSY = 5;

export interface Lock {
  release(): void;
}

function isBusy(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'errcode') : null;
  return typeof code === 'number' && (code & 0xff) === SQLITE_BUSY;
}

/**
 * Tries to lock an empty file without waiting. Returns null if another connection, of this or another process, has
 * locked it. Only SQLite may open the file, because under POSIX closing any other handle would release the lock.
 */
export function tryLock(file: string): Lock | null {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // The transaction writes nothing: no data, and no journal file, which would fail on a full disk.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
}

/**
 * File mode with `bits` for the owner. Group and others get the same bits if `mode`, that of the folder, lets them
 * write.
 */
const sharedMode = (mode: number, bits: number): number =>
  (bits << 6) | (mode & 0o020 ? bits << 3 : 0) | (mode & 0o002 ? bits : 0);

/**
 * Creates the program's folder in a library. All users who can write into the library can also write into this folder.
 */
export async function makeProgramFolder(library: string): Promise<void> {
  const folder = path.join(library, PROGRAM_FOLDER);
  if ((await makePrivateFolder(folder)) === undefined) return;
  await chmod(folder, sharedMode((await stat(library)).mode, 0o7));
}

/**
 * Creates the file of a lock. Any user who can open it can lock it indefinitely. Its permissions therefore follow those
 * of the guarded folder: users who cannot write there cannot lock it.
 */
export async function makeLockFile(file: string, guarded = path.dirname(file)): Promise<void> {
  await makePrivateFolder(path.dirname(file));
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
  /**
   * Folder that determines the lock's permissions: the library, or the data folder for locks that are stored there.
   */
  readonly guarded: string;
}

/**
 * Queues of this process, by the folder's path before links are resolved. Resolving first could change the order of
 * requests.
 */
const lockQueues = new Map<string, { readonly order: SerialQueue; users: number }>();

async function runLocked<T>({ file, guarded }: LockFile, name: string, work: () => Promise<T>): Promise<T> {
  let lock: Lock | null = null;
  try {
    if (!(await stat(file).catch(() => null))) await makeLockFile(file, guarded);
    const end = performance.now() + MAX_WAIT_MS;
    for (lock = tryLock(file); lock === null; lock = tryLock(file)) {
      if (performance.now() > end) {
        throw new BraggError(
          'io',
          `Another program has locked ${name} for more than ${MAX_WAIT_MS / 1000} s. Try again later.`,
        );
      }
      const [least, most] = RETRY_RANGE_MS;
      await sleep(least + Math.random() * (most - least));
    }
  } catch (error) {
    throw toFileError(error, name);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

export class Locks {
  readonly #folder: string;

  /**
   * Locks of folders that are not libraries are stored in the data folder, so that no files appear in the user's
   * folders.
   */
  constructor(dataFolder: string) {
    this.#folder = path.join(dataFolder, 'locks');
  }

  /**
   * Runs `work` while no other program that uses the lock changes the folder of `file`. Must not be nested. Throws
   * BraggError `io` if the lock cannot be obtained.
   */
  async withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
    const folder = path.resolve(path.dirname(file));
    const wait = lockQueues.get(folder) ?? { order: new SerialQueue(), users: 0 };
    lockQueues.set(folder, wait);
    wait.users += 1;
    const locked = async (): Promise<T> => runLocked(await this.#fileOf(folder), path.basename(file), work);
    try {
      return await wait.order.do(locked);
    } finally {
      wait.users -= 1;
      if (wait.users === 0) lockQueues.delete(folder);
    }
  }

  /** Path of the lock file. It is inside the folder itself if any program uses that folder as its library. */
  async #fileOf(folder: string): Promise<LockFile> {
    const real = await realpath(folder).catch(() => folder);
    const own = path.join(real, PROGRAM_FOLDER);
    if ((await stat(own).catch(() => null))?.isDirectory()) return { file: path.join(own, 'lock'), guarded: real };
    const name = createHash('sha256').update(real).digest('hex').slice(0, 32);
    return { file: path.join(this.#folder, name), guarded: this.#folder };
  }
}
