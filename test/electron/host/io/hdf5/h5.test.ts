/** Files in memory, also after many that are none. */
import { expect, test } from 'vitest';
import { createFile, openFile } from '../../../../../electron/host/io/hdf5/h5.ts';
import { put } from '../../../../../electron/host/io/hdf5/put.ts';

const VALUES = Float64Array.from({ length: 1000 }, (_, i) => Math.sin(i));

/** As many errors as took all of the library's stack, and more. */
const MANY = 2600;

test('a sound file opens after thousands that are none', async () => {
  const sound = await createFile((file) => put(file, 'values', VALUES, [VALUES.length]));
  const none = new TextEncoder().encode('this is no HDF5 file');
  const reasons = new Set<string>();
  for (let i = 0; i < MANY; i++) {
    await openFile(none, () => null).catch((error: unknown) => reasons.add(String(error)));
  }
  expect([...reasons]).toEqual([expect.stringContaining('it is not an HDF5 file')]);
  expect(await openFile(sound, (file) => [...file.keys()])).toEqual(['values']);
});

test('what work in the library throws is thrown on, and the file is closed', async () => {
  const sound = await createFile((file) => put(file, 'values', VALUES, [VALUES.length]));
  const broken = openFile(sound, () => {
    throw new RangeError('too deep');
  });
  await expect(broken).rejects.toThrow(new RangeError('too deep'));
  expect(await openFile(sound, (file) => file.keys().length)).toBe(1);
});
