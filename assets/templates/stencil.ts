/** The expected answer, in FP64: `count` results of a and b. */
export function expected(a: Float64Array, _b: Float64Array, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => ((a[i - 1] ?? 0) + (a[i] ?? 0) + (a[i + 1] ?? 0)) / 3);
}
