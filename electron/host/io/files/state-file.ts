/** A small JSON file of the program's own that several programs change: each change is of what is there now. */
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import { BraggError } from '../../../contract/errors.ts';
import { inTurns } from '../flow/in-turns.ts';
import { jsonText } from '../flow/json-text.ts';
import { makePrivate } from './data-folder.ts';
import { fileError } from './errors.ts';
import type { Locks } from './locks.ts';
import { readPlainAtMost } from './plain-file.ts';
import { writeAtomically } from './write-file.ts';

/** Tags and remarks of some ten thousand files; looking through so much takes milliseconds. */
const MOST_BYTES = 4 * 2 ** 20;

interface StateFileOptions<T> {
  readonly file: string;
  /** Schema of the whole file. */
  readonly schema: z.ZodType<T>;
  /** Value used if there is no file. */
  readonly empty: T;
  readonly locks: Locks;
  /** Called if a file cannot be read. It was renamed, because a person may have written it. */
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
    let bytes: Buffer | null;
    try {
      bytes = await readPlainAtMost(file, MOST_BYTES);
    } catch (error) {
      if (isMissing(error)) return empty;
      throw fileError(error, file);
    }
    if (bytes === null) throw tooLarge(file);
    try {
      const value: unknown = JSON.parse(bytes.toString('utf8'));
      // Megabytes take some milliseconds of each.
      await nextTurn();
      return schema.parse(value);
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
      await makePrivate(path.dirname(file));
    } catch (error) {
      throw fileError(error, file);
    }
    return locks.holding(file, () => this.changeLocked(change));
  }

  /** The same for whoever holds the lock already. One that changes nothing writes nothing, on a full disk too. */
  async changeLocked(change: (now: T) => T): Promise<T> {
    const now = await this.read();
    const next = change(now);
    if ((await inTurns(jsonText(next))) === (await inTurns(jsonText(now)))) return now;
    const { file } = this.#options;
    const text = `${JSON.stringify(next, null, 2)}\n`;
    if (Buffer.byteLength(text) > MOST_BYTES) throw tooLarge(file);
    await makePrivate(path.dirname(file));
    await writeAtomically(file, text, 'replace');
    return next;
  }
}

function tooLarge(file: string): BraggError {
  return new BraggError(
    'io',
    `${file} would hold too much; allowed: ${MOST_BYTES / 2 ** 20} MiB. It is left as it is.`,
  );
}
