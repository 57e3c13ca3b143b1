import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jetteChenPower, jetteChenWeights } from '../../../../../electron/host/model/beams/jette-chen.ts';
import { combined, leastSquares } from '../../../../../electron/host/model/beams/least-squares.ts';
import { nnls } from '../../../../../electron/host/model/beams/nnls.ts';

const columnsOf = (...columns: readonly (readonly number[])[]) => columns.map((one) => Float64Array.from(one));
const misfit = (columns: readonly Float64Array[], b: Float64Array, x: ArrayLike<number>): number =>
  Math.hypot(...combined(columns, x).map((value, i) => value - (b[i] ?? 0)));

/** The best of all sets of columns whose free solution is not negative. */
function byTrying(columns: readonly Float64Array[], b: Float64Array): number {
  let best = Math.hypot(...b);
  for (let set = 1; set < 2 ** columns.length; set += 1) {
    const chosen = columns.filter((_, k) => (set >> k) & 1);
    const x = leastSquares(chosen, b);
    if (x.every((value) => value >= 0)) best = Math.min(best, misfit(chosen, b, x));
  }
  return best;
}

const problem = fc.record({
  values: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 24, maxLength: 24 }),
  b: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 6, maxLength: 6 }),
});

describe('non-negative least squares', () => {
  test('what has a non-negative solution gets it', () => {
    const columns = columnsOf([1, 0, 1], [0, 1, 1], [1, 1, 0.5]);
    const x = nnls(columns, combined(columns, [2, 0.5, 1]));
    expect([...x].map((value) => Number(value.toFixed(10)))).toEqual([2, 0.5, 1]);
  });

  test('a column that would be negative is 0, and the others make up for it', () => {
    expect([...nnls(columnsOf([1, 0], [1, 1]), Float64Array.of(1, -1))]).toEqual([1, 0]);
  });

  test('is as good as the best of all sets of columns, from any start', () => {
    fc.assert(
      fc.property(problem, fc.boolean(), ({ values, b }, warm) => {
        const columns = [0, 1, 2, 3].map((k) => Float64Array.from(values.slice(6 * k, 6 * k + 6)));
        const right = Float64Array.from(b);
        const x = nnls(columns, right, warm ? [1, 0.5, 2, 0] : undefined);
        expect(Math.min(...x)).toBeGreaterThanOrEqual(0);
        expect(misfit(columns, right, x)).toBeLessThan(byTrying(columns, right) + 1e-8);
      }),
      { numRuns: 300 },
    );
  });

  test('columns of nothing, or twice the same, are no harm', () => {
    const columns = columnsOf([0, 0, 0], [1, 2, 3], [1, 2, 3]);
    const x = nnls(columns, Float64Array.of(2, 4, 6));
    expect(x[0]).toBe(0);
    expect((x[1] ?? 0) + (x[2] ?? 0)).toBeCloseTo(2, 12);
  });
});

describe('first weights by Jette and Chen', () => {
  test('the power is that of their table at its entries, and between them', () => {
    expect(jetteChenPower(150, 0.3)).toBeCloseTo(1.66, 12);
    expect(jetteChenPower(175, 0.3)).toBeCloseTo(1.61, 12);
    expect(jetteChenPower(40, 0.1)).toBeCloseTo(1.72, 12);
    expect(jetteChenPower(300, 0.9)).toBeCloseTo(1.48, 12);
  });

  test('layers at equal distances have the weights of their formula', () => {
    const [n, share, range] = [10, 0.3, 158];
    const ranges = Array.from({ length: n + 1 }, (_, k) => range * (1 - (share * k) / n));
    const power = 1 - 1 / jetteChenPower(150, share);
    const weights = jetteChenWeights(150, ranges);
    expect(weights[0]).toBeCloseTo((1 / (2 * n)) ** power, 12);
    expect(weights[3]).toBeCloseTo((3.5 / n) ** power - (2.5 / n) ** power, 12);
    expect(weights[n]).toBeCloseTo(1 - (1 - 1 / (2 * n)) ** power, 12);
    expect(weights.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
  });
});
