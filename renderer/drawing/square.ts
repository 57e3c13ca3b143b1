/** Windows of which a cell is as wide as high. */
import type { Interval } from '../../electron/contract/fields.ts';

interface Ranges {
  readonly horizontal: Interval;
  readonly vertical: Interval;
}

/** In a plot of this size (CSS pixels) one unit of both axes is equally long: the narrower one is widened. */
export function squared(
  { horizontal, vertical }: Ranges,
  plot: { readonly width: number; readonly height: number },
): Ranges {
  const scale = Math.min(plot.width / (horizontal[1] - horizontal[0]), plot.height / (vertical[1] - vertical[0]));
  if (!(scale > 0) || !Number.isFinite(scale)) return { horizontal, vertical };
  const widened = ([from, to]: Interval, pixels: number): Interval => {
    const [middle, half] = [(from + to) / 2, pixels / scale / 2];
    return [middle - half, middle + half];
  };
  return { horizontal: widened(horizontal, plot.width), vertical: widened(vertical, plot.height) };
}
