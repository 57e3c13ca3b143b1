/** Parquet and HDF5 of a study's table, read again by libraries that did not write them. */
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { openFile } from '../../../../../electron/host/io/hdf5/h5.ts';
import type { StudyTable } from '../../../../../electron/host/model/studies/table.ts';
import { tableHdf5, tableParquet } from '../../../../../electron/host/model/studies/table-files.ts';

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

test('Parquet: doubles and texts, with units in titles and in the metadata', async () => {
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

test('HDF5: a dataset a column, with its unit; names that two groups share are told apart', async () => {
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

test('a table without rows is a file without data', async () => {
  const empty = { ...table, rows: [] };
  expect((await tableParquet(empty)).length).toBeGreaterThan(100);
  await openFile(await tableHdf5(empty), (file) => expect(file.attrs['rows']?.value).toBe(0));
});
