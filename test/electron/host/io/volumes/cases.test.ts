/** Files after public reports, each with its correct value or the error that it must give: cases/README.md. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CtSlice, readCtSlice } from '../../../../../electron/host/io/volumes/ct-slice.ts';
import { gammaOf } from './gamma-of.ts';

const folder = path.join(import.meta.dirname, 'cases');
const slice = (name: string, at_mm: number | null = null, plane: CtSlice['plane'] = 'transverse') =>
  readCtSlice({ path: path.join(folder, name), name, series: null, plane, at_mm });

/** Hounsfield units of each row, which are the same in all of its columns. */
function rowsOf({ hu, columns, rows }: CtSlice): readonly number[] {
  return Array.from({ length: rows }, (_, row) => {
    const values = new Set(hu.subarray(row * columns, (row + 1) * columns));
    expect(values.size, `row ${row}`).toBe(1);
    return [...values][0] ?? Number.NaN;
  });
}

const layers = (...counts: readonly (readonly [number, number])[]): number[] =>
  counts.flatMap(([count, value]) => Array.from({ length: count }, () => value));
const phantom = layers([4, -1000], [8, -100], [20, 0]);

describe('the phantom is read from', () => {
  test.each([
    'd06-signed12.dcm',
    'd09-with-rtstruct',
    'm01-headersize/ct.mhd',
    'm03-ascii.mha',
    'm07-local-case.mha',
    'm08-hfp/ct.mhd',
    'm09-rounding/ct.mhd',
    'm19-matrad-permuted/ct.mhd',
    'n04-byteskip.nrrd',
    'n05-detached/ct.nhdr',
    'n09-endian-case.nrrd',
    'n10-axis-mins.nrrd',
    'n13-space-units.nrrd',
    'n18-matrad.nrrd',
  ])('%s', async (name) => {
    const found = await slice(name);
    expect(rowsOf(found)).toEqual(phantom);
    // Steps by way of binary fractions of cm are off in the last bit.
    expect(found.spacing_mm.map((step) => Number(step.toFixed(9)))).toEqual([1, 1]);
  });

  test('a series next to a localizer, which is named', async () => {
    const found = await slice('d10-with-scout');
    expect(rowsOf(found)).toEqual(phantom);
    expect(found.slices).toBe(5);
    expect(found.notes).toHaveLength(1);
    expect(found.notes[0]).toMatch(/left out/);
  });

  test('a plan, whose RTSTRUCT is named', async () => {
    const found = await slice('d09-with-rtstruct');
    expect([found.slices, found.notes]).toEqual([
      5,
      ['1 file in d09-with-rtstruct left out: RTSTRUCT, not a slice of the CT.'],
    ]);
  });
});

test('axis mins place cell-centred slices', async () => {
  const found = await slice('n10-axis-mins.nrrd', 41);
  // Cells begin at 40 mm and are 3 mm thick.
  expect([found.at_mm, found.from_mm, found.to_mm]).toEqual([41.5, 41.5, 47.5]);
  expect(found.origin_mm).toEqual([-15.5, -15.5]);
});

test('slices with two spacings are read one by one, and refused in other planes', async () => {
  expect((await slice('d13-two-spacings', 18)).at_mm).toBe(18);
  await expect(slice('d13-two-spacings', null, 'coronal')).rejects.toThrow(
    /not equally spaced \(0, 3, 6, 9, 12, 18, 24, 30 mm\)/,
  );
});

test('pixels in the range of padding are air, and counted', async () => {
  const found = await slice('d16b-padding-between.dcm');
  expect(rowsOf(found)).toEqual(phantom);
  expect(found.notes).toEqual([expect.stringMatching(/^\d+ of 1024 pixels have the stored value 2000 to 3071/)]);
  const water = await slice('d25-padding-zero.dcm');
  expect(rowsOf(water)).toEqual(layers([4, -1000], [8, -100], [20, -1000]));
  expect(water.notes).toEqual([
    '640 of 1024 pixels have the stored value 0, which the file declares as padding: they are taken as air.',
  ]);
});

test.each([
  ['d08-decimal-comma.dcm', 'RescaleSlope is "1,0"; allowed: a number with a decimal point'],
  ['d20-no-transfer-syntax.dcm', 'it has no transfer syntax (0002,0010)'],
  ['m12-too-large/ct.mhd', 'its data has 12288 bytes where 6144 are announced'],
])('%s is refused', async (name, message) => {
  await expect(slice(name)).rejects.toThrow(message);
});

test('one dose in two spaces is the same dose', async () => {
  const file = (name: string) => path.join(folder, 'g01-ras-lps', name);
  for (const other of ['ras.nrrd', 'ras2.nrrd', 'lps.mha']) {
    expect(await gammaOf(file('lps.nrrd'), file(other)), other).toEqual({ passed: 1, worst: 0 });
  }
  expect(readFileSync(file('ras2.nrrd')).equals(readFileSync(file('lps.nrrd')))).toBe(false);
});
