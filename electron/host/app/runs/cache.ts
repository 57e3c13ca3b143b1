/**
 * Caches results of runs up to a memory limit. Further results are written as run files to a folder of the host and
 * read on demand. The folder is deleted when the host closes.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BraggError, messageOf } from '../../../contract/errors.ts';
import { makePrivateFolder } from '../../io/files/folders.ts';
import type { ProcessFolders } from '../../io/files/owned-folder.ts';
import { toFileError } from '../../io/files/plain-file.ts';
import { arrayBytesIn } from '../../io/threads/shared.ts';
import type { AnyRunData } from '../../workloads/run-data.ts';
import type { RunPacker } from '../run-files/packer.ts';

/**
 * Memory limit in bytes: about thirty runs of the default scenario. A run of a bone slab with 64 keyframes needs 60 MB.
 */
export const DEFAULT_BOUND_BYTES = 768 * 2 ** 20;

type CacheEntry = {
  /** Null if the result is only on disk. */
  data: AnyRunData | null;
  readonly bytes: number;
  onDisk: boolean;
  /** Pending write. */
  moving: Promise<void> | null;
  /** Pending read, shared by all requests until it ends. */
  reading: Promise<AnyRunData> | null;
};

export class RunCache {
  readonly #scratch: Pick<ProcessFolders, 'own' | 'make'>;
  readonly #packer: RunPacker;
  readonly #bound: number;
  readonly #onTrouble: (reason: string) => void;
  /** Entries in the order of their last use, the most recent last. */
  readonly #cached = new Map<string, CacheEntry>();

  constructor(
    scratch: Pick<ProcessFolders, 'own' | 'make'>,
    packer: RunPacker,
    bound_bytes: number,
    onTrouble: (reason: string) => void,
  ) {
    this.#scratch = scratch;
    this.#packer = packer;
    this.#bound = bound_bytes;
    this.#onTrouble = onTrouble;
  }

  /** Memory used by results, in bytes. */
  get bytes(): number {
    let sum = 0;
    for (const kept of this.#cached.values()) if (kept.data !== null) sum += kept.bytes;
    return sum;
  }

  put(id: string, data: AnyRunData): void {
    this.#cached.set(id, { data, bytes: arrayBytesIn(data), onDisk: false, moving: null, reading: null });
    void this.#makeRoom(id);
  }

  async get(id: string): Promise<AnyRunData> {
    const kept = this.#cached.get(id);
    if (kept === undefined) throw new BraggError('not-found', 'This run has no saved result.');
    this.#cached.delete(id);
    this.#cached.set(id, kept);
    if (kept.data !== null) return kept.data;
    await kept.moving;
    if (kept.data !== null) return kept.data;
    kept.reading ??= this.#read(id, kept).finally(() => {
      kept.reading = null;
    });
    return kept.reading;
  }

  async drop(id: string): Promise<void> {
    const kept = this.#cached.get(id);
    this.#cached.delete(id);
    await kept?.moving;
    if (kept?.onDisk) await rm(this.#file(id), { force: true });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#cached.values()].map((kept) => kept.moving));
    this.#cached.clear();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #folder(): string {
    return path.join(this.#scratch.own, 'runs');
  }

  #file(id: string): string {
    return path.join(this.#folder, `${id}.h5`);
  }

  async #read(id: string, entry: CacheEntry): Promise<AnyRunData> {
    try {
      entry.data = await this.#packer.read(await readFile(this.#file(id)), id);
    } catch (error) {
      throw toFileError(error, 'The result of this run');
    }
    void this.#makeRoom(id);
    return entry.data;
  }

  /**
   * Writes the least recently used results to disk until the limit is met. Skips the result `except`, which is about to
   * be used.
   */
  async #makeRoom(except: string): Promise<void> {
    for (const [id, kept] of [...this.#cached]) {
      if (this.bytes <= this.#bound) return;
      if (id === except || kept.data === null || kept.moving !== null) continue;
      kept.moving = this.#writeToDisk(id, kept, kept.data);
      await kept.moving;
      kept.moving = null;
    }
  }

  async #writeToDisk(id: string, kept: CacheEntry, data: AnyRunData): Promise<void> {
    try {
      if (!kept.onDisk) {
        await this.#scratch.make();
        await makePrivateFolder(this.#folder);
        await writeFile(this.#file(id), await this.#packer.write(data));
        kept.onDisk = true;
      }
      kept.data = null;
    } catch (error) {
      // Rather exceed the memory limit than lose a result.
      const reason = messageOf(error);
      this.#onTrouble(`Results in memory exceed the limit: ${reason}`);
    }
  }
}
