/** Writes a file so that it is either the old one or the new one, never half of it. */
import { existsSync } from 'node:fs';
import { link, open, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { BraggError, type ErrorCode, messageOf } from '../../../contract/errors.ts';
import { sweepOnce, temporaryIn } from './temporary.ts';

const sentences: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOSPC: ['no-space', 'there is no space left'],
  EDQUOT: ['no-space', 'there is no space left'],
  EEXIST: ['exists', 'it exists already'],
  EACCES: ['io', 'permission denied'],
  EPERM: ['io', 'permission denied'],
  // The folder is there, such as /proc.
  ENOENT: ['io', 'its folder takes no files'],
  EROFS: ['io', 'the file system can only be read'],
};

/** Why a file cannot be written, without the names that are ours and not the user's. */
function refusal(path: string, error: unknown, folder = dirname(path)): BraggError {
  if (error instanceof BraggError) return error;
  const { code = '', errno } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const isMissing = code === 'ENOENT' && !existsSync(folder);
  const known = isMissing ? (['not-found', `there is no folder ${folder}`] as const) : sentences[code];
  const said = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1];
  const reason = known?.[1] ?? said ?? messageOf(error);
  return new BraggError(known?.[0] ?? 'io', `${path} cannot be written: ${reason}`, [], { cause: error });
}

const refused = (path: string, reason: string): BraggError =>
  new BraggError('invalid', `${path} cannot be written: ${reason}`);

/** Mode bits of the regular file at `path`, null if there is none. Throws for devices and folders. */
async function modeOf(path: string): Promise<number | null> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    if (error.code === 'ENOTDIR') throw refused(path, `${dirname(path)} is not a folder`);
    throw error;
  });
  if (found === null) return null;
  if (found.isDirectory()) throw refused(path, 'it is a folder');
  if (!found.isFile()) throw refused(path, 'it is a device, not a file');
  return found.mode & 0o777;
}

/**
 * Checks that a file can be written now, before work whose result goes there. Creates and deletes a file next to it,
 * because permission bits are no proof. Throws what `writeAtomically` would; does not check free space.
 */
export async function checkWritable(path: string, ifExists: 'replace' | 'refuse'): Promise<void> {
  try {
    const isThere = (await modeOf(path)) !== null;
    if (isThere && ifExists === 'refuse') {
      throw new BraggError('exists', `${path} cannot be written: it exists already`);
    }
    await tryFolder(dirname(path));
  } catch (error) {
    throw refusal(path, error);
  }
}

async function tryFolder(folder: string): Promise<void> {
  const temporary = temporaryIn(folder);
  await (await open(temporary, 'wx')).close();
  await unlink(temporary);
}

/** The same of a folder for results, which is made where it is not there: the nearest one above it is tried. */
export async function checkFolder(folder: string): Promise<void> {
  let above = resolve(folder);
  while (!existsSync(above) && dirname(above) !== above) above = dirname(above);
  try {
    if (!(await stat(above)).isDirectory()) throw refused(folder, `${above} is not a folder`);
    await tryFolder(above);
  } catch (error) {
    throw refusal(folder, error, above);
  }
}

/**
 * A hard link fails where the name is taken, without a moment between looking
 * and writing. File systems without hard links have to do with that moment.
 */
export async function renameToFreeName(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error;
    await (await open(to, 'wx')).close();
    await rename(from, to);
    return;
  }
  await unlink(from);
}

/** Folders that cannot be opened or synced, such as those of Windows: the system does it in its own time. */
const UNSYNCED = new Set(['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM']);

/** The name too is on the disk before a write is acknowledged: of a file alone a power failure can leave the old one. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && UNSYNCED.has(String(error.code)))) throw error;
  }
}

/**
 * Writes a file next to `path` and renames it to `path`; `refuse` throws `exists` instead of replacing a file. Throws a
 * BraggError with the path in its message.
 */
export async function writeAtomically(
  path: string,
  data: string | Uint8Array,
  ifExists: 'replace' | 'refuse',
): Promise<void> {
  const temporary = temporaryIn(dirname(path));
  await sweepOnce(dirname(path));
  try {
    const mode = await modeOf(path);
    const file = await open(temporary, 'wx', 0o644);
    try {
      // A private file stays private.
      if (mode !== null) await file.chmod(mode);
      await file.writeFile(data, 'utf8');
      await file.sync();
    } finally {
      await file.close();
    }
    if (ifExists === 'refuse') await renameToFreeName(temporary, path);
    else await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw refusal(path, error);
  }
}

/**
 * Writes a file next to `path` and renames it to `path`, without waiting for the disk. A kill leaves the old or the new
 * file; a power failure may leave it empty. For thousands of small files whose readers check them. Throws like
 * `writeAtomically`.
 */
export async function writeBeside(path: string, data: string): Promise<void> {
  const temporary = temporaryIn(dirname(path));
  await sweepOnce(dirname(path));
  try {
    await writeFile(temporary, data, { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw refusal(path, error);
  }
}
