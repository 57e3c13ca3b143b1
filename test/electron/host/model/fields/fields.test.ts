/** The gamma index of maps with gammas calculated by hand. */
import { describe, expect, it, test } from 'vitest';
import {
  type ComparedField,
  compareCurves,
  fieldDifference,
  fieldMap,
  gridText,
} from '../../../../../electron/host/model/fields/field.ts';
import { type DoseMap, gammaIndex } from '../../../../../electron/host/model/fields/gamma.ts';
import { imageField } from '../../../../../electron/host/workloads/diffraction/summary.ts';
import { doseField } from '../../../../../electron/host/workloads/transport/index.ts';

/** A row of cells of 100 mm, so that neighbouring cells are beyond three times any distance criterion. */
const map = (...dose: readonly number[]): DoseMap => ({
  dose: Float64Array.from(dose, (value) => 100 * value),
  ...{ nz: dose.length, nx: 1, dz_mm: 100, dx_mm: 1 },
});
const criteria = { dose: 0.02, distance_mm: 1 };

describe('the dose criterion of the gamma index', () => {
  it('is a share of the largest dose, or of the dose at each point if local', () => {
    // A difference of 1 at a dose of 20 is 1 % of the largest dose, but 5 % of the local dose.
    const [reference, evaluated] = [map(100, 100, 20, 20), map(100, 100, 21, 21)];
    const global = gammaIndex(reference, evaluated, criteria);
    expect([global.points, global.passed]).toEqual([4, 1]);
    expect(global.worst).toBeCloseTo(0.5, 9);
    const local = gammaIndex(reference, evaluated, { ...criteria, local: true });
    expect([local.points, local.passed]).toEqual([4, 0.5]);
    expect(local.worst).toBeCloseTo(2.5, 9);
  });

  it('ignores points below the threshold, by default 10 % of the largest dose', () => {
    const [reference, evaluated] = [map(100, 100, 9, 9), map(100, 100, 90, 90)];
    expect(gammaIndex(reference, evaluated, criteria)).toMatchObject({ points: 2, passed: 1 });
    expect(gammaIndex(reference, evaluated, { ...criteria, threshold: 0.05 })).toMatchObject({
      points: 4,
      passed: 0.5,
    });
  });
});

describe('fields of a run', () => {
  function comparedField(
    nz: number,
    nx: number,
    dz_mm: number,
    value: (z: number, x: number) => number,
  ): ComparedField {
    const dose = Float64Array.from({ length: nz * nx }, (_, i) => value(Math.floor(i / nx), i % nx));
    return doseField(dose, { nz, nx, dz_mm, dx_mm: 2, x_mm: 0, z_mm: 0, angle_rad: 0 });
  }

  const whole = { horizontal: null, vertical: null, pixels: [100, 100] as [number, number] };

  test('a map has depth as horizontal axis, x as vertical axis, and the unit MeV/mm²', async () => {
    const map = await fieldMap(
      comparedField(3, 2, 0.5, (z, x) => 10 * z + x),
      whole,
    );
    expect([map.horizontal.count, map.vertical.count]).toEqual([3, 2]);
    expect([map.horizontal.to, map.vertical.from, map.vertical.to]).toEqual([1.5, -2, 2]);
    // A cell has an area of 0.5 × 2 mm², so that MeV per cell equals MeV/mm². The lower row is at x = 0.
    expect([...map.values]).toEqual([0, 10, 20, 1, 11, 21]);
    expect([map.min, map.max]).toEqual([0, 21]);
  });

  test('a difference requires the same grid', async () => {
    const [a, b] = [comparedField(3, 2, 0.5, (z) => z), comparedField(3, 2, 0.5, (z) => z + 1)];
    expect([...((await fieldDifference(b, a))?.values ?? [])]).toEqual([1, 1, 1, 1, 1, 1]);
    const other = comparedField(3, 2, 0.25, (z) => z);
    expect(await fieldDifference(other, a)).toBeNull();
    expect(gridText(other)).toBe('3 × 2 cells of 0.25 × 2 mm²');
  });

  test('curves on other grids are compared by linear interpolation between points', async () => {
    const fine = comparedField(8, 1, 0.5, (z) => (z + 0.5) * 0.5 * 0.5);
    const coarse = comparedField(4, 1, 1, (z) => z + 0.5);
    const [first, second, none] = await compareCurves([coarse, fine, null], 0);
    expect(first?.residual).toBeNull();
    // On both curves the dose equals the depth, so their difference is zero where both have values.
    expect([...(second?.residual?.positions ?? [])]).toEqual([0.75, 1.25, 1.75, 2.25, 2.75, 3.25]);
    for (const value of second?.residual?.values ?? []) expect(value).toBeCloseTo(0, 12);
    expect(none).toMatchObject({ curve: null, reason: expect.stringContaining('contains times') });
  });

  test('spots of an image remain visible, with their sign in a difference', async () => {
    const image = (spot: number): ComparedField => {
      const pixels = new Float32Array(64);
      pixels[9] = spot;
      return imageField({ width: 8, height: 8, image: pixels });
    };
    const few = { horizontal: null, vertical: null, pixels: [2, 2] as [number, number] };
    expect([...(await fieldMap(image(5), few)).values]).toEqual([5, 0, 0, 0]);
    const less = await fieldDifference(image(2), image(5));
    expect(less && [...(await fieldMap(less, few)).values]).toEqual([-3, 0, 0, 0]);
    expect(gridText(image(1))).toBe('8 × 8 pixels');
    expect(
      await fieldDifference(
        image(1),
        comparedField(8, 8, 1, () => 1),
      ),
    ).toBeNull();
  });
});
