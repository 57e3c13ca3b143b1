/** Zooming and panning of one axis: a window within a whole. */
import type { Interval } from '../../electron/contract/fields.ts';

/** Deeper than a thousandth of the whole there are no cells left to see. */
const SMALLEST_SHARE = 1e-3;

/** `window` (undefined: the whole) scaled by `factor` around `at` and kept inside `whole`; null when it holds all of it. */
export function zoomed(whole: Interval, window: Interval | undefined, at: number, factor: number): Interval | null {
  const [from, to] = window ?? whole;
  const span = whole[1] - whole[0];
  const size = Math.max((to - from) * factor, span * SMALLEST_SHARE);
  if (size >= span * 0.999) return null;
  const share = (at - from) / (to - from);
  const start = Math.min(Math.max(at - share * size, whole[0]), whole[1] - size);
  return [start, start + size];
}

/** `window` moved by `delta` within `whole`; a whole axis does not move. */
export function panned(whole: Interval, window: Interval | undefined, delta: number): Interval | null {
  if (window === undefined) return null;
  const size = window[1] - window[0];
  const start = Math.min(Math.max(window[0] + delta, whole[0]), whole[1] - size);
  return [start, start + size];
}
