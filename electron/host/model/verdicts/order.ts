/** Order statistics. */

/**
 * Sorted copy. A typed array sorts without a comparison function, which would block the event loop for thousands of
 * numbers.
 */
export const sortedCopy = (values: ArrayLike<number>): Float64Array => new Float64Array(values).sort();

/** Quantile `q` (0 to 1), interpolated linearly between order statistics; NaN for an empty array. */
export function quantile(values: ArrayLike<number>, q: number): number {
  return sortedQuantile(sortedCopy(values), q);
}

/** Quantile of values that are already sorted. Several quantiles then need only one sort. */
export function sortedQuantile(sorted: Float64Array, q: number): number {
  const position = (sorted.length - 1) * q;
  const low = Math.floor(position);
  const below = sorted[low] ?? Number.NaN;
  const above = sorted[Math.min(low + 1, sorted.length - 1)] ?? Number.NaN;
  return below + (above - below) * (position - low);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Unbiased sample variance; NaN for fewer than two values. */
export function variance(values: readonly number[]): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
}
