/**
 * HDF5 files in memory, also after many invalid ones. Arrays with unexpected dimensions or types give one clear error
 * each before they are read.
 */
import type { File } from 'h5wasm';
import { describe, expect, test } from 'vitest';
import { RunFileFields } from '../../../../../electron/host/io/hdf5/fields.ts';
import { createFile, openFile } from '../../../../../electron/host/io/hdf5/h5.ts';
import { writeDataset } from '../../../../../electron/host/io/hdf5/put.ts';

describe('HDF5 files', () => {
  const VALUES = Float64Array.from({ length: 1000 }, (_, i) => Math.sin(i));

  /** Number of errors that once exhausted the library's stack. */
  const MANY = 2600;

  test('open normally after thousands of invalid ones', async () => {
    const sound = await createFile((file) => writeDataset(file, 'values', VALUES, [VALUES.length]));
    const none = new TextEncoder().encode('this is no HDF5 file');
    const reasons = new Set<string>();
    for (let i = 0; i < MANY; i++) {
      await openFile(none, () => null).catch((error: unknown) => reasons.add(String(error)));
    }
    expect([...reasons]).toEqual([expect.stringContaining('it is not an HDF5 file')]);
    expect(await openFile(sound, (file) => [...file.keys()])).toEqual(['values']);
  });

  test('are closed if the callback throws, and the error is passed on', async () => {
    const sound = await createFile((file) => writeDataset(file, 'values', VALUES, [VALUES.length]));
    const broken = openFile(sound, () => {
      throw new RangeError('too deep');
    });
    await expect(broken).rejects.toThrow(new RangeError('too deep'));
    expect(await openFile(sound, (file) => file.keys().length)).toBe(1);
  });
});

describe('HDF5 fields', () => {
  const numbers = 'dose has an unexpected number format';

  test.each<[string, (file: File) => unknown, string]>([
    [
      'one dimension',
      (f) => f.create_dataset({ name: 'dose', data: new Float64Array(6), shape: [6], chunks: [6] }),
      'dose is 6, but 2 × 3 is expected',
    ],
    [
      'three dimensions',
      (f) => f.create_dataset({ name: 'dose', data: new Float64Array(6), shape: [1, 2, 3], chunks: [1, 2, 3] }),
      'dose is 1 × 2 × 3, but 2 × 3 is expected',
    ],
    [
      'transposed',
      (f) => f.create_dataset({ name: 'dose', data: new Float64Array(6), shape: [3, 2], chunks: [3, 2] }),
      'dose is 3 × 2, but 2 × 3 is expected',
    ],
    [
      'a single value',
      (f) => f.create_dataset({ name: 'dose', data: 1.5 }),
      'dose is a single value, but 2 × 3 is expected',
    ],
    ['a group', (f) => f.create_group('dose'), 'it has no dose'],
    [
      'single precision',
      (f) => f.create_dataset({ name: 'dose', data: new Float32Array(6), shape: [2, 3], chunks: [2, 3] }),
      numbers,
    ],
    [
      'whole numbers',
      (f) => f.create_dataset({ name: 'dose', data: new BigInt64Array(6), shape: [2, 3], chunks: [2, 3], dtype: '<q' }),
      numbers,
    ],
    [
      'text',
      (f) =>
        f.create_dataset({
          ...{ name: 'dose', data: Array.from({ length: 6 }, () => 'eight by') },
          ...{ shape: [2, 3], chunks: [2, 3], dtype: 'S8' },
        }),
      numbers,
    ],
  ])('are rejected if they have the wrong shape or type: %s', async (_, make, message) => {
    const bytes = await createFile((file) => void make(file));
    const read = openFile(bytes, (file) => new RunFileFields(file).float64('dose', [2, 3]));
    await expect(read).rejects.toMatchObject({ code: 'foreign-file', message });
  });
});
