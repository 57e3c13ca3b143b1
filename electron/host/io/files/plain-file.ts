/**
 * Regular files only. A pipe would block a thread until somebody writes into it, and only four such threads read files
 * here. Files are opened non-blocking and checked before anything is read.
 */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { BraggError } from '../../../contract/errors.ts';

/** Not of Windows, whose pipes have names of their own. */
const WITHOUT_WAITING = (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Pipes, sockets and terminals: reading one waits for whoever is at its other end. */
export async function openWithoutWaiting(file: string): Promise<FileHandle> {
  return open(file, constants.O_RDONLY | WITHOUT_WAITING);
}

/** Rejects anything but a regular file. */
function refuseOther(
  found: { readonly isFile: () => boolean; readonly isDirectory: () => boolean },
  name: string,
): void {
  if (found.isDirectory()) throw Object.assign(new Error(`EISDIR: ${name} is a folder`), { code: 'EISDIR' });
  if (!found.isFile()) throw new BraggError('foreign-file', `${name} is a pipe or a device, not a file.`);
}

/** Throws as the file system does, and a BraggError `foreign-file` for what is no plain file. `name`: for messages. */
export async function openPlain(file: string, name = file): Promise<FileHandle> {
  const handle = await openWithoutWaiting(file);
  try {
    refuseOther(await handle.stat(), name);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** All bytes. Throws as `openPlain`. */
export async function readPlain(file: string, name = file): Promise<Buffer> {
  const handle = await openPlain(file, name);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** The same; null for a file of more bytes, which is not read. */
export async function readPlainAtMost(file: string, most_bytes: number, name = file): Promise<Buffer | null> {
  const handle = await openPlain(file, name);
  try {
    const { size } = await handle.stat();
    return size > most_bytes ? null : await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** The same at once, for very many small files: a promise for each step of each takes ten times as long. */
export function readPlainNow(file: string): Buffer {
  const handle = openSync(file, constants.O_RDONLY | WITHOUT_WAITING);
  try {
    refuseOther(fstatSync(handle), file);
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** All bytes of a file that a user named. Throws a BraggError where there is none. `what`: as `a run`. */
export async function readNamed(file: string, what: string): Promise<Buffer> {
  return readPlain(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new BraggError('not-found', `There is no file ${file}.`);
    if (error.code === 'EISDIR') throw new BraggError('foreign-file', `${file} is a folder, not ${what}.`);
    throw error;
  });
}
