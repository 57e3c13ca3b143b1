/** Lateral penumbra: how far dose falls from 80 to 20 % at the sides of a beam, in one row of depth. */

/** Position between two neighbours where the straight line through them has `level`. */
function crossing(values: Float64Array, low: number, high: number, level: number): number {
  const [a, b] = [values[low] ?? 0, values[high] ?? 0];
  return low + ((high - low) * (level - a)) / (b - a || 1);
}

/** Cells from the middle out to where the dose is last above `level`, between cells; null where it is so at the edge. */
function reach(values: Float64Array, from: number, side: -1 | 1, level: number): number | null {
  for (let i = from; i + side >= 0 && i + side < values.length; i += side) {
    if ((values[i] ?? 0) >= level && (values[i + side] ?? 0) < level) return crossing(values, i, i + side, level);
  }
  return null;
}

/**
 * Penumbra in mm, mean of both sides, relative to the largest dose in `row` of [z][x]. Null if the dose reaches the
 * edge of the grid, or the falloff lies within a cell and is not resolved.
 */
export function penumbra_mm(dose: Float64Array, nx: number, row: number, dx_mm: number): number | null {
  const values = dose.subarray(row * nx, (row + 1) * nx);
  // A loop, as in fluenceMoments().
  let [highest, middle] = [0, -1];
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i] ?? 0;
    if (value > highest) [highest, middle] = [value, i];
  }
  if (middle < 0) return null;
  const sides = ([-1, 1] as const).map((side) => {
    const [inner, outer] = [reach(values, middle, side, 0.8 * highest), reach(values, middle, side, 0.2 * highest)];
    return inner === null || outer === null ? null : Math.abs(outer - inner);
  });
  const [left = null, right = null] = sides;
  if (left === null || right === null || left < 1 || right < 1) return null;
  return ((left + right) / 2) * dx_mm;
}
