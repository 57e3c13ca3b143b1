/** The gamma index of maps whose gammas are worked out by hand. */
import { describe, expect, it } from 'vitest';
import { type DoseMap, gamma } from '../../../../../electron/host/model/fields/gamma.ts';

/** A row of cells of 100 mm: no other cell lies within three times any distance criterion. */
const map = (...dose: readonly number[]): DoseMap => ({
  dose: Float64Array.from(dose, (value) => 100 * value),
  ...{ nz: dose.length, nx: 1, dz_mm: 100, dx_mm: 1 },
});
const criteria = { dose: 0.02, distance_mm: 1 };

describe('the dose criterion of the gamma index', () => {
  it('is a share of the largest dose, or with local of the dose at each point', () => {
    // A difference of 1 at a dose of 20 is 1 % of the largest dose and 5 % of its own.
    const [reference, evaluated] = [map(100, 100, 20, 20), map(100, 100, 21, 21)];
    const global = gamma(reference, evaluated, criteria);
    expect([global.points, global.passed]).toEqual([4, 1]);
    expect(global.worst).toBeCloseTo(0.5, 9);
    const local = gamma(reference, evaluated, { ...criteria, local: true });
    expect([local.points, local.passed]).toEqual([4, 0.5]);
    expect(local.worst).toBeCloseTo(2.5, 9);
  });

  it('leaves out points below the threshold, 10 % of the largest dose if none is given', () => {
    const [reference, evaluated] = [map(100, 100, 9, 9), map(100, 100, 90, 90)];
    expect(gamma(reference, evaluated, criteria)).toMatchObject({ points: 2, passed: 1 });
    expect(gamma(reference, evaluated, { ...criteria, threshold: 0.05 })).toMatchObject({ points: 4, passed: 0.5 });
  });
});
