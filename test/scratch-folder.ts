import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

/** A folder for the tests of a file or of a `describe`, gone after them. Call it beside them, not within one. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), `braggbench-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
