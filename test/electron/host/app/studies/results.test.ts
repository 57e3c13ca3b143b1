/** The cache of the thread that reads studies, and its invalidation. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { plannedLines, readStudy } from '../../../../../electron/host/app/studies/results.ts';
import { StudyFolder } from '../../../../../electron/host/model/studies/folder.ts';
import { writeWideStudy } from '../../../../wide-study.ts';

const ROWS = 400;

let folder = '';
beforeEach(async () => {
  folder = path.join(await mkdtemp(path.join(tmpdir(), 'braggbench-read-')), 'wide.study');
  await writeWideStudy(folder, ROWS);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(path.dirname(folder), { recursive: true, force: true });
});

test('two that ask at once read each file once, and the plan once', async () => {
  const results = vi.spyOn(StudyFolder.prototype, 'result');
  const lines = vi.spyOn(StudyFolder.prototype, 'lines');
  const [one, other] = await Promise.all([readStudy(folder), readStudy(folder)]);
  expect(one.rows).toHaveLength(ROWS);
  expect(other).toBe(one);
  expect(results).toHaveBeenCalledTimes(ROWS);
  expect(await plannedLines(await StudyFolder.open(folder))).toHaveLength(ROWS);
  expect(lines).toHaveBeenCalledTimes(1);
});

test('what rows say is made once to a question, and the table once', async () => {
  const read = await readStudy(folder);
  const make = vi.fn(() => []);
  read.adviceOn('near', make);
  (await readStudy(folder)).adviceOn('near', make);
  expect(make).toHaveBeenCalledTimes(1);
  read.adviceOn('far', make);
  expect(make).toHaveBeenCalledTimes(2);
  expect((await readStudy(folder)).table()).toBe(read.table());
});

test('one point that went while another came is another table, though there are as many as before', async () => {
  const study = await StudyFolder.open(folder);
  const [gone = '', back = ''] = (await study.lines()).map(({ id }) => id);
  const kept = await study.result(back, 'done');
  await rm(study.fileOf(back, 'done'));
  const read = await readStudy(folder);
  const before = read.table().rows.map(([id]) => id);
  expect(before).toContain(gone);
  expect(before).not.toContain(back);
  await rm(study.fileOf(gone, 'done'));
  if (kept !== null) await study.write(kept);
  const now = (await readStudy(folder)).table().rows.map(([id]) => id);
  expect(now).toContain(back);
  expect(now).not.toContain(gone);
});

test('a failure of asking leaves the next one its turn', async () => {
  vi.spyOn(StudyFolder.prototype, 'lines').mockRejectedValueOnce(new Error('no file server'));
  await expect(readStudy(folder)).rejects.toThrow('no file server');
  expect((await readStudy(folder)).rows).toHaveLength(ROWS);
});

test('the study that was asked for last is read first, and the one before it goes on then', async () => {
  const other = path.join(path.dirname(folder), 'other.study');
  await Promise.all([writeWideStudy(folder.replace('wide', 'large'), 4 * ROWS), writeWideStudy(other, ROWS)]);
  const large = folder.replace('wide', 'large');
  const readResult = StudyFolder.prototype.result;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const result = vi.spyOn(StudyFolder.prototype, 'result').mockImplementation(function (this: StudyFolder, ...which) {
    begin();
    return readResult.apply(this, which);
  });
  const order = (): readonly string[] => result.mock.contexts.map((it) => (it as StudyFolder).folder);
  const first = readStudy(large);
  // The second study is requested within the first result of the large one, however fast it is read.
  await begun;
  expect(order()).toContain(large);
  const second = await readStudy(other);
  expect([second.rows.length, (await first).rows.length]).toEqual([ROWS, 4 * ROWS]);
  // Nothing else is read between its first and its last.
  const read = order();
  expect(read.lastIndexOf(other) - read.indexOf(other)).toBe(ROWS - 1);
  expect(read.lastIndexOf(large)).toBeGreaterThan(read.lastIndexOf(other));
});
