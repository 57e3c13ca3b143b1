/**
 * Converts between file references, which pages use, and paths. No other module converts a page's reference to a path.
 */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import type { FileRef, NamedFile } from '../../../contract/files.ts';
import { MAX_FRAME_BYTES } from '../../../contract/wire/frame.ts';
import { formatBytes } from '../../../domain/values/units.ts';
import type { Library } from './library.ts';
import { type Locks, makeProgramFolder } from './locks.ts';
import { openRegularFile, toFileError } from './plain-file.ts';
import { writeAtomically } from './write-file.ts';

/** Number of random bytes in a grant. A grant gives access to a file, so pages must not be able to guess one. */
const GRANT_BYTES = 15;

interface ReadableFile {
  readonly path: string;
  readonly readOnly: boolean;
}

export class FileAccess {
  readonly library: Library;
  readonly #paths = new Map<string, string>();
  readonly #keys = new Map<string, string>();

  readonly #locks: Locks;

  constructor(library: Library, locks: Locks) {
    this.library = library;
    this.#locks = locks;
  }

  /**
   * Allows pages to read and write a file that the user chose. For a file of the library the result is a library
   * reference, so that shipped files remain read-only.
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

  async readable(ref: FileRef): Promise<ReadableFile> {
    if (ref.kind === 'library') return this.library.pathForReading(ref.key);
    return { path: this.#granted(ref.key), readOnly: false };
  }

  async writable(ref: FileRef): Promise<string> {
    return ref.kind === 'library' ? this.library.pathForWriting(ref.key) : this.#granted(ref.key);
  }

  nameOf(ref: FileRef): NamedFile {
    if (ref.kind === 'granted') return this.grant(this.#granted(ref.key));
    return { file: ref, name: ref.key, place: 'library' };
  }

  /** All bytes of a file. Throws BraggError. */
  async read(ref: FileRef): Promise<Uint8Array> {
    const { path: file } = await this.readable(ref);
    const name = path.basename(file);
    try {
      const handle = await openRegularFile(file, name);
      try {
        const { size } = await handle.stat();
        if (size > MAX_FRAME_BYTES) {
          throw new BraggError('foreign-file', `${name} has ${formatBytes(size)}, which is too large for a run.`);
        }
        return await handle.readFile();
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw toFileError(error, name);
    }
  }

  /**
   * Writes atomically. `check` receives the path before anything is written and may throw. Programs that use the
   * folder's lock cannot write in between. Throws BraggError.
   */
  async write(
    ref: FileRef,
    data: Uint8Array | string,
    ifExists: 'replace' | 'refuse',
    check: (file: string) => Promise<void> = async () => undefined,
  ): Promise<NamedFile> {
    const write = async (file: string): Promise<void> => {
      await check(file);
      await writeAtomically(file, data, ifExists);
    };
    // Creating a new file is atomic, so no lock is needed.
    if (ifExists === 'refuse') await write(await this.writable(ref));
    else await this.#withWritableFile(ref, write);
    if (ref.kind === 'library') this.library.notifyListeners();
    return this.nameOf(ref);
  }

  /** Runs `work` while no other program changes the library. Must not be nested. Throws BraggError. */
  async withLibraryLock<T>(work: () => Promise<T>): Promise<T> {
    const { folder } = this.library;
    try {
      await makeProgramFolder(folder);
    } catch (error) {
      throw toFileError(error, folder);
    }
    return this.#locks.withLock(path.join(folder, 'library'), work);
  }

  /** Runs `work` while no other program changes the folder that contains `file`. */
  async withFolderLock<T>(file: string, work: () => Promise<T>): Promise<T> {
    const inLibrary = path.resolve(path.dirname(file)) === path.resolve(this.library.folder);
    return inLibrary ? this.withLibraryLock(work) : this.#locks.withLock(file, work);
  }

  async #withWritableFile(ref: FileRef, work: (file: string) => Promise<void>): Promise<void> {
    const file = await this.writable(ref);
    await this.withFolderLock(file, () => work(file));
  }

  #granted(key: string): string {
    const file = this.#paths.get(key);
    if (file === undefined) throw new BraggError('not-found', 'This file is no longer open. Please choose it again.');
    return file;
  }
}

/** True for a regular file that can be opened for reading. */
export async function isReadableFile(file: string): Promise<boolean> {
  try {
    await (await openRegularFile(file)).close();
    return true;
  } catch {
    return false;
  }
}
