/**
 * Reads regular files only. Opening a pipe would block one of the four threads that Node.js has for files until
 * somebody writes into it. Files are therefore opened non-blocking and checked before anything is read. Also converts
 * file system errors to messages for the user, and reads small JSON files of this program.
 */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { constants, type FileHandle, open } from 'node:fs/promises';
import type { z } from 'zod';
import { BraggError, messageOf } from '../../../contract/errors.ts';

/**
 * Flags of open(2) that prevent blocking; 0 on Windows, which lacks them. Pipes have a separate namespace there, so an
 * ordinary path never opens one.
 */
const NONBLOCKING = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Opens a file. Pipes, sockets and terminals are opened too, without blocking; reading them would wait for another
 * process.
 */
export async function openNonBlocking(file: string): Promise<FileHandle> {
  return open(file, constants.O_RDONLY | NONBLOCKING);
}

/** Throws BraggError for anything but a regular file. */
function throwIfNotRegular(
  found: { readonly isFile: () => boolean; readonly isDirectory: () => boolean },
  name: string,
): void {
  if (found.isDirectory()) throw Object.assign(new Error(`EISDIR: ${name} is a folder`), { code: 'EISDIR' });
  if (!found.isFile()) throw new BraggError('foreign-file', `${name} is a pipe or a device, not a file.`);
}

/**
 * Opens a regular file. Throws system errors, and BraggError `foreign-file` for anything else. `name` is used in
 * messages.
 */
export async function openRegularFile(file: string, name = file): Promise<FileHandle> {
  const handle = await openNonBlocking(file);
  try {
    throwIfNotRegular(await handle.stat(), name);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads all bytes. Throws the errors of `openRegularFile`. */
export async function readRegularFile(file: string, name = file): Promise<Buffer> {
  const handle = await openRegularFile(file, name);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Reads all bytes. Null for a larger file, which is not read. */
export async function readRegularFileUpTo(file: string, most_bytes: number, name = file): Promise<Buffer | null> {
  const handle = await openRegularFile(file, name);
  try {
    const { size } = await handle.stat();
    return size > most_bytes ? null : await handle.readFile();
  } finally {
    await handle.close();
  }
}

/**
 * Synchronous version for thousands of small files, which would need ten times as long with a promise for each step.
 */
export function readRegularFileSync(file: string): Buffer {
  const handle = openSync(file, constants.O_RDONLY | NONBLOCKING);
  try {
    throwIfNotRegular(fstatSync(handle), file);
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Reads all bytes of a file that a user named. Throws BraggError if it is missing. `what`: noun for messages, such as
 * `a run`.
 */
export async function readUserFile(file: string, what: string): Promise<Buffer> {
  return readRegularFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new BraggError('not-found', `The file ${file} does not exist.`);
    if (error.code === 'EISDIR') throw new BraggError('foreign-file', `${file} is a folder, not ${what}.`);
    throw error;
  });
}

/** Code of a system error, such as ENOENT; empty for other errors. */
export function systemErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Converts a system error to a BraggError. `name` is the file's name in the message. */
export function toFileError(error: unknown, name: string): BraggError {
  if (error instanceof BraggError) return error;
  const options = { cause: error };
  switch (systemErrorCode(error)) {
    case 'ENOENT':
      return new BraggError('not-found', `${name} does not exist.`, [], options);
    case 'EACCES':
    case 'EPERM':
      return new BraggError('io', `${name} may not be opened: permission denied.`, [], options);
    case 'EROFS':
      return new BraggError('io', `${name} cannot be written: the file system is read-only.`, [], options);
    case 'EMFILE':
    case 'ENFILE':
      return new BraggError(
        'io',
        `${name} cannot be opened: too many files are open. Raise the limit on open files (ulimit -n, at least 256).`,
        [],
        options,
      );
    case 'EISDIR':
      return new BraggError('io', `${name} is a folder.`, [], options);
    case 'ENOSPC':
    case 'EDQUOT':
      return new BraggError('no-space', `There is no space left for ${name}.`, [], options);
    default: {
      const reason = messageOf(error);
      return new BraggError('io', `${name} cannot be used: ${reason}`, [], options);
    }
  }
}

/**
 * Reads a small JSON file of this program and validates it. Null if there is no file. A file larger than `most_bytes`
 * counts as damaged. Throws BraggError `foreign-file` for a damaged file, so that it is not overwritten.
 */
export async function readStateJson<T>(file: string, schema: z.ZodType<T>, most_bytes: number): Promise<T | null> {
  let text: string;
  try {
    text = (await readRegularFileUpTo(file, most_bytes))?.toString('utf8') ?? '';
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw toFileError(error, file);
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new BraggError('foreign-file', `${file} is damaged, or from a newer version.`, [], { cause: error });
  }
}
