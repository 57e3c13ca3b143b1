import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { stampOf } from '../../../../../electron/host/io/files/stamp.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-stamp-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('changes with a file that keeps its size and time, as a restored backup does', async () => {
  const file = path.join(folder, 'a.json');
  writeFileSync(file, '{"a":1}');
  const { atime, mtime } = statSync(file);
  const before = [await stampOf(file), await stampOf(folder)];
  // A clock of the file system may tick every few milliseconds: write until it has.
  for (let i = 0; statSync(file).ctimeMs === Number(before[0]?.split(' ')[1]) || i === 0; i += 1) {
    writeFileSync(file, '{"a":2}');
    utimesSync(file, atime, mtime);
  }
  expect(statSync(file).mtimeMs).toBe(mtime.getTime());
  const after = [await stampOf(file), await stampOf(folder)];
  expect(after[0]).not.toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
});
