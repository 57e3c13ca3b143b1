/** A small JSON file of the program's own that several programs change: each change is of what is there now. */
import { mkdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import type { z } from 'zod';
import { fileError } from './errors.ts';
import type { Locks } from './locks.ts';
import { writeAtomically } from './write-file.ts';

export interface StateFileOptions<T> {
  readonly file: string;
  /** Schema of the whole file. */
  readonly schema: z.ZodType<T>;
  /** What holds where there is no file. */
  readonly empty: T;
  readonly locks: Locks;
  /** Told where a file cannot be read: it was put aside under another name, because a person may have written it. */
  readonly onDamaged: (aside: string) => void;
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

export class StateFile<T> {
  readonly #options: StateFileOptions<T>;

  constructor(options: StateFileOptions<T>) {
    this.#options = options;
  }

  /** Throws BraggError where it is there and cannot be opened: that is not the same as none. */
  async read(): Promise<T> {
    const { file, schema, empty, onDamaged } = this.#options;
    let text: string;
    try {
      text = await readFile(file, 'utf8');
    } catch (error) {
      if (isMissing(error)) return empty;
      throw fileError(error, file);
    }
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      const aside = `${file}.damaged-${Date.now()}`;
      await rename(file, aside).catch(() => undefined);
      onDamaged(aside);
      return empty;
    }
  }

  /** Reads, changes and writes while no other program does; what holds then. Throws BraggError. */
  async change(change: (now: T) => T): Promise<T> {
    const { file, locks } = this.#options;
    try {
      await mkdir(path.dirname(file), { recursive: true });
    } catch (error) {
      throw fileError(error, file);
    }
    return locks.holding(file, () => this.changeLocked(change));
  }

  /** The same for whoever holds the lock already. One that changes nothing writes nothing, on a full disk too. */
  async changeLocked(change: (now: T) => T): Promise<T> {
    const now = await this.read();
    const next = change(now);
    if (JSON.stringify(next) === JSON.stringify(now)) return now;
    await mkdir(path.dirname(this.#options.file), { recursive: true });
    await writeAtomically(this.#options.file, `${JSON.stringify(next, null, 2)}\n`, 'replace');
    return next;
  }
}
