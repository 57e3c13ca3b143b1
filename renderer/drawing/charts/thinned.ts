/** Long lines as pixels tell them apart: of each column of pixels the first, lowest, highest and last point. */
import { scaleOf } from '../figures/axes.ts';
import type { Box } from '../plot-frame.ts';
import type { ChartAxis, LineSeries } from './chart.ts';

const isDrawable = (value: number, { kind }: ChartAxis): boolean =>
  Number.isFinite(value) && (kind !== 'log' || value > 0);

interface Axes {
  readonly x: ChartAxis;
  readonly y: ChartAxis;
}

/**
 * Which points draw the same line within a plot of that width, in their order; null: all of them, as x does not grow.
 * A gap stays one; what lies outside keeps the points that lead there. Of a band's `edge` a column keeps that end alone.
 */
export function thinned(
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
  { x, y }: Axes,
  { width }: Pick<Box, 'width'>,
  edge?: LineSeries['edge'],
): Uint32Array | null {
  const columns = Math.max(1, Math.round(width));
  const { toPixel } = scaleOf(x, 0, columns);
  const kept = new Uint32Array(xs.length);
  let count = 0;
  let [before, column, gap] = [Number.NEGATIVE_INFINITY, Number.NaN, false];
  /** Points of the column that is gathered; -1: none. */
  let [first, low, high, last] = [-1, -1, -1, -1];
  const flush = (): void => {
    if (first < 0) return;
    if (edge !== undefined && column >= 0 && column < columns) {
      kept[count++] = edge === 'low' ? low : high;
      first = -1;
      return;
    }
    const [early, late] = low < high ? [low, high] : [high, low];
    kept[count++] = first;
    if (early !== first && early !== last) kept[count++] = early;
    if (late !== early && late !== first && late !== last) kept[count++] = late;
    if (last !== first) kept[count++] = last;
    first = -1;
  };
  for (let i = 0; i < xs.length; i += 1) {
    const [across, up] = [xs[i] ?? Number.NaN, ys[i] ?? Number.NaN];
    if (!isDrawable(across, x) || !isDrawable(up, y)) {
      flush();
      if (!gap) kept[count++] = i;
      gap = true;
      continue;
    }
    if (across < before) return null;
    before = across;
    gap = false;
    // Left and right of the plot are a column each.
    const at = Math.max(-1, Math.min(columns, Math.floor(toPixel(across))));
    if (at !== column) flush();
    column = at;
    if (first < 0) [first, low, high] = [i, i, i];
    if (up < (ys[low] ?? up)) low = i;
    if (up > (ys[high] ?? up)) high = i;
    last = i;
  }
  flush();
  return kept.slice(0, count);
}
