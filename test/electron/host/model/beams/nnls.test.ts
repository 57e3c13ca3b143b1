import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jetteChenPower, jetteChenWeights } from '../../../../../electron/host/model/beams/jette-chen.ts';
import {
  leastSquares,
  multiplyMatrix,
  nnls,
  nonIncreasingNnls,
  regularisedNnls,
} from '../../../../../electron/host/model/beams/least-squares.ts';

const columnsOf = (...columns: readonly (readonly number[])[]) => columns.map((one) => Float64Array.from(one));
const misfit = (columns: readonly Float64Array[], b: Float64Array, x: ArrayLike<number>): number =>
  Math.hypot(...multiplyMatrix(columns, x).map((value, i) => value - (b[i] ?? 0)));

/** Smallest residual over all subsets of columns whose unconstrained solution is non-negative. */
function bruteForceResidual(columns: readonly Float64Array[], b: Float64Array): number {
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
  test('finds an existing non-negative solution', () => {
    const columns = columnsOf([1, 0, 1], [0, 1, 1], [1, 1, 0.5]);
    const x = nnls(columns, multiplyMatrix(columns, [2, 0.5, 1]));
    expect([...x].map((value) => Number(value.toFixed(10)))).toEqual([2, 0.5, 1]);
  });

  test('sets a column that would be negative to 0 and lets the others compensate', () => {
    expect([...nnls(columnsOf([1, 0], [1, 1]), Float64Array.of(1, -1))]).toEqual([1, 0]);
  });

  test('is as good as the best of all subsets of columns, from any start', () => {
    fc.assert(
      fc.property(problem, fc.boolean(), ({ values, b }, warm) => {
        const columns = [0, 1, 2, 3].map((k) => Float64Array.from(values.slice(6 * k, 6 * k + 6)));
        const right = Float64Array.from(b);
        const x = nnls(columns, right, warm ? [1, 0.5, 2, 0] : undefined);
        expect(Math.min(...x)).toBeGreaterThanOrEqual(0);
        expect(misfit(columns, right, x)).toBeLessThan(bruteForceResidual(columns, right) + 1e-8);
      }),
      { numRuns: 300 },
    );
  });

  test('gives the same result from many rows, which it reduces first, as from few', () => {
    // Two unknowns and five rows: the means of 1, 3 and of 2, 4, and a row that affects neither.
    const columns = columnsOf([1, 1, 0, 0, 0], [0, 0, 1, 1, 0]);
    const x = nnls(columns, Float64Array.of(1, 3, 2, 4, 9));
    expect([...x].map((value) => Number(value.toFixed(12)))).toEqual([2, 3]);
  });

  test('solves its normal equations with a second difference of weight s', () => {
    // b = (0, 3, 0), row s (1, -2, 1): x = b - d s² (1, -2, 1) with d = (1, -2, 1) x = -6 / (1 + 6 s²).
    for (const s of [0.5, 1, 2]) {
      const d = -6 / (1 + 6 * s * s);
      const wanted = [0, 3, 0].map((value, i) => value - d * s * s * ([1, -2, 1][i] ?? 0));
      const x = regularisedNnls(columnsOf([1, 0, 0], [0, 1, 0], [0, 0, 1]), Float64Array.of(0, 3, 0), [
        Float64Array.of(s, -2 * s, s),
      ]);
      for (const [i, value] of wanted.entries()) expect(x[i]).toBeCloseTo(value, 12);
    }
  });

  test('replaces unknowns that violate the order constraint by their mean', () => {
    const unit = columnsOf([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]);
    // 2 and 4 are pooled to their mean, 3; the negative value becomes 0.
    const x = nonIncreasingNnls(unit, Float64Array.of(5, 2, 4, -1));
    expect([...x].map((value) => Number(value.toFixed(12)))).toEqual([5, 3, 3, 0]);
    // With scales 1 and 2 a common level l minimizes (l - 1)² + (2 l - 4)² at 9 / 5.
    const scaled = nonIncreasingNnls(columnsOf([1, 0], [0, 1]), Float64Array.of(1, 4), [1, 2], [1, 1]);
    expect(scaled[0]).toBeCloseTo(1.8, 12);
    expect(scaled[1]).toBeCloseTo(3.6, 12);
  });

  test('accepts zero columns and duplicate columns', () => {
    const columns = columnsOf([0, 0, 0], [1, 2, 3], [1, 2, 3]);
    const x = nnls(columns, Float64Array.of(2, 4, 6));
    expect(x[0]).toBe(0);
    expect((x[1] ?? 0) + (x[2] ?? 0)).toBeCloseTo(2, 12);
  });
});

describe('initial weights by Jette and Chen', () => {
  test('interpolate the power between the entries of their table', () => {
    expect(jetteChenPower(150, 0.3)).toBeCloseTo(1.66, 12);
    expect(jetteChenPower(175, 0.3)).toBeCloseTo(1.61, 12);
    expect(jetteChenPower(40, 0.1)).toBeCloseTo(1.72, 12);
    expect(jetteChenPower(300, 0.9)).toBeCloseTo(1.48, 12);
  });

  test('follow the formula for equidistant layers', () => {
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
