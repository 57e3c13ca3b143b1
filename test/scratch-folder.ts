import { createHash } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

function deletedAfterTests(folder: string): string {
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/**
 * A folder for the tests of a file or of a `describe`, deleted after them. Call it at the same level as the tests, not
 * within one.
 */
export const scratchFolder = (name: string): string =>
  deletedAfterTests(mkdtempSync(path.join(tmpdir(), `braggbench-${name}-`)));

/** A folder with a fixed path, so that a compiler cache recognizes texts that contain it. */
export function fixedScratchFolder(name: string): string {
  const folder = path.join(import.meta.dirname, '../dist/tests', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return deletedAfterTests(folder);
}

const inRoot = (...parts: readonly string[]): string => path.join(import.meta.dirname, '..', ...parts);

/** Headers that user kernels include, from the build. */
const HEADERS = ['dist/kernels/source/**/*.hpp', 'dist/kernels/include/**/*.hpp', 'dist/native/include/**/*'];

/**
 * A cache folder of the program inside `folder`. Libraries of user kernels are in dist/.tests, where later runs reuse
 * them. The program names a library by text, compiler, flags and core library. Tests also use the headers for the name,
 * because an interrupted build may leave headers that are older than the library.
 */
export function cacheWithUserKernels(folder: string): string {
  const headers = createHash('sha256');
  for (const file of globSync(HEADERS, { cwd: inRoot() }).sort()) {
    if (statSync(inRoot(file)).isFile()) headers.update(file).update(readFileSync(inRoot(file)));
  }
  const libraries = inRoot('dist/.tests/user-kernels', headers.digest('hex').slice(0, 16));
  const cache = path.join(folder, 'cache');
  for (const each of [libraries, cache]) mkdirSync(each, { recursive: true });
  symlinkSync(libraries, path.join(cache, 'user-kernels'), 'junction');
  return cache;
}
