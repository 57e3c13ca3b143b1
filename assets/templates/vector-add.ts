/** The expected answer, in FP64: `count` results of a and b. */
export function expected(a: Float64Array, b: Float64Array, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => (a[i] ?? 0) + (b[i] ?? 0));
}
