/**
 * Every session of `npm run bench -- tuning` is planned as a host plans it; axes that a search must not have are
 * rejected. Also measurements of another tuner, as a study.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TUNING_SESSIONS, tunedScenario, tuningStudy } from '../../../../../electron/build/bench/tuning-sessions.mjs';
import { POINT_FORMAT, type PointResult, STUDY_FOLDER_VERSION } from '../../../../../electron/contract/study/index.ts';
import { unsolvedPoints } from '../../../../../electron/host/app/studies/plan.ts';
import { collectTable, readRows } from '../../../../../electron/host/app/studies/results.ts';
import { importStudy, tuningResultsOf } from '../../../../../electron/host/app/tuning/transfer.ts';
import type { Row } from '../../../../../electron/host/model/studies/table.ts';
import { kernelTunerText } from '../../../../../electron/host/model/tuning/files/kernel-tuner.ts';
import { parseTuning } from '../../../../../electron/host/model/tuning/files/t4.ts';
import { hostOfFile } from '../../test-host.ts';

describe('tuning sessions', async () => {
  const scenarios = path.join(import.meta.dirname, '../../../../../assets/scenarios');

  const { page } = await hostOfFile();

  test.each(TUNING_SESSIONS)('$name: all configurations are points', async (session) => {
    const shipped: unknown = JSON.parse(readFileSync(path.join(scenarios, `${session.scenario}.json`), 'utf8'));
    const study = tuningStudy(session, '', { search_s: 30, also: [] });
    const document = { ...study, base: [{ scenario: tunedScenario(session, shipped) }] };
    const { points, combinations } = await page.call('study.plan', { document });
    expect(points).toBeGreaterThan(1);
    expect(combinations).toBeGreaterThanOrEqual(points);
  });
});

describe('transfer of tuning files', () => {
  /** The smallest valid result of a point. */
  const failedResult: PointResult = {
    ...{ format: POINT_FORMAT, version: STUDY_FOLDER_VERSION, id: '', repeats: 1, threads: null, precision: '' },
    ...{
      status: 'failed',
      error: { code: 'unsupported', message: 'crashed' },
      workload: 'micro',
      variant: 'cpu-blocks',
    },
    ...{ measures: [], curves: [], started: '', finished: '' },
    where: {
      ...{ version: '', build: 'release', commit: null, machine: '', cpu: '', cores: 1, os: '' },
      ...{ gpu: null, gpu_uuid: null, driver: null, at_once: 1, job: null },
    },
  };

  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'braggbench-import-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('a public cache file becomes a completed study with a column for each parameter', async () => {
    const file = path.join(import.meta.dirname, '../../model/tuning/files/public/convolution-a100-cache-cut.json.gz');
    const results = parseTuning({ text: gunzipSync(readFileSync(file)).toString('utf8'), name: 'cut.json' });
    const study = await importStudy(results, path.join(folder, 'cut.study'), 'cut');
    const { columns, rows, missing } = await collectTable(study);
    expect([rows.length, missing, (await unsolvedPoints(study, false)).length]).toEqual([
      results.configurations.length,
      0,
      0,
    ]);
    const names = columns.map(({ name }) => name);
    for (const name of ['block_size_x', 'use_shmem', 'time_s', 'right']) expect(names).toContain(name);
    const at = names.indexOf('time_s');
    expect(columns[at]?.unit).toBe('s');
    expect(rows.map((row) => row[at])).toEqual(results.configurations.map(({ time_s }) => time_s));
    expect(rows[0]?.[names.indexOf('gpu')]).toBe('NVIDIA A100-PCIE-40GB');
  });

  test('an imported study is exported with every configuration, its time and its failure', async () => {
    const file = path.join(import.meta.dirname, '../../model/tuning/files/public/convolution-a100-cache-cut.json.gz');
    const results = parseTuning({ text: gunzipSync(readFileSync(file)).toString('utf8'), name: 'cut.json' });
    const study = await importStudy(results, path.join(folder, 'back.study'), 'back');
    const { rows } = await readRows(study);
    const back = tuningResultsOf(study.head, rows);
    expect(results.configurations.length).toBeGreaterThan(10);
    const plain = ({ configuration, outcome, time_s, samples_s }: (typeof results.configurations)[number]) => ({
      ...{ configuration, outcome, time_s },
      samples_s,
    });
    expect(back.configurations.map(plain)).toEqual(results.configurations.map(plain));
    expect([back.device, back.kernel, back.problem]).toEqual([results.device, results.kernel, results.problem]);
    expect(JSON.parse(kernelTunerText(back))).toMatchObject({ problem_size: [4096, 4096] });
    const again = parseTuning({ text: kernelTunerText(back), name: 'again.json' });
    expect(again.configurations.map(({ configuration }) => configuration)).toEqual(
      results.configurations.map(({ configuration }) => configuration),
    );
  });

  test('a file with one entry per configuration rejects points at several sizes', async () => {
    const results = parseTuning({ text: '{"metadata": {"timeunit": "ms"}, "results": []}', name: 'empty.json' });
    const study = await importStudy(results, path.join(folder, 'sizes.study'), 'sizes');
    const document = { kind: 'micro', solver: { variant: 'cpu-blocks[kDepth=32]' } };
    const head = { ...study.head, bases: [{ name: 'gemm', document, folder: null, beside: [] }] };
    const at = (value: number): Row => {
      const line = { id: String(value), base: 0, settings: [{ path: ['problem', 'n'], value }] };
      return { line, result: { ...failedResult, id: line.id } };
    };
    expect(tuningResultsOf(head, [at(1)]).configurations).toMatchObject([{ configuration: { kDepth: 32 } }]);
    expect(() => tuningResultsOf(head, [at(1), at(2)])).toThrow(/have the same configuration; allowed: a study/);
  });

  test('a file for one kernel rejects a study whose points are not configurations', async () => {
    const results = parseTuning({
      text: '{"metadata": {"timeunit": "ms"}, "results": []}',
      name: 'empty.json',
    });
    const study = await importStudy(results, path.join(folder, 'empty.study'), 'empty');
    const { rows } = await readRows(study);
    expect(() => tuningResultsOf(study.head, rows)).toThrow(
      'tuning files contain a single kernel; allowed: a study of one variant',
    );
  });
});
