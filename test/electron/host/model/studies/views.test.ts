/** Saved views of a study. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { plainLook } from '../../../../../electron/contract/study/views.ts';
import { readViews, writeViews } from '../../../../../electron/host/model/studies/views.ts';

test('what was kept comes back; a folder without views has none; a damaged file is told by its name', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'views-'));
  expect(await readViews(folder)).toEqual([]);
  const views = [{ name: 'slow ones', look: { ...plainLook, filter: 'time_s > 1', groups: ['axis n'] } }];
  await writeViews(folder, views);
  expect(await readViews(folder)).toEqual(views);
  const file = path.join(folder, 'views.json');
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, 40));
  await expect(readViews(folder)).rejects.toThrow('views.json is damaged');
});
