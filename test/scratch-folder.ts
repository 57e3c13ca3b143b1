import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

function goneAfterwards(folder: string): string {
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/** A folder for the tests of a file or of a `describe`, gone after them. Call it beside them, not within one. */
export const scratchFolder = (name: string): string =>
  goneAfterwards(mkdtempSync(path.join(tmpdir(), `braggbench-${name}-`)));

/** The same at the same place each time, for texts that name it: a compiler cache knows them again. */
export function sameScratchFolder(name: string): string {
  const folder = path.join(import.meta.dirname, '../dist/tests', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return goneAfterwards(folder);
}

/**
 * A cache folder of the program inside `folder`. Libraries of user kernels are in dist/.tests, where the next run finds
 * them: their names are digests of the text, the compiler, its flags and the core library.
 */
export function cacheWithUserKernels(folder: string): string {
  const libraries = path.join(import.meta.dirname, '../dist/.tests/user-kernels');
  const cache = path.join(folder, 'cache');
  for (const each of [libraries, cache]) mkdirSync(each, { recursive: true });
  symlinkSync(libraries, path.join(cache, 'user-kernels'), 'junction');
  return cache;
}
