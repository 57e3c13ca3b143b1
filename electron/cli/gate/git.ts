/** Files of a git commit, for a baseline that is compiled next to the present code. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { BraggError } from '../../contract/errors.ts';
import { USER_KERNEL_TEXT_MOST } from '../../contract/user-kernels.ts';

/** A folder of kernels has tens. */
const MOST_FILES = 1000;
const LONGEST_MS = 60_000;

async function git(folder: string, words: readonly string[]): Promise<Buffer> {
  const options = {
    cwd: folder,
    encoding: 'buffer',
    maxBuffer: 64 * 2 ** 20,
    timeout: LONGEST_MS,
    windowsHide: true,
  } as const;
  const { stdout } = await promisify(execFile)('git', [...words], options);
  return stdout;
}

/** The full name of a commit. Throws a BraggError for a name without a commit, or a folder outside of a repository. */
export async function commitNamed(folder: string, name: string): Promise<string> {
  try {
    return (await git(folder, ['rev-parse', '--verify', '--end-of-options', `${name}^{commit}`]))
      .toString('utf8')
      .trim();
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = missing ? 'git could not be started' : `${folder} has no commit of this name`;
    const allowed = 'a session of bench that ends in .json, or a commit such as HEAD~1 or origin/main';
    throw new BraggError('not-found', `--baseline ${JSON.stringify(name)}: ${why}; allowed: ${allowed}`, [], {
      cause: error,
    });
  }
}

export async function topFolder(folder: string): Promise<string> {
  return (await git(folder, ['rev-parse', '--show-toplevel'])).toString('utf8').trim();
}

/** Writes the text files that `folder` has in the commit to `target`; links, submodules and large files are left out. */
export async function checkOut(folder: string, commit: string, target: string): Promise<void> {
  const listed = (await git(folder, ['ls-tree', '-r', '-l', '-z', commit, '--', '.'])).toString('utf8');
  const files = listed.split('\0').flatMap((line) => {
    const [, mode, object = '', size, name = ''] = /^(\d{6}) \S+ ([0-9a-f]+) +(\d+|-)\t(.+)$/s.exec(line) ?? [];
    const plain = mode === '100644' || mode === '100755';
    return plain && Number(size) <= USER_KERNEL_TEXT_MOST ? [{ object, name }] : [];
  });
  if (files.length > MOST_FILES)
    throw new BraggError(
      'invalid',
      `${folder} has ${files.length} files in ${commit}; allowed: ${MOST_FILES} next to a kernel`,
    );
  for (const { object, name } of files) {
    const file = path.resolve(target, name);
    if (!file.startsWith(path.resolve(target) + path.sep))
      throw new BraggError('invalid', `${JSON.stringify(name)} in ${commit} is outside of ${folder}`);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, await git(folder, ['cat-file', 'blob', object]));
  }
}

/** One file of a commit, its path relative to the top of the repository; null if the commit does not have it. */
export async function fileIn(top: string, commit: string, file: string): Promise<string | null> {
  const found = await git(top, ['cat-file', 'blob', `${commit}:${file}`]).catch(() => null);
  return found?.toString('utf8') ?? null;
}
