/** File references to paths, and back. The one place that turns what a page holds into a path. */
import { randomBytes } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../contract/errors.ts';
import type { FileRef, NamedFile } from '../../contract/files.ts';
import { MAX_FRAME_BYTES } from '../../contract/frame.ts';
import { checkWritable, writeAtomically } from '../scenarios/index.ts';
import { fileError } from './errors.ts';
import type { Library } from './library.ts';

/** A grant is a key to a file: it must not be guessed by a page that was not given it. */
const GRANT_BYTES = 15;

export interface Readable {
  readonly path: string;
  readonly readOnly: boolean;
}

export class FileAccess {
  readonly library: Library;
  readonly #paths = new Map<string, string>();
  readonly #keys = new Map<string, string>();

  constructor(library: Library) {
    this.library = library;
  }

  /**
   * Lets pages read and write this file: the user chose it. A file of the
   * library stays one of the library, so that those of the program stay as they are.
   */
  grant(file: string): NamedFile {
    const absolute = path.resolve(file);
    const inLibrary = this.library.keyOf(absolute);
    if (inLibrary !== null) return this.nameOf({ kind: 'library', key: inLibrary });
    const known = this.#keys.get(absolute);
    const key = known ?? randomBytes(GRANT_BYTES).toString('base64url');
    this.#keys.set(absolute, key);
    this.#paths.set(key, absolute);
    return { file: { kind: 'granted', key }, name: path.basename(absolute), place: absolute };
  }

  async readable(ref: FileRef): Promise<Readable> {
    if (ref.kind === 'library') return this.library.readable(ref.key);
    return { path: this.#granted(ref.key), readOnly: false };
  }

  async writable(ref: FileRef): Promise<string> {
    return ref.kind === 'library' ? this.library.writable(ref.key) : this.#granted(ref.key);
  }

  nameOf(ref: FileRef): NamedFile {
    if (ref.kind === 'granted') return this.grant(this.#granted(ref.key));
    return { file: ref, name: ref.key, place: 'library' };
  }

  /** All bytes of a file. Throws BraggError. */
  async read(ref: FileRef): Promise<Uint8Array> {
    const { path: file } = await this.readable(ref);
    try {
      const { size } = await stat(file);
      if (size > MAX_FRAME_BYTES) {
        throw new BraggError(
          'foreign-file',
          `${path.basename(file)} has ${Math.round(size / 1e6)} MB, which no run has.`,
        );
      }
      return await readFile(file);
    } catch (error) {
      throw fileError(error, path.basename(file));
    }
  }

  /** Whole or not at all. Throws BraggError. */
  async write(ref: FileRef, data: Uint8Array | string, ifExists: 'replace' | 'refuse'): Promise<NamedFile> {
    await writeAtomically(await this.writable(ref), data, ifExists);
    if (ref.kind === 'library') this.library.touched();
    return this.nameOf(ref);
  }

  /** Throws what writing would, before there is anything to write. */
  async checkWritable(ref: FileRef): Promise<void> {
    await checkWritable(await this.writable(ref));
  }

  #granted(key: string): string {
    const file = this.#paths.get(key);
    if (file === undefined) throw new BraggError('not-found', 'This file is no longer open. Please choose it again.');
    return file;
  }
}

/** True when the file can be opened for reading now. */
export async function exists(file: string): Promise<boolean> {
  try {
    await (await open(file, 'r')).close();
    return true;
  } catch {
    return false;
  }
}
