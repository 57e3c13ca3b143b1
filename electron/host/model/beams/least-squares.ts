/**
 * Least squares for matrices with few columns. Uses Householder reflections, because depth doses of neighbouring layers
 * make nearly dependent columns. Non-negative least squares (NNLS): the x >= 0 that minimizes |A x - b|, by the
 * active-set method of C. L. Lawson and R. J. Hanson, Solving Least Squares Problems (1974), chapter 23. A matrix is a
 * list of columns, each as long as the right-hand side.
 */
type Columns = readonly Float64Array[];

const dot = (a: Float64Array, b: Float64Array, from = 0): number => {
  let sum = 0;
  for (let i = from; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
};

/** Reflects `column` by the vector `v`, whose entries before `from` are 0. `square` is |v|². */
function applyReflection(column: Float64Array, v: Float64Array, from: number, square: number): void {
  const factor = (2 * dot(v, column, from)) / square;
  for (let i = from; i < column.length; i += 1) column[i] = (column[i] ?? 0) - factor * (v[i] ?? 0);
}

interface TriangularSystem {
  /** Columns of the triangular matrix. */
  readonly triangle: readonly Float64Array[];
  readonly right: Float64Array;
  /** False for each column that depends linearly on the columns before it. */
  readonly used: readonly boolean[];
}

/**
 * Transforms the matrix to triangular form by reflections, together with the right-hand side. The least-squares
 * solution stays the same.
 */
function reduceToTriangular(columns: Columns, b: Float64Array): TriangularSystem {
  const a = columns.map((column) => column.slice());
  const right = b.slice();
  const least = 1e-12 * Math.max(...columns.map((column) => Math.sqrt(dot(column, column))), Number.MIN_VALUE);
  const used: boolean[] = [];
  for (const [k, column] of a.entries()) {
    const length = Math.sqrt(dot(column, column, k));
    used.push(length > least && k < b.length);
    if (!used[k]) continue;
    const v = new Float64Array(b.length);
    for (let i = k; i < b.length; i += 1) v[i] = column[i] ?? 0;
    v[k] = (v[k] ?? 0) + ((column[k] ?? 0) < 0 ? -length : length);
    const square = dot(v, v, k);
    for (const later of a.slice(k)) applyReflection(later, v, k, square);
    applyReflection(right, v, k, square);
  }
  return { triangle: a, right, used };
}

/** The x that minimizes |A x - b|. Entries for columns that depend linearly on earlier columns are 0. */
export function leastSquares(columns: Columns, b: Float64Array): Float64Array {
  const { triangle: a, right, used } = reduceToTriangular(columns, b);
  const x = new Float64Array(columns.length);
  for (let k = columns.length - 1; k >= 0; k -= 1) {
    if (!used[k]) continue;
    let rest = right[k] ?? 0;
    for (let j = k + 1; j < columns.length; j += 1) rest -= (a[j]?.[k] ?? 0) * (x[j] ?? 0);
    x[k] = rest / (a[k]?.[k] ?? 1);
  }
  return x;
}

/** Product A x. */
export function multiplyMatrix(columns: Columns, x: ArrayLike<number>): Float64Array {
  const sum = new Float64Array(columns[0]?.length ?? 0);
  for (const [k, column] of columns.entries()) {
    for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) + (x[k] ?? 0) * (column[i] ?? 0);
  }
  return sum;
}

/**
 * Maximum number of rounds per column. Each round frees one column, so more rounds mean a cycle caused by rounding.
 */
const MAX_ROUNDS_PER_COLUMN = 5;

interface Solution {
  readonly columns: Columns;
  readonly b: Float64Array;
  readonly x: Float64Array;
  readonly free: Set<number>;
}

/** Solves for the free columns. Columns whose entries would become negative are fixed at 0. */
function solveFreeColumns({ columns, b, x, free }: Solution): void {
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

/** Reduces a tall matrix to as many rows as columns, without changing the solution, so that each round is cheaper. */
function reduceRows(columns: Columns, b: Float64Array): readonly [columns: Columns, b: Float64Array] {
  const n = columns.length;
  if (b.length <= 2 * n) return [columns, b];
  const { triangle, right } = reduceToTriangular(columns, b);
  return [triangle.map((column) => column.slice(0, n)), right.slice(0, n)];
}

/**
 * Non-negative least squares. `start`: initial values, 0 by default; they affect the running time but not the result.
 */
export function nnls(given: Columns, b: Float64Array, start?: ArrayLike<number>): Float64Array {
  const lengths = given.map((column) => Math.sqrt(column.reduce((sum, value) => sum + value * value, 0)));
  const unit = given.map((column, k) => column.map((value) => value / (lengths[k] || 1)));
  const begun = lengths.map((length, k) => length * (start?.[k] ?? 0));
  const scaled = nnlsWithUnitColumns(...reduceRows(unit, b), begun);
  return scaled.map((value, k) => value / (lengths[k] || 1));
}

/**
 * Non-negative least squares with additional equations. Each row of `rows` has the coefficients of a sum that should be
 * 0.
 */
export function regularisedNnls(
  columns: Columns,
  b: Float64Array,
  rows: readonly Float64Array[],
  start?: ArrayLike<number>,
): Float64Array {
  const longer = columns.map((column, k) => Float64Array.of(...column, ...rows.map((row) => row[k] ?? 0)));
  return nnls(longer, Float64Array.of(...b, ...rows.map(() => 0)), start);
}

/**
 * Non-negative least squares whose solution, divided by `scales` (1 by default), does not increase along the list. Each
 * scaled unknown is a sum of non-negative steps from its position to the end of the list.
 */
export function nonIncreasingNnls(
  columns: Columns,
  b: Float64Array,
  scales: ArrayLike<number> = columns.map(() => 1),
  start?: ArrayLike<number>,
): Float64Array {
  const before = new Float64Array(b.length);
  const sums = columns.map((column, k) => {
    for (let i = 0; i < before.length; i += 1) before[i] = (before[i] ?? 0) + (scales[k] ?? 1) * (column[i] ?? 0);
    return before.slice();
  });
  const level = (k: number): number => (k < columns.length ? (start?.[k] ?? 0) / (scales[k] ?? 1) : 0);
  const steps = nnls(
    sums,
    b,
    columns.map((_, k) => Math.max(0, level(k) - level(k + 1))),
  );
  let sum = 0;
  const x = new Float64Array(columns.length);
  for (let k = x.length - 1; k >= 0; k -= 1) {
    sum += steps[k] ?? 0;
    x[k] = (scales[k] ?? 1) * sum;
  }
  return x;
}

/** Non-negative least squares for a matrix whose columns have length 1 or 0. */
function nnlsWithUnitColumns(columns: Columns, b: Float64Array, start: readonly number[]): Float64Array {
  const n = columns.length;
  const x = Float64Array.from(start, (value) => Math.max(0, value));
  const free = new Set([...x.keys()].filter((k) => (x[k] ?? 0) > 0));
  const kept: Solution = { columns, b, x, free };
  solveFreeColumns(kept);
  const size = Math.sqrt(b.reduce((sum, value) => sum + value * value, 0));
  for (let round = 0; round < MAX_ROUNDS_PER_COLUMN * n; round += 1) {
    const residual = multiplyMatrix(columns, x).map((value, i) => (b[i] ?? 0) - value);
    let [best, steepest] = [-1, 0];
    for (const [k, column] of columns.entries()) {
      if (free.has(k)) continue;
      const slope = column.reduce((sum, value, i) => sum + value * (residual[i] ?? 0), 0);
      if (slope > 1e-12 * size && slope > steepest) [best, steepest] = [k, slope];
    }
    if (best < 0) return x;
    free.add(best);
    solveFreeColumns(kept);
  }
  return x;
}
