import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
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
