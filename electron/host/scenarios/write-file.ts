/** Writes a file so that it is either the old one or the new one, never half of it. */
import { randomBytes } from 'node:crypto';
import { link, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { BraggError, type ErrorCode } from '../../contract/errors.ts';

function codeOf(error: unknown): ErrorCode {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'no-space';
  if (code === 'EEXIST') return 'exists';
  return code === 'ENOENT' ? 'not-found' : 'io';
}

/**
 * A hard link fails where the name is taken, without a moment between looking
 * and writing. File systems without hard links have to do with that moment.
 */
async function renameToFreeName(from: string, to: string): Promise<void> {
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
 * Writes beside `path` and renames over it; `refuse` throws `exists` instead of
 * replacing a file. Throws a BraggError with the path in its message.
 */
export async function writeAtomically(
  path: string,
  data: string | Uint8Array,
  ifExists: 'replace' | 'refuse',
): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', 0o644);
    try {
      await file.writeFile(data, 'utf8');
      await file.sync();
    } finally {
      await file.close();
    }
    if (ifExists === 'refuse') await renameToFreeName(temporary, path);
    else await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    const reason = error instanceof Error ? error.message : String(error);
    throw new BraggError(codeOf(error), `${path} cannot be written: ${reason}`, [], { cause: error });
  }
}
