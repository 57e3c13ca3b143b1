/** Ended points, and detection of new results since the last check, without listing a hundred thousand of them. */
import fs from 'node:fs';
import { mkdtemp, rename, rm, utimes } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StudyFolder } from '../../../../../electron/host/model/studies/folder.ts';
import { writeWideStudy } from '../../../../wide-study.ts';

const MINUTE_MS = 60_000;

let folder = '';
let study: StudyFolder;
beforeEach(async () => {
  folder = path.join(await mkdtemp(path.join(tmpdir(), 'braggbench-ended-')), 'wide.study');
  await writeWideStudy(folder, 40);
  study = await StudyFolder.open(folder);
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(path.dirname(folder), { recursive: true, force: true });
});

/** Files were written so long ago. */
const later = (minutes: number): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * MINUTE_MS });
};

async function firstId(): Promise<string> {
  const [id = ''] = (await study.ended()).keys();
  return id;
}

/** Number of folders that a check lists; modules that were loaded before see the spy, too. */
async function listed(look: () => Promise<unknown>): Promise<number> {
  const spy = vi.spyOn(fs.promises, 'readdir');
  syncBuiltinESMExports();
  try {
    await look();
    return spy.mock.calls.length;
  } finally {
    spy.mockRestore();
    syncBuiltinESMExports();
  }
}

test('a folder that was changed just now may be changed again within one tick of the clock: it is listed', async () => {
  expect(await study.changed()).toBeNull();
  const all = await listed(() => study.tally());
  expect(all).toBeGreaterThan(1);
  expect(await listed(() => study.tally())).toBe(all);
});

test('a settled folder is known by when it was changed: what comes or goes changes that', async () => {
  later(1);
  const before = await study.changed();
  expect(before).not.toBeNull();
  expect(await study.changed()).toBe(before);
  await rm(study.fileOf(await firstId(), 'done'));
  later(1);
  expect(await study.changed()).not.toBe(before);
});

test('a folder that brought an older time along has changed all the same', async () => {
  later(1);
  const before = await study.changed();
  await study.tally();
  const file = study.fileOf(await firstId(), 'done');
  const old = new Date('2020-01-01');
  await rm(file);
  await utimes(path.dirname(file), old, old);
  expect(await study.changed()).not.toBe(before);
  expect(await study.tally()).toEqual({ done: 39, failed: [] });
});

test('points are counted in settled folders once, and again in those that another process has changed', async () => {
  later(1);
  expect(await study.tally()).toEqual({ done: 40, failed: [] });
  // The folder of folders alone.
  expect(await listed(() => study.tally())).toBe(1);
  const id = await firstId();
  await rename(study.fileOf(id, 'done'), study.fileOf(id, 'failed'));
  expect(await listed(async () => expect(await study.tally()).toEqual({ done: 39, failed: [id] }))).toBe(2);
  await rm(path.dirname(study.fileOf(id, 'failed')), { recursive: true });
  expect((await study.tally()).failed).toEqual([]);
  expect((await study.ended()).has(id)).toBe(false);
  expect(await study.stateOf(id)).toBeNull();
});

test('of a point alone: done before failed, where both stand for a moment', async () => {
  const id = await firstId();
  expect(await study.stateOf(id)).toBe('done');
  await rename(study.fileOf(id, 'done'), study.fileOf(id, 'failed'));
  expect(await study.stateOf(id)).toBe('failed');
  expect(await study.stateOf('0000000000000000')).toBeNull();
});
