/** The smooth curve through cell means, against its equations solved by hand. */
import { expect, it } from 'vitest';
import { cellCurve } from '../../../../../../electron/host/workloads/transport/metrics/cell-curve.ts';

it('has the edges that the equal slopes on both sides of each give', () => {
  // One cell is flat. Two, of means 1 and 3: 2a + b = 3, a + 4b + c = 12 and b + 2c = 9, so a, b, c are 0.5, 2, 3.5.
  expect([...cellCurve(0, 1, Float64Array.of(2)).edges]).toEqual([2, 2]);
  const { edges } = cellCurve(0, 1, Float64Array.of(1, 3));
  for (const [i, value] of [0.5, 2, 3.5].entries()) expect(edges[i]).toBeCloseTo(value, 12);
});
