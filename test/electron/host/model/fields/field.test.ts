import { expect, test } from 'vitest';
import { comparedCurves } from '../../../../../electron/host/model/fields/curves.ts';
import { type ComparedField, difference, fieldMap, gridText } from '../../../../../electron/host/model/fields/field.ts';
import { imageField } from '../../../../../electron/host/workloads/diffraction/field.ts';
import { doseField } from '../../../../../electron/host/workloads/transport/field.ts';

function field(nz: number, nx: number, dz_mm: number, value: (z: number, x: number) => number): ComparedField {
  const dose = Float64Array.from({ length: nz * nx }, (_, i) => value(Math.floor(i / nx), i % nx));
  return doseField(dose, { nz, nx, dz_mm, dx_mm: 2, x_mm: 0, z_mm: 0, angle_rad: 0 });
}

const whole = { horizontal: null, vertical: null, pixels: [100, 100] as [number, number] };

test('a map has depth across, x up, and MeV/mm²', async () => {
  const map = await fieldMap(
    field(3, 2, 0.5, (z, x) => 10 * z + x),
    whole,
  );
  expect([map.horizontal.count, map.vertical.count]).toEqual([3, 2]);
  expect([map.horizontal.to, map.vertical.from, map.vertical.to]).toEqual([1.5, -2, 2]);
  // One cell of 0.5 × 2 mm²: MeV per cell is MeV/mm². The lower row is x = 0.
  expect([...map.values]).toEqual([0, 10, 20, 1, 11, 21]);
  expect([map.min, map.max]).toEqual([0, 21]);
});

test('a difference needs the same grid', async () => {
  const [a, b] = [field(3, 2, 0.5, (z) => z), field(3, 2, 0.5, (z) => z + 1)];
  expect([...((await difference(b, a))?.values ?? [])]).toEqual([1, 1, 1, 1, 1, 1]);
  const other = field(3, 2, 0.25, (z) => z);
  expect(await difference(other, a)).toBeNull();
  expect(gridText(other)).toBe('3 × 2 cells of 0.25 × 2 mm²');
});

test('curves of other grids differ by what straight lines between the points say', async () => {
  const fine = field(8, 1, 0.5, (z) => (z + 0.5) * 0.5 * 0.5);
  const coarse = field(4, 1, 1, (z) => z + 0.5);
  const [first, second, none] = await comparedCurves([coarse, fine, null], 0);
  expect(first?.residual).toBeNull();
  // Both are dose = depth: no difference where both are known.
  expect([...(second?.residual?.positions ?? [])]).toEqual([0.75, 1.25, 1.75, 2.25, 2.75, 3.25]);
  for (const value of second?.residual?.values ?? []) expect(value).toBeCloseTo(0, 12);
  expect(none).toMatchObject({ curve: null, reason: expect.stringContaining('keeps times') });
});

test('spots of an image stay in sight, and in its difference with their sign', async () => {
  const image = (spot: number): ComparedField => {
    const pixels = new Float32Array(64);
    pixels[9] = spot;
    return imageField({ width: 8, height: 8, image: pixels });
  };
  const few = { horizontal: null, vertical: null, pixels: [2, 2] as [number, number] };
  expect([...(await fieldMap(image(5), few)).values]).toEqual([5, 0, 0, 0]);
  const less = await difference(image(2), image(5));
  expect(less && [...(await fieldMap(less, few)).values]).toEqual([-3, 0, 0, 0]);
  expect(gridText(image(1))).toBe('8 × 8 pixels');
  expect(
    await difference(
      image(1),
      field(8, 8, 1, () => 1),
    ),
  ).toBeNull();
});
