/** Very many lines across several axes, as how many pass a place: no line is left out, and none is seen alone. */
import type { DrawingTheme } from '../../drawing/theme.ts';

/** More lines than this are drawn by density. */
export const MOST_LINES = 5_000;
/** Places that lines pass, all lines together: a fraction of a second. */
const MOST_PASSED = 3e7;
const LEAST_COLUMNS = 24;

/** An axis: where each line crosses it, from 0 to 1. */
export type Crossings = Float32Array;

export interface LineDensity {
  readonly width: number;
  readonly height: number;
  /** Lines through each place, row by row from above. */
  readonly counts: Uint32Array;
  /** Sums of the values that colour these lines, from 0 to 1. */
  readonly sums: Float32Array;
}

export function crossingsOf(values: ArrayLike<number>, [low, high]: readonly [number, number]): Crossings {
  const scale = high > low ? 1 / (high - low) : 0;
  return Float32Array.from(values, (value) => Math.min(1, Math.max(0, (value - low) * scale)));
}

/** Which lines are within what is kept of every axis; `kept` are ranges from 0 to 1, none for all. */
export function keptLines(
  axes: readonly Crossings[],
  kept: readonly (readonly (readonly [number, number])[])[],
): Uint8Array {
  const count = axes[0]?.length ?? 0;
  const on = new Uint8Array(count).fill(1);
  for (const [k, axis] of axes.entries()) {
    const ranges = kept[k] ?? [];
    if (ranges.length === 0) continue;
    for (let i = 0; i < count; i += 1) {
      const at = axis[i] ?? 0;
      if (!ranges.some(([low, high]) => low <= at && at <= high)) on[i] = 0;
    }
  }
  return on;
}

/** `most`: places across, at the best. */
export function densityOf(
  axes: readonly Crossings[],
  on: Uint8Array,
  colours: Crossings,
  { most, height }: { readonly most: number; readonly height: number },
): LineDensity {
  const panels = Math.max(1, axes.length - 1);
  const lines = Math.max(1, on.length);
  const columns = Math.max(LEAST_COLUMNS, Math.floor(Math.min(most, MOST_PASSED / lines) / panels));
  const width = panels * columns;
  const counts = new Uint32Array(width * height);
  const sums = new Float32Array(width * height);
  for (let k = 0; k < panels; k += 1) {
    const [left, right] = [axes[k], axes[k + 1]];
    if (left === undefined || right === undefined) continue;
    for (let i = 0; i < on.length; i += 1) {
      if (on[i] === 0) continue;
      const colour = colours[i] ?? 0;
      // From above, at the middle of each column.
      const slope = (((left[i] ?? 0) - (right[i] ?? 0)) * (height - 1)) / columns;
      let y = (1 - (left[i] ?? 0)) * (height - 1) + 0.5 + slope / 2;
      let place = k * columns;
      for (let column = 0; column < columns; column += 1, y += slope, place += 1) {
        const at = place + (y | 0) * width;
        counts[at] = (counts[at] ?? 0) + 1;
        sums[at] = (sums[at] ?? 0) + colour;
      }
    }
  }
  return { width, height, counts, sums };
}

/** Red, green and blue from one end of a scale to the other. */
function scaleOf(colours: readonly string[]): Uint8ClampedArray {
  const STEPS = 256;
  const canvas = new OffscreenCanvas(STEPS, 1);
  const context = canvas.getContext('2d');
  if (context === null) return new Uint8ClampedArray(4 * STEPS);
  const gradient = context.createLinearGradient(0, 0, STEPS, 0);
  for (const [i, colour] of colours.entries()) gradient.addColorStop(i / (colours.length - 1), colour);
  context.fillStyle = gradient;
  context.fillRect(0, 0, STEPS, 1);
  return context.getImageData(0, 0, STEPS, 1).data;
}

/** As strong as the logarithm of how many lines pass, in the mean of their colours. */
export function paintDensity(canvas: HTMLCanvasElement, density: LineDensity, theme: DrawingTheme): void {
  const { width, height, counts, sums } = density;
  const WEAKEST = 0.15;
  const context = canvas.getContext('2d');
  if (context === null) return;
  canvas.width = width;
  canvas.height = height;
  const scale = scaleOf([theme.accent, theme.textMuted, theme.reference]);
  const image = context.createImageData(width, height);
  const full = Math.log1p(counts.reduce((a, b) => Math.max(a, b), 1));
  for (let i = 0; i < counts.length; i += 1) {
    const count = counts[i] ?? 0;
    if (count === 0) continue;
    const from = 4 * Math.min(255, Math.round((255 * (sums[i] ?? 0)) / count));
    for (const part of [0, 1, 2]) image.data[4 * i + part] = scale[from + part] ?? 0;
    image.data[4 * i + 3] = 255 * (WEAKEST + ((1 - WEAKEST) * Math.log1p(count)) / full);
  }
  context.putImageData(image, 0, 0);
}
