import { describe, expect, it } from 'vitest';
import { meanError } from '../../../../../electron/host/model/verdicts/series.ts';

describe('the error of a mean', () => {
  it('is the textbook’s of values beside others of another kind', () => {
    // Variance 4/3 of four.
    expect(meanError([-1, 1, -1, 1])).toBeCloseTo(Math.sqrt(4 / 3 / 4), 12);
  });

  it('grows with the likeness of neighbours', () => {
    // By hand: likeness 2/5 seen of five values, raised by (1 + 6/5) / 5 to more than 0.6, where it ends: memory 4.
    expect(meanError([2, 1, 0, -1, -2])).toBeCloseTo(Math.sqrt((2.5 * 4) / 5), 12);
    // None seen of these, raised by 1/5: memory 1.5. Variance 1/2.
    expect(meanError([1, 0, 0, 0, -1])).toBeCloseTo(Math.sqrt((0.5 * 1.5) / 5), 12);
  });

  it('is of batches where that is more: a state that lasts for two has one value of each two', () => {
    const twos = [1, 1, -1, -1, 1, 1, -1, -1];
    expect(meanError(twos)).toBeCloseTo(Math.sqrt(4 / 3 / 4), 12);
    // The first that fills no batch is left out of them.
    expect(meanError([0, ...twos])).toBeCloseTo(Math.sqrt(4 / 3 / 4), 12);
  });

  it('is of longer batches where there are more values', () => {
    const threes = Array.from({ length: 27 }, (_, i) => (Math.floor(i / 3) % 2 === 0 ? 1 : -1));
    // Nine means, five of 1 and four of -1: variance 10/9.
    expect(meanError(threes)).toBeCloseTo(Math.sqrt(10 / 81), 12);
  });

  it('raises the likeness that is seen by its known bias', () => {
    // Likeness 1/4 seen of eight values, raised by (1 + 3/4) / 8: memory 47/17. Variance 4/7.
    expect(meanError([1, 1, 0, -1, 0, -1, 0, 0])).toBeCloseTo(Math.sqrt(((4 / 7 / 8) * 47) / 17), 12);
  });

  it('makes no two batches of four values', () => {
    // No likeness seen, raised by 1/4: memory 5/3. Variance 40/3. Two batches, of means 3 and -3, would give 3.
    expect(meanError([2, 4, -4, -2])).toBeCloseTo(Math.sqrt(((40 / 3 / 4) * 5) / 3), 12);
  });

  it('is nothing without any spread', () => {
    expect(meanError([2, 2, 2])).toBe(0);
  });
});
