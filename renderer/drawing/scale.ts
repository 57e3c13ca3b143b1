/** Maps a quantity to pixels and back. By hand: with ticks, contours and histogram it is 4 kB, d3-scale alone 29. */

export interface Scale {
  /** Quantity at the two ends of the axis. */
  readonly from: number;
  readonly to: number;
  /** Pixels of the two ends; `end` is smaller than `start` on an axis that points up. */
  readonly start: number;
  readonly end: number;
  toPixel(value: number): number;
  toValue(pixel: number): number;
}

export function linearScale(from: number, to: number, start: number, end: number): Scale {
  const slope = (end - start) / (to - from);
  return {
    from,
    to,
    start,
    end,
    toPixel: (value) => start + (value - from) * slope,
    toValue: (pixel) => from + (pixel - start) / slope,
  };
}

/** Both ends above zero. What is not above zero has no pixel: NaN. */
export function logScale(from: number, to: number, start: number, end: number): Scale {
  const inner = linearScale(Math.log10(from), Math.log10(to), start, end);
  return {
    from,
    to,
    start,
    end,
    toPixel: (value) => (value > 0 ? inner.toPixel(Math.log10(value)) : Number.NaN),
    toValue: (pixel) => 10 ** inner.toValue(pixel),
  };
}

/** Index of the cell that holds `value` on an axis of `count` equal cells, or -1 outside. The far edge belongs to the last cell. */
export function uniformCell(value: number, from: number, to: number, count: number): number {
  const fraction = (value - from) / (to - from);
  if (!(fraction >= 0 && fraction <= 1)) return -1;
  return Math.min(count - 1, Math.floor(fraction * count));
}

/** The same on ascending `edges` (count + 1 values). */
export function cellOfEdges(value: number, edges: ArrayLike<number>): number {
  const count = edges.length - 1;
  if (count < 1 || !(value >= (edges[0] ?? 0) && value <= (edges[count] ?? 0))) return -1;
  let low = 0;
  let high = count;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((edges[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  return low;
}
