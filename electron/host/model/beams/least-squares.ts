/** Least squares over a few columns, by Householder reflections: columns of depth doses are nearly alike. */

/** A matrix by its columns, all as long as the right-hand side. */
export type Columns = readonly Float64Array[];

const dot = (a: Float64Array, b: Float64Array, from = 0): number => {
  let sum = 0;
  for (let i = from; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
};

/** Reflects `column` by the vector `v`, which is 0 before `from`. */
function reflect(column: Float64Array, v: Float64Array, from: number, square: number): void {
  const factor = (2 * dot(v, column, from)) / square;
  for (let i = from; i < column.length; i += 1) column[i] = (column[i] ?? 0) - factor * (v[i] ?? 0);
}

/** The x that makes |A x - b| least. Columns that add nothing to those before them get 0. */
export function leastSquares(columns: Columns, b: Float64Array): Float64Array {
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
    for (const later of a.slice(k)) reflect(later, v, k, square);
    reflect(right, v, k, square);
  }
  const x = new Float64Array(columns.length);
  for (let k = columns.length - 1; k >= 0; k -= 1) {
    if (!used[k]) continue;
    let rest = right[k] ?? 0;
    for (let j = k + 1; j < columns.length; j += 1) rest -= (a[j]?.[k] ?? 0) * (x[j] ?? 0);
    x[k] = rest / (a[k]?.[k] ?? 1);
  }
  return x;
}

/** A x. */
export function combined(columns: Columns, x: ArrayLike<number>): Float64Array {
  const sum = new Float64Array(columns[0]?.length ?? 0);
  for (const [k, column] of columns.entries()) {
    for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] ?? 0) + (x[k] ?? 0) * (column[i] ?? 0);
  }
  return sum;
}
