/** The expected answer, in FP64. */
export function reference(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => value + (b[i] ?? 0));
}
