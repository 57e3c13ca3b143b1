import { describe, expect, it } from 'vitest';
import { beyond, twoSidedQuantile } from '../../../../../electron/host/model/verdicts/student.ts';

describe('Student’s t', () => {
  // Tables of any textbook: two-sided 5 % and 1 %.
  it.each([
    [0.05, 1, 12.7062],
    [0.05, 2, 4.30265],
    [0.05, 4, 2.776445],
    [0.05, 30, 2.042272],
    [0.01, 5, 4.032143],
    [0.05, 1e6, 1.959966],
  ])('%f of it lies beyond the quantile at %f degrees of freedom', (outside, freedom, expected) => {
    expect(twoSidedQuantile(outside, freedom)).toBeCloseTo(expected, 4);
  });

  it('has a quantile that its distribution confirms, between whole degrees of freedom too', () => {
    for (const freedom of [0.7, 1.5, 2.3, 7.9, 55.5]) {
      for (const outside of [0.001, 0.0045, 0.05, 0.5]) {
        expect(beyond(twoSidedQuantile(outside, freedom), freedom)).toBeCloseTo(outside, 9);
      }
    }
  });

  it('is endless without a degree of freedom', () => {
    expect(twoSidedQuantile(0.05, 0)).toBe(Number.POSITIVE_INFINITY);
    expect(twoSidedQuantile(0.05, Number.NaN)).toBe(Number.POSITIVE_INFINITY);
  });
});
