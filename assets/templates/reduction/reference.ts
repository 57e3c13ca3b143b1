/** The expected answer, in FP64: one value. */
export function reference(a: Float64Array): Float64Array {
  return Float64Array.of(a.reduce((sum, value) => sum + value * value, 0));
}
