/**
 * Receives files that the page sends in pieces. Pieces are written to disk as they arrive, so that no process has the
 * complete file in memory.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import type { ProcessFolders } from '../../io/files/owned-folder.ts';
import { toFileError } from '../../io/files/plain-file.ts';

interface Upload {
  readonly name: string;
  readonly file: string;
  readonly handle: FileHandle;
  readonly size_bytes: number;
  taken_bytes: number;
}

/** Maximum number of unfinished uploads. Beyond it, the oldest ones are discarded. */
const MAX_OPEN = 8;

export class Uploads {
  readonly #scratch: Pick<ProcessFolders, 'own' | 'make'>;
  readonly #open = new Map<string, Upload>();

  constructor(scratch: Pick<ProcessFolders, 'own' | 'make'>) {
    this.#scratch = scratch;
  }

  async begin(name: string, size_bytes: number): Promise<string> {
    const id = randomBytes(9).toString('base64url');
    const file = path.join(this.#folder, id);
    try {
      await this.#scratch.make();
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const handle = await open(file, 'wx', 0o600);
      this.#open.set(id, { name, file, handle, size_bytes, taken_bytes: 0 });
    } catch (error) {
      throw toFileError(error, name);
    }
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_OPEN && oldest !== undefined) await this.drop(oldest);
    return id;
  }

  /** Appends a piece. Throws BraggError if it is out of order or the disk is full. */
  async append(id: string, offset: number, bytes: Uint8Array): Promise<void> {
    const upload = this.#upload(id);
    const { name, taken_bytes, size_bytes } = upload;
    const problem =
      offset !== taken_bytes
        ? `received data from byte ${offset}, but the next byte is ${taken_bytes}`
        : offset + bytes.length > size_bytes
          ? `received ${offset + bytes.length} bytes, but the file was announced with ${size_bytes}`
          : null;
    if (problem !== null) throw new BraggError('bad-request', `${name}: ${problem}. Drop the file again.`);
    upload.taken_bytes += bytes.length;
    try {
      await upload.handle.write(bytes, 0, bytes.length, offset);
    } catch (error) {
      await this.drop(id);
      throw toFileError(error, upload.name);
    }
  }

  /** Returns the path of a complete upload and its name for the user. Throws BraggError if pieces are missing. */
  requireComplete(id: string): { readonly file: string; readonly name: string } {
    const { file, name, taken_bytes, size_bytes } = this.#upload(id);
    if (taken_bytes !== size_bytes) {
      throw new BraggError('bad-request', `${name}: received ${taken_bytes} bytes of ${size_bytes}.`);
    }
    return { file, name };
  }

  async drop(id: string): Promise<void> {
    const upload = this.#open.get(id);
    this.#open.delete(id);
    await upload?.handle.close().catch(() => undefined);
    if (upload !== undefined) await rm(upload.file, { force: true });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.drop(id)));
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #folder(): string {
    return path.join(this.#scratch.own, 'uploads');
  }

  #upload(id: string): Upload {
    const upload = this.#open.get(id);
    if (upload === undefined)
      throw new BraggError('not-found', 'The upload of this file has ended. Drop the file again.');
    return upload;
  }
}
