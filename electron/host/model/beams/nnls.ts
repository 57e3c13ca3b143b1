/**
 * Non-negative least squares: the x >= 0 that makes |A x - b| least, by the active-set method of C. L. Lawson and
 * R. J. Hanson, Solving Least Squares Problems (1974), chapter 23.
 */
import { type Columns, combined, leastSquares } from './least-squares.ts';

/** Each round lets one column in; more than a few per column is a cycle of rounding. */
const MOST_ROUNDS = 5;

interface Kept {
  readonly columns: Columns;
  readonly b: Float64Array;
  readonly x: Float64Array;
  readonly free: Set<number>;
}

/** Solves for the free columns, and lets go of those that would turn negative. */
function settle({ columns, b, x, free }: Kept): void {
  while (free.size > 0) {
    const chosen = [...free].sort((i, j) => i - j);
    const solved = leastSquares(
      chosen.map((k) => columns[k] ?? new Float64Array(b.length)),
      b,
    );
    let step = 1;
    chosen.forEach((k, i) => {
      const [from, to] = [x[k] ?? 0, solved[i] ?? 0];
      if (to <= 0) step = Math.min(step, from > to ? from / (from - to) : 0);
    });
    chosen.forEach((k, i) => {
      x[k] = (x[k] ?? 0) + step * ((solved[i] ?? 0) - (x[k] ?? 0));
    });
    if (step === 1) return;
    for (const [i, k] of chosen.entries()) {
      if ((solved[i] ?? 0) <= 0 && (x[k] ?? 0) <= 1e-14 * Math.abs(solved[i] ?? 0) + Number.MIN_VALUE) {
        x[k] = 0;
        free.delete(k);
      }
    }
  }
}

/** `start` are values to begin with: none, and all begin at 0. The result does not depend on them, its time does. */
export function nnls(given: Columns, b: Float64Array, start?: ArrayLike<number>): Float64Array {
  const lengths = given.map((column) => Math.sqrt(column.reduce((sum, value) => sum + value * value, 0)));
  const scaled = ofUnitColumns(
    given.map((column, k) => column.map((value) => value / (lengths[k] || 1))),
    b,
    lengths.map((length, k) => length * (start?.[k] ?? 0)),
  );
  return scaled.map((value, k) => value / (lengths[k] || 1));
}

/** The same for columns whose length is 1 or 0. */
function ofUnitColumns(columns: Columns, b: Float64Array, start: readonly number[]): Float64Array {
  const n = columns.length;
  const x = Float64Array.from(start, (value) => Math.max(0, value));
  const free = new Set([...x.keys()].filter((k) => (x[k] ?? 0) > 0));
  const kept: Kept = { columns, b, x, free };
  settle(kept);
  const size = Math.sqrt(b.reduce((sum, value) => sum + value * value, 0));
  for (let round = 0; round < MOST_ROUNDS * n; round += 1) {
    const residual = combined(columns, x).map((value, i) => (b[i] ?? 0) - value);
    let [best, steepest] = [-1, 0];
    for (const [k, column] of columns.entries()) {
      if (free.has(k)) continue;
      const slope = column.reduce((sum, value, i) => sum + value * (residual[i] ?? 0), 0);
      if (slope > 1e-12 * size && slope > steepest) [best, steepest] = [k, slope];
    }
    if (best < 0) return x;
    free.add(best);
    settle(kept);
  }
  return x;
}
