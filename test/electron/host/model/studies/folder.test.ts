/** Whether results have come since a folder was looked at last, without listing a hundred thousand of them. */
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StudyFolder } from '../../../../../electron/host/model/studies/folder.ts';
import { writeWideStudy } from '../../../../wide-study.ts';

let folder = '';
let study: StudyFolder;
beforeAll(async () => {
  folder = path.join(await mkdtemp(path.join(tmpdir(), 'braggbench-folder-')), 'wide.study');
  await writeWideStudy(folder, 40);
  study = await StudyFolder.open(folder);
});
afterAll(() => rm(path.dirname(folder), { recursive: true, force: true }));

async function settle(seconds: number): Promise<void> {
  const root = path.join(folder, 'results');
  for (const name of await readdir(root)) await utimes(path.join(root, name), seconds, seconds);
}

test('a folder that was changed just now may be changed again within one tick of the clock: it is listed', async () => {
  expect(await study.changed()).toBeNull();
});

test('a settled folder is known by when it was changed: what comes or goes changes that', async () => {
  await settle(1_700_000_000);
  const before = await study.changed();
  expect(before).not.toBeNull();
  expect(await study.changed()).toBe(before);
  const [id = ''] = (await study.ended()).keys();
  await rm(study.fileOf(id, 'done'));
  expect(await study.changed()).toBeNull();
  await settle(1_700_000_001);
  expect(await study.changed()).not.toBe(before);
});
