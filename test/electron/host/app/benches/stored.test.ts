/** Session files, as several panels ask for their list at the same time. */
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StoredSessions } from '../../../../../electron/host/app/benches/stored.ts';
import { FileAccess } from '../../../../../electron/host/io/files/access.ts';
import { Library } from '../../../../../electron/host/io/files/library.ts';
import { Locks } from '../../../../../electron/host/io/files/locks.ts';
import { assetsFolder } from '../../small-run.ts';

const NAME = 'h200-water-70MeV.json';
const trouble = vi.fn();

let [folder, stored]: [string, StoredSessions | null] = ['', null];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'braggbench-stored-'));
  trouble.mockClear();
  stored = new StoredSessions({
    recordedFolder: folder,
    files: new FileAccess(new Library(path.join(folder, 'library'), []), new Locks(folder)),
    designs: () => [],
    measuredRuns: () => Promise.resolve([]),
    trouble,
  });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const lists = () => Promise.all([stored?.list(), stored?.list(), stored?.list()]);

test('lists that are asked for at once read each file once', async () => {
  await copyFile(path.join(assetsFolder, 'runs', NAME), path.join(folder, NAME));
  const found = await lists();
  expect(found.map((list) => list?.map(({ name }) => name))).toEqual([1, 2, 3].map(() => ['h200-water-70MeV']));
  expect(new Set(found.map((list) => list?.[0]?.kept)).size).toBe(1);
});

test('a file that could not be read is read again once it can be', async () => {
  await writeFile(path.join(folder, NAME), '{}');
  expect(await lists()).toEqual([[], [], []]);
  expect(trouble).toHaveBeenCalledTimes(3);
  await copyFile(path.join(assetsFolder, 'runs', NAME), path.join(folder, NAME));
  expect(await stored?.list()).toHaveLength(1);
});
