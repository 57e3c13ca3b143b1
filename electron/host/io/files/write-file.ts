/**
 * Writes files atomically: after a crash a file has either its old or its new content. Files and folders have temporary
 * names until they are complete. Temporary files left by killed processes are deleted.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import path, { dirname, resolve } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { BraggError, type ErrorCode, messageOf } from '../../../contract/errors.ts';
import { systemErrorCode } from './plain-file.ts';
import { identifyThisMachine, isProcessAlive } from './this-machine.ts';

/** Temporary names `.braggbench-NAMESPACE-PID-RANDOM.tmp`; earlier versions wrote `.NAME.json.RANDOM.tmp`. */
const TEMPORARY_NAME = /^\.braggbench-([0-9a-f]{10})-(\d+)-[0-9a-f]{12}\.tmp$/;
const EARLIER_TEMPORARY_NAME = /^\..+\.[0-9a-f]{12}\.tmp$/;
/** Age from which a file counts as abandoned if its process cannot be checked; no write needs that long. */
const ABANDONED_AFTER_MS = 24 * 60 * 60_000;

/** New temporary name in `folder`. */
export function temporaryPathIn(folder: string): string {
  return path.join(
    folder,
    `.braggbench-${identifyThisMachine().processNamespaceId}-${process.pid}-${randomBytes(6).toString('hex')}.tmp`,
  );
}

export const isTemporaryName = (name: string): boolean => TEMPORARY_NAME.test(name);

/** Whether the process that made a temporary file or folder has ended. */
export async function isAbandoned(folder: string, name: string): Promise<boolean> {
  const [, room, pid] = TEMPORARY_NAME.exec(name) ?? [];
  if (room === identifyThisMachine().processNamespaceId) return !isProcessAlive(Number(pid));
  if (room === undefined && !EARLIER_TEMPORARY_NAME.test(name)) return false;
  const found = await stat(path.join(folder, name)).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS;
}

/**
 * Deletes a file or folder. Renaming it first makes it disappear at once, even if this process then dies, and frees its
 * name.
 */
export async function removeRecursively(file: string): Promise<void> {
  const renamed = temporaryPathIn(dirname(file));
  try {
    await rename(file, renamed);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    return;
  }
  await rm(renamed, { recursive: true, force: true });
}

/**
 * Moves a completed folder to `folder`, replacing an existing one. If another process creates the folder at the same
 * time, that one stays, because its content is the same.
 */
export async function replaceFolder(completed: string, folder: string): Promise<void> {
  await removeRecursively(folder);
  for (let tries = 1; ; tries += 1) {
    try {
      await rename(completed, folder);
      return;
    } catch (error) {
      const isTaken = ['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(systemErrorCode(error));
      if (isTaken && existsSync(folder)) break;
      if (!isTaken || tries >= 100) throw error;
    }
  }
  await rm(completed, { recursive: true, force: true });
}

/** Deletes the temporary files of dead processes in a folder. Ignores files that cannot be deleted. */
async function deleteLeftovers(folder: string): Promise<void> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.tmp'));
  for (const name of names) {
    if (!(await isAbandoned(folder, name))) continue;
    await rm(path.join(folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

const cleanedFolders = new Set<string>();

/** Deletes temporary files of dead processes, once for each folder that this process writes into. */
export async function deleteLeftoversOnce(folder: string): Promise<void> {
  if (cleanedFolders.has(folder)) return;
  cleanedFolders.add(folder);
  await deleteLeftovers(folder);
}

const writeErrorTexts: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOSPC: ['no-space', 'there is no space left'],
  EDQUOT: ['no-space', 'there is no space left'],
  EEXIST: ['exists', 'it already exists'],
  EACCES: ['io', 'permission denied'],
  EPERM: ['io', 'permission denied'],
  // The folder exists but rejects new files, as folders in /proc do.
  ENOENT: ['io', 'its folder is not writable'],
  EROFS: ['io', 'the file system is read-only'],
};

/** Error that states why a file cannot be written. It leaves out temporary names, which the user does not know. */
function writeErrorOf(path: string, error: unknown, folder = dirname(path)): BraggError {
  if (error instanceof BraggError) return error;
  const { code = '', errno } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const isMissing = code === 'ENOENT' && !existsSync(folder);
  const known = isMissing ? (['not-found', `the folder ${folder} does not exist`] as const) : writeErrorTexts[code];
  const said = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1];
  const reason = known?.[1] ?? said ?? messageOf(error);
  return new BraggError(known?.[0] ?? 'io', `${path} cannot be written: ${reason}`, [], { cause: error });
}

const invalidPathError = (path: string, reason: string): BraggError =>
  new BraggError('invalid', `${path} cannot be written: ${reason}`);

/** Mode bits of the regular file at `path`, null if there is none. Throws for devices and folders. */
async function modeOf(path: string): Promise<number | null> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    if (error.code === 'ENOTDIR') throw invalidPathError(path, `${dirname(path)} is not a folder`);
    throw error;
  });
  if (found === null) return null;
  if (found.isDirectory()) throw invalidPathError(path, 'it is a folder');
  if (!found.isFile()) throw invalidPathError(path, 'it is a device, not a file');
  return found.mode & 0o777;
}

/**
 * Checks that a file can be written, before its content is computed. Creates and deletes a file next to it, because
 * permission bits alone do not decide. Throws the errors of `writeAtomically`; does not check free space.
 */
export async function checkWritable(path: string, ifExists: 'replace' | 'refuse'): Promise<void> {
  try {
    const isThere = (await modeOf(path)) !== null;
    if (isThere && ifExists === 'refuse') {
      throw new BraggError('exists', `${path} cannot be written: it already exists`);
    }
    await testFolderWritable(dirname(path));
  } catch (error) {
    throw writeErrorOf(path, error);
  }
}

async function testFolderWritable(folder: string): Promise<void> {
  const temporary = temporaryPathIn(folder);
  await (await open(temporary, 'wx')).close();
  await unlink(temporary);
}

/** Checks that a folder for results can be written. If it does not exist, the nearest existing parent is tested. */
export async function checkFolderWritable(folder: string): Promise<void> {
  let above = resolve(folder);
  while (!existsSync(above) && dirname(above) !== above) above = dirname(above);
  try {
    if (!(await stat(above)).isDirectory()) throw invalidPathError(folder, `${above} is not a folder`);
    await testFolderWritable(above);
  } catch (error) {
    throw writeErrorOf(folder, error, above);
  }
}

/**
 * Gives a file a name that must be free. Creating a hard link fails if the name exists, so no other file is
 * overwritten. File systems without hard links need a separate check, after which another process may still use the
 * name.
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

/**
 * Errors for folders that cannot be opened or synced, for example on Windows. The system then writes their entries
 * later.
 */
const UNSYNCED_ERRORS = new Set(['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM']);

/**
 * Syncs the folder of a written file: otherwise a power failure might restore the old file after the write was
 * reported.
 */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && UNSYNCED_ERRORS.has(String(error.code)))) throw error;
  }
}

/**
 * Writes a file next to `path` and renames it to `path`. With `refuse`, throws `exists` instead of replacing a file.
 * Throws BraggError with the path in its message.
 */
export async function writeAtomically(
  path: string,
  data: string | Uint8Array,
  ifExists: 'replace' | 'refuse',
): Promise<void> {
  const temporary = temporaryPathIn(dirname(path));
  await deleteLeftoversOnce(dirname(path));
  try {
    const mode = await modeOf(path);
    const file = await open(temporary, 'wx', 0o644);
    try {
      // The new file gets the permissions of the old one, so that a private file stays private.
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
    throw writeErrorOf(path, error);
  }
}

/**
 * Writes a file next to `path` and renames it to `path`, without waiting for the disk. If the process is killed, the
 * old or the new file remains; after a power failure the file may be empty. Meant for thousands of small files that are
 * validated when read. Throws the errors of `writeAtomically`.
 */
export async function writeWithoutSync(path: string, data: string): Promise<void> {
  const temporary = temporaryPathIn(dirname(path));
  await deleteLeftoversOnce(dirname(path));
  try {
    await writeFile(temporary, data, { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw writeErrorOf(path, error);
  }
}
