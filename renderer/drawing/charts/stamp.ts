/** Very many dots, stamped into pixels one by one: as elements, or by WebGL, they take longer than all else of a chart. */
import { scaleOf } from '../figures/axes.ts';
import type { Box } from '../plot-frame.ts';
import type { DotSeries, Pane } from './chart.ts';

/** Pixels from a plot's upper left; NaN: outside of it, or nowhere on its axes. */
export interface Places {
  readonly x: Float32Array;
  readonly y: Float32Array;
}

export function placesOf(
  { x: xs, y: ys }: Pick<DotSeries, 'x' | 'y'>,
  { x, y }: Pick<Pane, 'x' | 'y'>,
  { width, height }: Pick<Box, 'width' | 'height'>,
): Places {
  const [across, down] = [scaleOf(x, 0, width), scaleOf(y, height, 0)];
  const places = { x: new Float32Array(xs.length), y: new Float32Array(xs.length) };
  for (let i = 0; i < xs.length; i += 1) {
    const [left, top] = [across.toPixel(xs[i] ?? Number.NaN), down.toPixel(ys[i] ?? Number.NaN)];
    const isWithin = left >= 0 && left <= width && top >= 0 && top <= height;
    places.x[i] = isWithin ? left : Number.NaN;
    places.y[i] = isWithin ? top : Number.NaN;
  }
  return places;
}

/** That which is nearest to a place, the last of equals, which lies above; null: none within `reach`. */
export function nearestPlace(
  { x, y }: Places,
  [left, top]: readonly [left: number, top: number],
  reach: number,
): { readonly i: number; readonly far: number } | null {
  let [found, least] = [-1, reach * reach];
  for (let i = 0; i < x.length; i += 1) {
    const [dx, dy] = [(x[i] ?? 0) - left, (y[i] ?? 0) - top];
    const far = dx * dx + dy * dy;
    if (far <= least) [found, least] = [i, far];
  }
  return found < 0 ? null : { i: found, far: Math.sqrt(least) };
}

interface Stamp {
  readonly form: DotSeries['form'];
  /** Pixels of the picture, as all here. */
  readonly radius: number;
  readonly opacity: number;
  readonly color: readonly [red: number, green: number, blue: number];
  /** Pixels of the picture for one of the places, and where the plot begins in it. */
  readonly scale: number;
  readonly pad: number;
}

/** Pixels across the line of a ring. */
const RING = 1;

/** How much of a pixel a dot covers whose middle is so far away. */
function coverage(form: Stamp['form'], radius: number, dx: number, dy: number): number {
  if (form === 'square') return radius + 0.5 - Math.max(Math.abs(dx), Math.abs(dy));
  const far = Math.sqrt(dx * dx + dy * dy);
  return form === 'ring' ? 0.5 + RING / 2 - Math.abs(radius - far) : radius + 0.5 - far;
}

/** Over what is in `picture`: red, green, blue and opacity of each pixel. */
export function stampDots(
  picture: { readonly data: Uint8ClampedArray; readonly width: number; readonly height: number },
  places: Places,
  { form, radius, opacity, color: [red, green, blue], scale, pad }: Stamp,
): void {
  const { data, width, height } = picture;
  // Dots of one colour may lie over each other in any order: what shines through is a product.
  const through = new Float32Array(width * height).fill(1);
  const reach = radius + 0.5 + (form === 'ring' ? RING / 2 : 0);
  let [top, bottom] = [height, 0];
  for (let i = 0; i < places.x.length; i += 1) {
    const [x, y] = [(places.x[i] ?? 0) * scale + pad, (places.y[i] ?? 0) * scale + pad];
    // Not a number is neither.
    if (!(x >= 0 && y >= 0)) continue;
    const [x0, x1] = [Math.max(0, Math.floor(x - reach)), Math.min(width - 1, Math.floor(x + reach))];
    const [y0, y1] = [Math.max(0, Math.floor(y - reach)), Math.min(height - 1, Math.floor(y + reach))];
    top = Math.min(top, y0);
    bottom = Math.max(bottom, y1 + 1);
    for (let row = y0; row <= y1; row += 1) {
      for (let column = x0; column <= x1; column += 1) {
        const covered = coverage(form, radius, column + 0.5 - x, row + 0.5 - y);
        if (covered <= 0) continue;
        const at = row * width + column;
        through[at] = (through[at] ?? 1) * (1 - opacity * Math.min(1, covered));
      }
    }
  }
  for (let at = top * width; at < bottom * width; at += 1) {
    const shines = through[at] ?? 1;
    if (shines === 1) continue;
    const [own, below] = [1 - shines, ((data[4 * at + 3] ?? 0) / 255) * shines];
    const all = own + below;
    data[4 * at] = (red * own + (data[4 * at] ?? 0) * below) / all;
    data[4 * at + 1] = (green * own + (data[4 * at + 1] ?? 0) * below) / all;
    data[4 * at + 2] = (blue * own + (data[4 * at + 2] ?? 0) * below) / all;
    data[4 * at + 3] = 255 * all;
  }
}
