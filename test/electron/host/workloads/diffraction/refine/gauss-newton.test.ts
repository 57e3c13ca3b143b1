/** Least squares by Gauss and Newton. */
import { expect, test } from 'vitest';
import {
  gaussNewton,
  type NormalEquations,
  solved,
} from '../../../../../../electron/host/workloads/diffraction/refine/gauss-newton.ts';

test('a positive definite system is solved, another is none', () => {
  const found = solved(Float64Array.of(4, 2, 2, 3), Float64Array.of(10, 8));
  expect([...(found ?? [])].map((one) => Number(one.toFixed(12)))).toEqual([1.75, 1.5]);
  expect(solved(Float64Array.of(1, 2, 2, 1), Float64Array.of(1, 1))).toBeNull();
});

/** Residuals and their derivatives as normal equations. */
function equations(residuals: readonly number[], slopes: readonly (readonly number[])[]): NormalEquations {
  const count = slopes[0]?.length ?? 0;
  const square = new Float64Array(count * count);
  const right = new Float64Array(count);
  for (const [i, r] of residuals.entries()) {
    for (let u = 0; u < count; u += 1) {
      right[u] = (right[u] ?? 0) + (slopes[i]?.[u] ?? 0) * r;
      for (let v = 0; v < count; v += 1) {
        square[u * count + v] = (square[u * count + v] ?? 0) + (slopes[i]?.[u] ?? 0) * (slopes[i]?.[v] ?? 0);
      }
    }
  }
  return { square, right, residual: residuals.reduce((sum, r) => sum + r * r, 0) };
}

test('the valley of Rosenbrock is followed to its end, where a step alone would leave it', async () => {
  const found = await gaussNewton(Float64Array.of(-1.2, 1), { iterations: 100, step: 1e-9 }, async ([x = 0, y = 0]) =>
    equations(
      [10 * (y - x * x), 1 - x],
      [
        [-20 * x, 10],
        [-1, 0],
      ],
    ),
  );
  expect(found.converged).toBe(true);
  expect([...found.unknowns].map((one) => Number(one.toFixed(6)))).toEqual([1, 1]);
});

test('an unknown that nothing depends on stays where it is', async () => {
  const found = await gaussNewton(Float64Array.of(3, 5), { iterations: 10, step: 1e-9 }, async ([x = 0]) =>
    equations([x - 1], [[1, 0]]),
  );
  expect(found.converged).toBe(true);
  expect([...found.unknowns]).toEqual([1, 5]);
});
