/**
 * Folders of which each process has one, such as those of recovery data. A folder whose process is gone contains the
 * data left by a crash. A lock, which the system releases with the process, shows that the owner is alive. Process ids
 * are meaningless across containers and machines, and so are ages if a clock is set.
 */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { InOrder } from '../flow/in-order.ts';
import { makePrivate } from './data-folder.ts';
import { type Lock, makeLockFile, tryLock } from './locks.ts';
import { isTemporary, temporaryIn } from './temporary.ts';
import { thisMachine } from './this-machine.ts';

/** A living process says so this often, to machines that do not see its lock. */
const BEAT_MS = 30_000;
/** Seen from another machine: one that was silent for as long is gone. */
const SILENT_MS = 5 * BEAT_MS;
const OWNER = 'owner.json';
const LOCK = 'owner.lock';
const ownerSchema = z.object({ machine: z.string(), boot: z.string().nullable() });

/** Observation of an owner on another machine: time of its last heartbeat change, by this process's own clock. */
interface Sighting {
  readonly beat: string;
  readonly since_ms: number;
}

export class OwnedFolders {
  readonly #root: string;
  /** This process's folder; created when something is first saved. */
  readonly own: string;
  readonly #making = new InOrder();
  readonly #sightings = new Map<string, Sighting>();
  #lock: Lock | null = null;
  #beat: NodeJS.Timeout | undefined;

  /** `root` is the folder of the folders. */
  constructor(root: string) {
    this.#root = root;
    this.own = path.join(root, `${process.pid}-${randomBytes(6).toString('hex')}`);
  }

  /** Makes the own folder, again where someone has deleted it. Rejects as the file system does. */
  make(): Promise<void> {
    return this.#making.do(async () => {
      if (this.#lock !== null && (await stat(path.join(this.own, LOCK)).catch(() => null)) !== null) return;
      this.#lock?.release();
      this.#lock = null;
      await this.#create();
    });
  }

  /** Folders that other processes left behind. */
  async orphans(now_ms = performance.now()): Promise<readonly string[]> {
    const names = await readdir(this.#root).catch(() => []);
    const whole = names.filter((name) => !isTemporary(name)).map((name) => path.join(this.#root, name));
    const folders = whole.filter((folder) => folder !== this.own);
    const orphans: string[] = [];
    for (const folder of folders) if (await this.#isOrphan(folder, now_ms)) orphans.push(folder);
    return orphans;
  }

  /** Frees the own folder, which goes when nothing is left in it that `isKept` knows. */
  async close(isKept: (name: string) => boolean = () => false): Promise<void> {
    clearInterval(this.#beat);
    await this.#making.settled();
    if (this.#lock === null) return;
    this.#lock.release();
    this.#lock = null;
    await removeUnless(this.own, isKept);
  }

  async #isOrphan(folder: string, now_ms: number): Promise<boolean> {
    const lockFile = path.join(folder, LOCK);
    if ((await stat(lockFile).catch(() => null)) === null) return this.#isSilent(folder, now_ms);
    try {
      const lock = tryLock(lockFile);
      if (lock === null) return false;
      lock.release();
    } catch {
      // Another user's file: only they can tell.
      return false;
    }
    // Free, in the eyes of this machine; another's locks may not reach it.
    return (await isOfThisMachine(folder)) || this.#isSilent(folder, now_ms);
  }

  /** True when its owner has given no sign of life for long while this process looked. */
  async #isSilent(folder: string, now_ms: number): Promise<boolean> {
    const found = (await stat(path.join(folder, OWNER)).catch(() => null)) ?? (await stat(folder).catch(() => null));
    if (found === null) return false;
    const beat = `${found.mtimeMs} ${found.ino}`;
    const seen = this.#sightings.get(folder);
    if (seen?.beat === beat) return now_ms - seen.since_ms > SILENT_MS;
    this.#sightings.set(folder, { beat, since_ms: now_ms });
    return false;
  }

  async #create(): Promise<void> {
    const [lockFile, owner] = [path.join(this.own, LOCK), path.join(this.own, OWNER)];
    await makePrivate(this.#root);
    if ((await stat(this.own).catch(() => null)) === null) {
      // Whole from its first moment: whoever finds one without a lock cannot tell whether its process lives.
      const making = temporaryIn(this.#root);
      await mark(making);
      await rename(making, this.own);
    } else {
      await mark(this.own);
    }
    // Whoever looks whether it is free holds it for a moment.
    for (this.#lock = tryLock(lockFile); this.#lock === null; this.#lock = tryLock(lockFile)) await sleep(2);
    clearInterval(this.#beat);
    this.#beat = setInterval(() => {
      const now = new Date();
      utimes(owner, now, now).catch(() => undefined);
    }, BEAT_MS);
    this.#beat.unref();
  }
}

/** Says in a folder whose it is, and how to ask whether they live. */
async function mark(folder: string): Promise<void> {
  await makePrivate(folder);
  await writeFile(
    path.join(folder, OWNER),
    JSON.stringify({ machine: thisMachine().name, boot: thisMachine().bootId }),
  );
  await makeLockFile(path.join(folder, LOCK));
}

async function isOfThisMachine(folder: string): Promise<boolean> {
  try {
    const { machine, boot } = ownerSchema.parse(JSON.parse(await readFile(path.join(folder, OWNER), 'utf8')));
    return (boot !== null && boot === thisMachine().bootId) || machine === thisMachine().name;
  } catch {
    return false;
  }
}

/** Takes a folder away in which there is nothing that `isKept` knows: half-written files and what marks the owner go with it. */
export async function removeUnless(folder: string, isKept: (name: string) => boolean): Promise<void> {
  const names = await readdir(folder).catch(() => null);
  if (names === null || names.some(isKept)) return;
  // Gone as a whole, too, also when this process ends half way.
  const going = temporaryIn(path.dirname(folder));
  const moved = await rename(folder, going).then(
    () => going,
    () => folder,
  );
  await rm(moved, { recursive: true, force: true }).catch(() => undefined);
}
