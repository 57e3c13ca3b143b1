/** The expected answer, in FP64: `count` results of a and b. */
export function expected(a: Float64Array): Float64Array {
  return Float64Array.of(a.reduce((sum, value) => sum + value * value, 0));
}
