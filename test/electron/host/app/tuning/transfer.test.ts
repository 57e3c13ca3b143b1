/** What another tuner measured, as a study. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collect, readRows } from '../../../../../electron/host/app/studies/collect.ts';
import { leftOf } from '../../../../../electron/host/app/studies/open.ts';
import { importStudy, tuningResultsOf } from '../../../../../electron/host/app/tuning/transfer.ts';
import { parseTuning } from '../../../../../electron/host/model/tuning/files/read.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'braggbench-import-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('a public cache file becomes a study with a column for each parameter, and nothing left to do', async () => {
  const file = path.join(import.meta.dirname, '../../model/tuning/files/public/convolution-a100-cache-cut.json.gz');
  const results = parseTuning({ text: gunzipSync(readFileSync(file)).toString('utf8'), name: 'cut.json' });
  const study = await importStudy(results, path.join(folder, 'cut.study'), 'cut');
  const { columns, rows, missing } = await collect(study);
  expect([rows.length, missing, (await leftOf(study, false)).length]).toEqual([results.configurations.length, 0, 0]);
  const names = columns.map(({ name }) => name);
  for (const name of ['block_size_x', 'use_shmem', 'time_s', 'right']) expect(names).toContain(name);
  const at = names.indexOf('time_s');
  expect(columns[at]?.unit).toBe('s');
  expect(rows.map((row) => row[at])).toEqual(results.configurations.map(({ time_s }) => time_s));
  expect(rows[0]?.[names.indexOf('gpu')]).toBe('NVIDIA A100-PCIE-40GB');
});

test('a study whose points are no configurations is refused to a file of one kernel', async () => {
  const results = parseTuning({
    text: '{"metadata": {"timeunit": "ms"}, "results": []}',
    name: 'empty.json',
  });
  const study = await importStudy(results, path.join(folder, 'empty.study'), 'empty');
  const { rows } = await readRows(study);
  expect(() => tuningResultsOf(study.head, rows)).toThrow(
    'files of tuners hold one kernel; allowed: a study of one variant',
  );
});
