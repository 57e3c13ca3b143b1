/**
 * One folder for each running process, for example for recovery data. If a folder's process has died, the folder
 * contains the data left by a crash. A lock shows that the owner is alive, because the operating system releases it
 * when the process ends. Process ids cannot be compared across containers and machines, and file ages are wrong after a
 * clock was set.
 */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { SerialQueue } from '../flow/queues.ts';
import { makePrivateFolder } from './folders.ts';
import { type Lock, makeLockFile, tryLock } from './locks.ts';
import { identifyThisMachine } from './this-machine.ts';
import { isTemporaryName, removeRecursively, temporaryPathIn } from './write-file.ts';

/** Interval of heartbeats, for machines that cannot see the lock because it is not shared over the network. */
const HEARTBEAT_MS = 30_000;
/** An owner on another machine is considered dead after this time without a heartbeat. */
const DEAD_AFTER_MS = 5 * HEARTBEAT_MS;
const OWNER_FILE = 'owner.json';
const LOCK_FILE = 'owner.lock';
const ownerSchema = z.object({ machine: z.string(), boot: z.string().nullable() });

/**
 * Last observed heartbeat of an owner on another machine, and the time of its first observation by this process's
 * clock.
 */
interface OwnerObservation {
  readonly beat: string;
  readonly since_ms: number;
}

export class ProcessFolders {
  readonly #root: string;
  /** Folder of this process; it is created when a file is first saved. */
  readonly own: string;
  readonly #making = new SerialQueue();
  readonly #sightings = new Map<string, OwnerObservation>();
  #lock: Lock | null = null;
  #beat: NodeJS.Timeout | undefined;

  /** `root`: folder that contains the folders of all processes. */
  constructor(root: string) {
    this.#root = root;
    this.own = path.join(root, `${process.pid}-${randomBytes(6).toString('hex')}`);
  }

  /** Creates the folder of this process, again if it was deleted. Rejects with system errors. */
  make(): Promise<void> {
    return this.#making.do(async () => {
      if (this.#lock !== null && (await stat(path.join(this.own, LOCK_FILE)).catch(() => null)) !== null) return;
      this.#lock?.release();
      this.#lock = null;
      await this.#create();
    });
  }

  /** Folders whose processes have died. */
  async orphans(now_ms = performance.now()): Promise<readonly string[]> {
    const names = await readdir(this.#root).catch(() => []);
    const whole = names.filter((name) => !isTemporaryName(name)).map((name) => path.join(this.#root, name));
    const folders = whole.filter((folder) => folder !== this.own);
    const orphans: string[] = [];
    for (const folder of folders) if (await this.#isOrphan(folder, now_ms)) orphans.push(folder);
    return orphans;
  }

  /** Releases the folder of this process, and deletes it unless `isKept` is true for a file in it. */
  async close(isKept: (name: string) => boolean = () => false): Promise<void> {
    clearInterval(this.#beat);
    await this.#making.settled();
    if (this.#lock === null) return;
    this.#lock.release();
    this.#lock = null;
    await removeFolderUnless(this.own, isKept);
  }

  async #isOrphan(folder: string, now_ms: number): Promise<boolean> {
    const lockFile = path.join(folder, LOCK_FILE);
    if ((await stat(lockFile).catch(() => null)) === null) return this.#isSilent(folder, now_ms);
    try {
      const lock = tryLock(lockFile);
      if (lock === null) return false;
      lock.release();
    } catch {
      // The file belongs to another user; only that user can test whether it is locked.
      return false;
    }
    // The lock is free on this machine, but a lock of another machine may not be visible here.
    return (await isOfThisMachine(folder)) || this.#isSilent(folder, now_ms);
  }

  /** Whether the owner's heartbeat has not changed for DEAD_AFTER_MS while this process observed it. */
  async #isSilent(folder: string, now_ms: number): Promise<boolean> {
    const found =
      (await stat(path.join(folder, OWNER_FILE)).catch(() => null)) ?? (await stat(folder).catch(() => null));
    if (found === null) return false;
    const beat = `${found.mtimeMs} ${found.ino}`;
    const seen = this.#sightings.get(folder);
    if (seen?.beat === beat) return now_ms - seen.since_ms > DEAD_AFTER_MS;
    this.#sightings.set(folder, { beat, since_ms: now_ms });
    return false;
  }

  async #create(): Promise<void> {
    const [lockFile, owner] = [path.join(this.own, LOCK_FILE), path.join(this.own, OWNER_FILE)];
    await makePrivateFolder(this.#root);
    if ((await stat(this.own).catch(() => null)) === null) {
      // Created under a temporary name and renamed when complete: without the lock file others could not see that the
      // owner lives.
      const making = temporaryPathIn(this.#root);
      await recordOwner(making);
      await rename(making, this.own);
    } else {
      await recordOwner(this.own);
    }
    // Another process may briefly have locked the file to test whether its owner lives.
    for (this.#lock = tryLock(lockFile); this.#lock === null; this.#lock = tryLock(lockFile)) await sleep(2);
    clearInterval(this.#beat);
    this.#beat = setInterval(() => {
      const now = new Date();
      utimes(owner, now, now).catch(() => undefined);
    }, HEARTBEAT_MS);
    this.#beat.unref();
  }
}

/** Writes the owner's machine and boot into a folder, and creates the lock file that shows whether the owner lives. */
async function recordOwner(folder: string): Promise<void> {
  await makePrivateFolder(folder);
  await writeFile(
    path.join(folder, OWNER_FILE),
    JSON.stringify({ machine: identifyThisMachine().name, boot: identifyThisMachine().bootId }),
  );
  await makeLockFile(path.join(folder, LOCK_FILE));
}

async function isOfThisMachine(folder: string): Promise<boolean> {
  try {
    const { machine, boot } = ownerSchema.parse(JSON.parse(await readFile(path.join(folder, OWNER_FILE), 'utf8')));
    return (boot !== null && boot === identifyThisMachine().bootId) || machine === identifyThisMachine().name;
  } catch {
    return false;
  }
}

/**
 * Deletes a folder unless `isKept` is true for one of its files. Partial files and the owner's files do not prevent
 * that.
 */
export async function removeFolderUnless(folder: string, isKept: (name: string) => boolean): Promise<void> {
  const names = await readdir(folder).catch(() => null);
  if (names === null || names.some(isKept)) return;
  // If the folder cannot be renamed, its content is deleted where it is.
  await removeRecursively(folder)
    .catch(() => rm(folder, { recursive: true, force: true }))
    .catch(() => undefined);
}
