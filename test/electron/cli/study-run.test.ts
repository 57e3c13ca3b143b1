/** `braggbench study run`, `resume`, `status`, `collect`, `export`: the files of a study are its only state. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { onLinux } from '../../unless.ts';
import {
  braggbenchInProcess,
  call,
  energies,
  inFolder,
  options,
  resultFiles,
  runStudyCommand,
  smallScenario,
  studyTable,
  useStudies,
  writeStudy,
} from './command.ts';

useStudies();
const inRoot = (name: string): string => path.join(import.meta.dirname, '../../..', name);

describe('braggbench study run', () => {
  test('solves every point once; a failing point reports its reason and the others continue', async () => {
    await writeStudy('some.json', [20, 30, 4000]);
    expect(await runStudyCommand('run', 'some.json')).toMatchObject({
      code: 1,
      before: 0,
      done: 2,
      failed: 1,
      left: 0,
      end: 'whole',
    });
    const files = await resultFiles('some.study');
    expect(files).toHaveLength(3);
    const { stdout } = await call('status', 'some.json');
    expect(stdout).toMatch(/2 of 3 points are solved, 1 failed, 0 are left/);
    expect(stdout).toMatch(/failed [0-9a-f]{16}: .*4000.*too large; allowed/);
    // Existing results are not recomputed; --retry recomputes failed ones.
    expect(await runStudyCommand('run', 'some.json')).toMatchObject({ code: 0, before: 3, done: 0, failed: 0 });
    expect(await runStudyCommand('resume', 'some.study', '--retry')).toMatchObject({
      code: 1,
      before: 2,
      done: 0,
      failed: 1,
    });
  });

  test('ends before the first point if its folder cannot be created', onLinux, async () => {
    await writeStudy('few.json', [20, 30]);
    const { code, stdout, stderr } = await call('run', 'few.json', '--out', '/proc/study');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error \/proc\/study cannot be written: (its folder is not writable|permission denied)\n$/);
  });

  test('equals single runs bit for bit, and records unit, machine and commit in every row', async () => {
    await writeStudy('few.json', [20, 30]);
    await runStudyCommand('run', 'few.json');
    const { column, columns } = await studyTable('few.json');
    const alone = await braggbenchInProcess(['run', 'small.json', '--set', 'beam.energy_MeV=30', '--json'], options());
    const { metrics } = JSON.parse(alone.stdout) as { metrics: { r80_mm: number } };
    expect(column('r80_mm')[1]).toBe(metrics.r80_mm);
    expect(columns).toContainEqual({ name: 'r80_mm', unit: 'mm', of: 'measure' });
    expect(columns).toContainEqual({ name: 'beam.energy_MeV', unit: 'MeV', of: 'axis' });
    for (const name of ['machine', 'cpu', 'version']) expect(column(name).every((cell) => cell !== null)).toBe(true);
    expect(column('commit').every((cell) => /^[0-9a-f]{7,}/.test(String(cell)))).toBe(true);
    // A run on the CPU names no GPU.
    expect(column('gpu_uuid')).toEqual([null, null]);
  });

  test('stores curves, reports errors against the reference point, and reports medians over repeats', {
    tags: 'slow',
  }, async () => {
    await writeStudy('grid.json', [30], {
      axes: [
        { kind: 'list', path: 'beam.energy_MeV', values: [25, 30] },
        { kind: 'list', path: 'grid.dz_mm', values: [0.25, 0.5] },
      ],
      reference: { 'grid.dz_mm': 0.25 },
      measures: ['readouts', 'curves', 'times'],
      repeats: 5,
    });
    await runStudyCommand('run', 'grid.json');
    const { column } = await studyTable('grid.json');
    const r80 = column('r80_mm').map(Number);
    expect(column('error.r80_mm')).toEqual([0, (r80[1] ?? 0) - (r80[0] ?? 0), 0, (r80[3] ?? 0) - (r80[2] ?? 0)]);
    const dose = column('error.depth_dose_rel_l2').map(Number);
    expect([dose[0], dose[2]]).toEqual([0, 0]);
    expect(dose[1]).toBeGreaterThan(1e-3);
    expect(dose[1]).toBeLessThan(1);
    expect(column('repeats_agree')).toEqual(['yes', 'yes', 'yes', 'yes']);
    const [low, middle, high] = ['solve_s_low', 'solve_s', 'solve_s_high'].map((name) => Number(column(name)[0]));
    expect(low).toBeLessThanOrEqual(middle ?? 0);
    expect(middle).toBeLessThanOrEqual(high ?? 0);
  });

  test('solves beams that differ only in energy on one grid where allowed, as a batch does, even when resumed', async () => {
    await writeStudy('shared.json', [20, 25, 30], { grids: 'shared', measures: ['readouts'] });
    expect(await runStudyCommand('run', 'shared.json')).toMatchObject({ code: 0, done: 3, failed: 0, left: 0 });
    const shared = await studyTable('shared.json');
    expect(shared.column('beams_on_grid')).toEqual([3, 3, 3]);
    const words = ['batch', 'shared-30.json', '--one-grid', '--sweep', 'beam.energy_MeV=20,25,30', '--json'];
    await writeFile(inFolder('shared-30.json'), JSON.stringify({ ...smallScenario, beam: { energy_MeV: 30 } }));
    const batch = z
      .looseObject({ beams: z.array(z.looseObject({ metrics: z.looseObject({ r80_mm: z.number() }) })) })
      .parse(JSON.parse((await braggbenchInProcess(words, options())).stdout));
    expect(shared.column('r80_mm')).toEqual(batch.beams.map(({ metrics }) => metrics.r80_mm));
    // A point that is solved again uses the grid of all points.
    const [first = ''] = await resultFiles('shared.study');
    await rm(inFolder('shared.study', 'results', first));
    expect(await runStudyCommand('resume', 'shared.study')).toMatchObject({ before: 2, done: 1, left: 0 });
    expect((await studyTable('shared.json')).column('r80_mm')).toEqual(shared.column('r80_mm'));
  });

  test('solves layers and images too', { tags: 'slow' }, async () => {
    await writeFile(
      inFolder('mixed.json'),
      JSON.stringify({
        ...{ kind: 'study', version: 1 },
        base: [
          { scenario: { kind: 'linear-relu', version: 1, problem: { batch: 4, inputs: 8, outputs: 8 } } },
          { file: 'image.json' },
        ],
        axes: [{ kind: 'list', path: 'solver.threads', values: [1] }],
      }),
    );
    const image = z
      .looseObject({ detector: z.looseObject({}) })
      .parse(JSON.parse(await readFile(inRoot('assets/scenarios/diffraction/simple-cubic-1024.json'), 'utf8')));
    const few = { ...image, detector: { ...image.detector, width: 128, height: 128 } };
    await writeFile(inFolder('image.json'), JSON.stringify(few));
    const ended = await runStudyCommand('run', 'mixed.json');
    expect(ended.stderr).toBe('');
    const { column } = await studyTable('mixed.json');
    expect(column('workload')).toEqual(['linear-relu', 'diffraction']);
    expect(column('verdict')[0]).not.toBe('wrong');
    expect(Number(column('max')[1])).toBeGreaterThan(0);
    expect(column('at_once')).toEqual([1, 1]);
  });

  test('rejects a different plan in its folder, a second runner, a study of a year, and changed input files', async () => {
    await writeStudy('fixed.json', [20]);
    await runStudyCommand('run', 'fixed.json');
    await writeStudy('fixed.json', [20, 21]);
    const other = await call('run', 'fixed.json');
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringMatching(/contains the plan of another study \(points\), with 1 points/),
    ]);
    await writeStudy('fixed.json', [20], { measures: ['readouts'] });
    expect((await call('run', 'fixed.json')).stderr).toMatch(/contains the plan of another study \(measures\)/);
    await writeStudy('hopeless.json', [4000, 5000]);
    const hopeless = await call('run', 'hopeless.json');
    expect([hopeless.code, hopeless.stderr]).toEqual([
      2,
      expect.stringMatching(/None of the points \(2\) can be run\. [0-9a-f]{16}: .*4000.*too large/),
    ]);
    await writeStudy('year.json', [], {
      base: [{ file: 'large.json' }],
      axes: [{ kind: 'range', path: 'beam.energy_MeV', from: 100, to: 150, count: 50_000 }],
      repeats: 5,
    });
    await writeFile(
      inFolder('large.json'),
      JSON.stringify({ ...smallScenario, grid: { dx_mm: 0.2, dz_mm: 0.1, dtheta_mrad: 1, theta_max_mrad: 200 } }),
    );
    const year = await call('run', 'year.json');
    expect([year.code, year.stderr]).toEqual([2, expect.stringMatching(/need at least [\d.]+ (days|years).*--yes/)]);
    expect(await resultFiles('year.study')).toEqual([]);
    await writeFile(inFolder('fixed.study', 'points.jsonl'), '');
    expect((await call('resume', 'fixed.study')).stderr).toMatch(/was changed after planning/);
    expect((await call('status', 'nothing')).stderr).toMatch(/has not been run/);
  });

  test('stops at its budget, and continues in the next run', async () => {
    await writeStudy('budget.json', energies(6), { budget: { points: 3 } });
    expect(await runStudyCommand('run', 'budget.json')).toMatchObject({ code: 0, done: 3, left: 3, end: 'budget' });
    // The budget of a later call may differ: the plan is the same.
    await writeStudy('budget.json', energies(6), { budget: { points: 2 } });
    expect(await runStudyCommand('run', 'budget.json')).toMatchObject({ before: 3, done: 2, left: 1, end: 'budget' });
    expect(await runStudyCommand('resume', 'budget.study')).toMatchObject({
      before: 5,
      done: 1,
      left: 0,
      end: 'whole',
    });
  });

  test('solves a point again if its result file is damaged', { tags: 'slow' }, async () => {
    await writeStudy('damaged.json', energies(3));
    await runStudyCommand('run', 'damaged.json');
    const [first = ''] = await resultFiles('damaged.study');
    await writeFile(inFolder('damaged.study', 'results', first), '');
    expect(await studyTable('damaged.json')).toMatchObject({ missing: 1, damaged: [path.basename(first, '.json')] });
    expect(await runStudyCommand('run', 'damaged.json')).toMatchObject({ before: 2, done: 1 });
    expect(await studyTable('damaged.json')).toMatchObject({ missing: 0, damaged: [] });
  });

  test('writes CSV with units in the column titles', async () => {
    await writeStudy('csv.json', energies(2));
    await runStudyCommand('run', 'csv.json');
    expect((await call('export', 'csv.json', inFolder('all.csv'))).code).toBe(0);
    const [titles = '', ...rows] = (await readFile(inFolder('all.csv'), 'utf8')).split('\r\n');
    expect(titles).toContain('beam.energy_MeV [MeV],r80_mm [mm]');
    expect(rows.filter((row) => row !== '')).toHaveLength(2);
    for (const file of ['all.parquet', 'all.h5']) {
      expect((await call('export', 'csv.json', inFolder(file))).stdout).toMatch(/^2 rows of \d+ columns written to /);
    }
    expect((await readFile(inFolder('all.parquet'), 'latin1')).slice(0, 4)).toBe('PAR1');
    expect((await call('export', 'csv.json', 'all.xls')).stderr).toMatch(/"all\.xls" has an unknown extension.*\.csv/);
  });
});
