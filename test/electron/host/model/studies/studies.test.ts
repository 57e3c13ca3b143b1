/**
 * Saved views of a study. Parquet and HDF5 of a study's table, read back by independent libraries. Ended points, and
 * detection of new results without listing a hundred thousand files. Grouped rows: counts, medians with their ranges,
 * and the number of machines behind a time. A table is queried repeatedly: cached results are used for the same query
 * only.
 */
import fs, { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rename, rm, utimes } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultViewSettings } from '../../../../../electron/contract/study/calls.ts';
import { openFile } from '../../../../../electron/host/io/hdf5/h5.ts';
import { StudyFolder } from '../../../../../electron/host/model/studies/folder.ts';
import { readViews, writeViews } from '../../../../../electron/host/model/studies/folder-state.ts';
import { type StudyTable, tableHdf5, tableParquet } from '../../../../../electron/host/model/studies/table.ts';
import { queryTable, type TableQuery } from '../../../../../electron/host/model/studies/table-query.ts';
import { writeWideStudy } from '../../../../wide-study.ts';

describe('saved views of a study', () => {
  test('are restored as saved; a folder without views has none, and a damaged file is reported by name', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'views-'));
    expect(await readViews(folder)).toEqual([]);
    const views = [{ name: 'slow ones', look: { ...defaultViewSettings, filter: 'time_s > 1', groups: ['axis n'] } }];
    await writeViews(folder, views);
    expect(await readViews(folder)).toEqual(views);
    const file = path.join(folder, 'views.json');
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 40));
    await expect(readViews(folder)).rejects.toThrow('views.json is damaged');
  });
});

describe('exported tables of a study', () => {
  const table: StudyTable = {
    columns: [
      { name: 'point', unit: '', of: 'point' },
      { name: 'beam.energy_MeV', unit: 'MeV', of: 'axis' },
      { name: 'solver.table', unit: '', of: 'axis' },
      { name: 'r80_mm', unit: 'mm', of: 'measure' },
      { name: 'rate', unit: '1/s', of: 'measure' },
      { name: 'gpu_uuid', unit: '', of: 'where' },
      { name: 'rate', unit: '', of: 'where' },
    ],
    rows: [
      ['00aa', 20, 'water', 4.2, 1e300, null, 'µ'],
      ['00ab', 30.5, 7, null, 3, 'GPU-1', ''],
    ],
    missing: 1,
    damaged: [],
    machines: [
      { machine: 'one, CPU', rows: 1 },
      { machine: 'two, GPU', rows: 1 },
    ],
  };

  test('Parquet has doubles and texts, with units in titles and in the metadata', async () => {
    const bytes = await tableParquet(table);
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    expect(await parquetReadObjects({ file })).toEqual([
      {
        ...{ point: '00aa', 'beam.energy_MeV [MeV]': 20, 'solver.table': 'water', 'r80_mm [mm]': 4.2 },
        ...{ 'rate [1/s]': 1e300, gpu_uuid: null, rate: 'µ' },
      },
      {
        ...{ point: '00ab', 'beam.energy_MeV [MeV]': 30.5, 'solver.table': '7', 'r80_mm [mm]': null },
        ...{ 'rate [1/s]': 3, gpu_uuid: 'GPU-1', rate: '' },
      },
    ]);
    const notes = parquetMetadata(file).key_value_metadata ?? [];
    const columns = JSON.parse(notes.find(({ key }) => key === 'columns')?.value ?? '[]') as unknown[];
    expect(columns[3]).toEqual({ column: 'r80_mm [mm]', name: 'r80_mm', unit: 'mm', of: 'measure' });
    expect(notes.find(({ key }) => key === 'machines')?.value).toContain('two, GPU');
  });

  test('HDF5 has one dataset per column with its unit, and distinguishes duplicate names in two groups', async () => {
    await openFile(await tableHdf5(table), (file) => {
      const read = (name: string) => {
        const found = file.get(name);
        if (found === null || !('to_array' in found)) throw new Error(`there is no ${name}`);
        return { values: found.to_array(), unit: found.attrs['unit']?.value };
      };
      expect(read('r80_mm')).toEqual({ values: [4.2, Number.NaN], unit: 'mm' });
      expect(read('beam.energy_MeV')).toEqual({ values: [20, 30.5], unit: 'MeV' });
      expect(read('measure.rate')).toEqual({ values: [1e300, 3], unit: '1/s' });
      expect(read('where.rate').values).toEqual(['µ', '']);
      expect(read('solver.table').values).toEqual(['water', '7']);
      expect(read('gpu_uuid').values).toEqual(['', 'GPU-1']);
      expect(file.attrs['missing']?.value).toBe(1);
      expect(file.attrs['columns']?.value).toContain('solver.table');
    });
  });

  test('a table without rows becomes a file without data', async () => {
    const empty = { ...table, rows: [] };
    expect((await tableParquet(empty)).length).toBeGreaterThan(100);
    await openFile(await tableHdf5(empty), (file) => expect(file.attrs['rows']?.value).toBe(0));
  });
});

describe('listing a study folder', () => {
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

  /** Advances the clock, so that files appear to have been written `minutes` ago. */
  const later = (minutes: number): void => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * MINUTE_MS });
  };

  async function firstId(): Promise<string> {
    const [id = ''] = (await study.finishedPoints()).keys();
    return id;
  }

  /** Number of folders that a check lists. Modules that were loaded before use the spy too. */
  async function countListings(look: () => Promise<unknown>): Promise<number> {
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

  test('lists a folder changed within one clock tick again, since it may change once more', async () => {
    expect(await study.currentStamp()).toBeNull();
    const all = await countListings(() => study.tally());
    expect(all).toBeGreaterThan(1);
    expect(await countListings(() => study.tally())).toBe(all);
  });

  test('caches a settled folder by its modification time, which additions and removals change', async () => {
    later(1);
    const before = await study.currentStamp();
    expect(before).not.toBeNull();
    expect(await study.currentStamp()).toBe(before);
    await rm(study.fileOf(await firstId(), 'done'));
    later(1);
    expect(await study.currentStamp()).not.toBe(before);
  });

  test('treats a folder restored with an older time as changed', async () => {
    later(1);
    const before = await study.currentStamp();
    await study.tally();
    const file = study.fileOf(await firstId(), 'done');
    const old = new Date('2020-01-01');
    await rm(file);
    await utimes(path.dirname(file), old, old);
    expect(await study.currentStamp()).not.toBe(before);
    expect(await study.tally()).toEqual({ done: 39, failed: [] });
  });

  test('counts points once in settled folders, and again in folders changed by another process', async () => {
    later(1);
    expect(await study.tally()).toEqual({ done: 40, failed: [] });
    // The check lists only the parent folder.
    expect(await countListings(() => study.tally())).toBe(1);
    const id = await firstId();
    await rename(study.fileOf(id, 'done'), study.fileOf(id, 'failed'));
    expect(await countListings(async () => expect(await study.tally()).toEqual({ done: 39, failed: [id] }))).toBe(2);
    await rm(path.dirname(study.fileOf(id, 'failed')), { recursive: true });
    expect((await study.tally()).failed).toEqual([]);
    expect((await study.finishedPoints()).has(id)).toBe(false);
    expect(await study.stateOf(id)).toBeNull();
  });

  test('counts a point as done rather than failed if both files exist for a moment', async () => {
    const id = await firstId();
    expect(await study.stateOf(id)).toBe('done');
    await rename(study.fileOf(id, 'done'), study.fileOf(id, 'failed'));
    expect(await study.stateOf(id)).toBe('failed');
    expect(await study.stateOf('0000000000000000')).toBeNull();
  });
});

const table: StudyTable = {
  columns: [
    { name: 'point', unit: '', of: 'point' },
    { name: 'solver.variant', unit: '', of: 'axis' },
    { name: 'problem.n', unit: '', of: 'axis' },
    { name: 'time_s', unit: 's', of: 'measure' },
    { name: 'machine', unit: '', of: 'where' },
  ],
  rows: [
    ['a1', 'tiled', 64, 4, 'one'],
    ['a2', 'tiled', 256, 6, 'one'],
    ['a3', 'plain', 64, 1, 'one'],
    ['a4', 'tiled', 1024, 20, 'two'],
    ['a5', 'plain', 256, null, 'one'],
  ],
  ...{ missing: 0, damaged: [], machines: [] },
};
const look = { filter: '', sort: null, groups: ['axis solver.variant'], from: 0, count: 10 };

describe('rows grouped by a column', () => {
  test('show medians with their ranges, and numbers of rows and machines', () => {
    const { columns, rows, spans, shown, matching } = queryTable(table, look);
    expect(columns.map(({ key }) => key)).toEqual([
      ...['axis solver.variant', 'group rows', 'group machines', 'axis problem.n', 'measure time_s'],
    ]);
    expect(rows).toEqual([
      ['tiled', 3, 2, 256, 6],
      ['plain', 2, 1, 160, 1],
    ]);
    expect(spans.map((row) => row[4])).toEqual([[4, 20], null]);
    expect([shown, matching]).toEqual([2, 5]);
  });

  test('have a machines column only if a group has several machines', () => {
    expect(queryTable(table, look).columns[2]).toMatchObject({ key: 'group machines', equal: false });
    expect(queryTable(table, { ...look, filter: 'machine == "one"' }).columns[2]).toMatchObject({ equal: true });
  });

  test('are sorted by a median, in parts, or by the order of groups if the column is missing', () => {
    const sorted = queryTable(table, { ...look, sort: { key: 'measure time_s', descending: false }, count: 1 });
    expect(sorted.rows.map(([name]) => name)).toEqual(['plain']);
    expect(sorted.shown).toBe(2);
    expect(queryTable(table, { ...look, sort: { key: 'point point', descending: true } }).rows[0]?.[0]).toBe('tiled');
  });

  test('show each existing combination if there are two columns', () => {
    const both = queryTable(table, { ...look, groups: ['axis solver.variant', 'axis problem.n'] });
    expect(both.rows.map(([variant, n]) => [variant, n])).toEqual([
      ['tiled', 64],
      ['tiled', 256],
      ['plain', 64],
      ['tiled', 1024],
      ['plain', 256],
    ]);
  });

  test('reject an unknown column by name', () => {
    expect(() => queryTable(table, { ...look, groups: ['axis no'] })).toThrow('The study has no column "axis no".');
  });
});

describe('queries of study rows', () => {
  const table = (values: readonly (readonly [string, number | null])[]): StudyTable => ({
    columns: [
      { name: 'solver.variant', unit: '', of: 'axis' },
      { name: 'time_s', unit: 's', of: 'measure' },
    ],
    rows: values,
    ...{ missing: 0, damaged: [], machines: [] },
  });
  const look: TableQuery = { filter: '', sort: null, groups: [], from: 0, count: 10 };
  const time = { key: 'measure time_s', descending: false };
  const times = (of: StudyTable, requested: Partial<TableQuery>): unknown[] =>
    queryTable(of, { ...look, ...requested }).rows.map((row) => row.at(-1));

  test('distinguish order, direction, filter and part', () => {
    const one = table([
      ['a', 3],
      ['b', 1],
      ['a', null],
      ['b', 2],
    ]);
    const all: [Partial<TableQuery>, unknown[]][] = [
      [{}, [3, 1, null, 2]],
      [{ sort: time }, [1, 2, 3, null]],
      [{ sort: { ...time, descending: true } }, [3, 2, 1, null]],
      [{ sort: time, from: 1, count: 2 }, [2, 3]],
      [{ sort: time, filter: 'solver.variant == "b"' }, [1, 2]],
      [{ filter: 'solver.variant == "a"' }, [3, null]],
      [{ groups: ['axis solver.variant'] }, [3, 1.5]],
      [{ groups: ['axis solver.variant'], filter: 'time_s > 1' }, [3, 2]],
    ];
    for (const round of [0, 1, 2])
      for (const [asked, expected] of all)
        expect(times(one, asked), `${round} ${JSON.stringify(asked)}`).toEqual(expected);
    // A table with more rows must not use the cached result.
    expect(times(table([['c', 9]]), { sort: time })).toEqual([9]);
  });

  test('reject an invalid condition each time', () => {
    const one = table([['a', 1]]);
    for (const _ of [0, 1])
      expect(() => queryTable(one, { ...look, filter: 'time_s >' })).toThrow(/not a valid condition/);
  });
});
