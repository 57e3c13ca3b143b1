/**
 * Caches results of runs up to a limit of memory. Excess results are written as run files to a folder of the host and
 * read on demand. The folder is deleted with the host.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BraggError, messageOf } from '../../../contract/errors.ts';
import { sizeOf } from '../../io/aside/size.ts';
import { makePrivate } from '../../io/files/data-folder.ts';
import { fileError } from '../../io/files/errors.ts';
import type { OwnedFolders } from '../../io/files/owned-folder.ts';
import type { AnyRunData } from '../../workloads/run-data.ts';
import type { RunPacker } from '../run-files/packer.ts';

/** Thirty runs of the default scenario; a bone slab with 64 keyframes takes 60 MB. */
export const DEFAULT_BOUND_BYTES = 768 * 2 ** 20;

type Kept = {
  /** Null if it is only on disk. */
  data: AnyRunData | null;
  readonly bytes: number;
  onDisk: boolean;
  /** A write under way. */
  moving: Promise<void> | null;
  /** A read under way: whoever asks meanwhile waits for it. */
  reading: Promise<AnyRunData> | null;
};

export class RunCache {
  readonly #scratch: Pick<OwnedFolders, 'own' | 'make'>;
  readonly #packer: RunPacker;
  readonly #bound: number;
  readonly #onTrouble: (reason: string) => void;
  /** In the order of use, the latest last. */
  readonly #kept = new Map<string, Kept>();

  constructor(
    scratch: Pick<OwnedFolders, 'own' | 'make'>,
    packer: RunPacker,
    bound_bytes: number,
    onTrouble: (reason: string) => void,
  ) {
    this.#scratch = scratch;
    this.#packer = packer;
    this.#bound = bound_bytes;
    this.#onTrouble = onTrouble;
  }

  /** Bytes in memory now. */
  get bytes(): number {
    let sum = 0;
    for (const kept of this.#kept.values()) if (kept.data !== null) sum += kept.bytes;
    return sum;
  }

  put(id: string, data: AnyRunData): void {
    this.#kept.set(id, { data, bytes: sizeOf(data), onDisk: false, moving: null, reading: null });
    void this.#makeRoom(id);
  }

  async get(id: string): Promise<AnyRunData> {
    const kept = this.#kept.get(id);
    if (kept === undefined) throw new BraggError('not-found', 'This run kept no result.');
    this.#kept.delete(id);
    this.#kept.set(id, kept);
    if (kept.data !== null) return kept.data;
    await kept.moving;
    if (kept.data !== null) return kept.data;
    kept.reading ??= this.#read(id, kept).finally(() => {
      kept.reading = null;
    });
    return kept.reading;
  }

  async drop(id: string): Promise<void> {
    const kept = this.#kept.get(id);
    this.#kept.delete(id);
    await kept?.moving;
    if (kept?.onDisk) await rm(this.#file(id), { force: true });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept.values()].map((kept) => kept.moving));
    this.#kept.clear();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #folder(): string {
    return path.join(this.#scratch.own, 'runs');
  }

  #file(id: string): string {
    return path.join(this.#folder, `${id}.h5`);
  }

  async #read(id: string, kept: Kept): Promise<AnyRunData> {
    try {
      kept.data = await this.#packer.read(await readFile(this.#file(id)), id);
    } catch (error) {
      throw fileError(error, 'The result of this run');
    }
    void this.#makeRoom(id);
    return kept.data;
  }

  /** Moves what was used longest ago out of memory, but never `except`, which someone is about to use. */
  async #makeRoom(except: string): Promise<void> {
    for (const [id, kept] of [...this.#kept]) {
      if (this.bytes <= this.#bound) return;
      if (id === except || kept.data === null || kept.moving !== null) continue;
      kept.moving = this.#moveOut(id, kept, kept.data);
      await kept.moving;
      kept.moving = null;
    }
  }

  async #moveOut(id: string, kept: Kept, data: AnyRunData): Promise<void> {
    try {
      if (!kept.onDisk) {
        await this.#scratch.make();
        await makePrivate(this.#folder);
        await writeFile(this.#file(id), await this.#packer.write(data));
        kept.onDisk = true;
      }
      kept.data = null;
    } catch (error) {
      // Better too much memory than a lost result.
      const reason = messageOf(error);
      this.#onTrouble(`Results are kept in memory beyond the bound: ${reason}`);
    }
  }
}
