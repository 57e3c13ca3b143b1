/** Very many lines across several axes, as how many pass a place: no line is left out, and none is seen alone. */
import type { DrawingTheme } from '../../drawing/theme.ts';

/** More lines than this are drawn by density. */
export const MOST_LINES = 5_000;
/** Places that lines pass, all lines together: a fraction of a second. */
const MOST_PASSED = 3e7;
const LEAST_COLUMNS = 24;
const WEAKEST = 0.15;
/** Colours that single lines have: as many strokes of the canvas. */
const TINTS = 64;

/** An axis: where each line crosses it, from 0 to 1. */
export type Crossings = Float32Array;
/** Selected range of an axis, from 0 to 1; null if unrestricted. */
export type Kept = readonly [low: number, high: number] | null;

interface LineDensity {
  readonly width: number;
  readonly height: number;
  /** Lines through each place, row by row from above. */
  readonly counts: Uint32Array;
  /** Sums of the values that colour these lines, from 0 to 1. */
  readonly sums: Float32Array;
}

/** 1 for each line within the selected range of every axis. */
export function keptLines(axes: readonly Crossings[], kept: readonly Kept[]): Uint8Array {
  const count = axes[0]?.length ?? 0;
  const on = new Uint8Array(count).fill(1);
  for (const [k, axis] of axes.entries()) {
    const range = kept[k] ?? null;
    if (range === null) continue;
    const [low, high] = range;
    for (let i = 0; i < count; i += 1) {
      const at = axis[i] ?? 0;
      if (at < low || at > high) on[i] = 0;
    }
  }
  return on;
}

/** Lines between two axes that cross both in the same pixels: one path, and how many take it. */
interface Bundles {
  /** Rows of pixels from above: left × height + right. */
  readonly paths: readonly number[];
  readonly counts: Uint32Array;
  readonly sums: Float32Array;
}

function bundled(left: Crossings, right: Crossings, on: Uint8Array, colours: Crossings, height: number): Bundles {
  const counts = new Uint32Array(height * height);
  const sums = new Float32Array(height * height);
  const paths: number[] = [];
  const rowOf = (at = 0): number => Math.round((1 - at) * (height - 1));
  for (let i = 0; i < on.length; i += 1) {
    if (on[i] === 0) continue;
    const path = rowOf(left[i]) * height + rowOf(right[i]);
    if (counts[path] === 0) paths.push(path);
    counts[path] = (counts[path] ?? 0) + 1;
    sums[path] = (sums[path] ?? 0) + (colours[i] ?? 0);
  }
  return { paths, counts, sums };
}

/** `most`: places across, at the best. */
export function densityOf(
  axes: readonly Crossings[],
  on: Uint8Array,
  colours: Crossings,
  { most, height }: { readonly most: number; readonly height: number },
): LineDensity {
  const panels = axes.slice(1).map((right, k) => bundled(axes[k] ?? new Float32Array(), right, on, colours, height));
  const all = Math.max(
    1,
    panels.reduce((sum, { paths }) => sum + paths.length, 0),
  );
  const columns = Math.max(LEAST_COLUMNS, Math.floor(Math.min(most / Math.max(1, panels.length), MOST_PASSED / all)));
  const width = Math.max(1, panels.length) * columns;
  const counts = new Uint32Array(width * height);
  const sums = new Float32Array(width * height);
  for (const [k, bundles] of panels.entries()) {
    for (const path of bundles.paths) {
      const [count, colour] = [bundles.counts[path] ?? 0, bundles.sums[path] ?? 0];
      const [from, to] = [Math.floor(path / height), path % height];
      // At the middle of each column.
      const slope = (to - from) / columns;
      let y = from + 0.5 + slope / 2;
      let place = k * columns;
      for (let column = 0; column < columns; column += 1, y += slope, place += 1) {
        const at = place + (y | 0) * width;
        counts[at] = (counts[at] ?? 0) + count;
        sums[at] = (sums[at] ?? 0) + colour;
      }
    }
  }
  return { width, height, counts, sums };
}

/** The line that passes nearest to a place, both from 0 to 1, where one is as near as `reach`; null: none. */
export function nearestLine(
  axes: readonly Crossings[],
  on: Uint8Array,
  { across, up, reach }: { readonly across: number; readonly up: number; readonly reach: number },
): number | null {
  const last = axes.length - 1;
  const k = Math.max(0, Math.min(last - 1, Math.floor(across * last)));
  const share = across * last - k;
  const [left, right] = [axes[k], axes[k + 1]];
  if (left === undefined || right === undefined) return null;
  let [found, least]: [number | null, number] = [null, reach];
  for (let i = 0; i < on.length; i += 1) {
    if (on[i] === 0) continue;
    const far = Math.abs((left[i] ?? 0) * (1 - share) + (right[i] ?? 0) * share - up);
    if (far <= least) [found, least] = [i, far];
  }
  return found;
}

/** Red, green and blue from one end of a scale to the other. */
function scaleOf(theme: DrawingTheme, steps: number): Uint8ClampedArray {
  // Seen on either paper from end to end.
  const colours = [theme.accent, theme.textMuted, theme.reference];
  const context = new OffscreenCanvas(steps, 1).getContext('2d', { willReadFrequently: true });
  if (context === null) return new Uint8ClampedArray(4 * steps);
  const gradient = context.createLinearGradient(0, 0, steps, 0);
  for (const [i, colour] of colours.entries()) gradient.addColorStop(i / (colours.length - 1), colour);
  context.fillStyle = gradient;
  context.fillRect(0, 0, steps, 1);
  return context.getImageData(0, 0, steps, 1).data;
}

/** As strong as the logarithm of how many lines pass, in the mean of their colours. */
export function paintDensity(canvas: HTMLCanvasElement, density: LineDensity, theme: DrawingTheme): void {
  const { width, height, counts, sums } = density;
  const STEPS = 256;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return;
  canvas.width = width;
  canvas.height = height;
  const scale = scaleOf(theme, STEPS);
  const image = context.createImageData(width, height);
  const full = Math.log1p(counts.reduce((a, b) => Math.max(a, b), 1));
  const { data } = image;
  for (let i = 0; i < counts.length; i += 1) {
    const count = counts[i] ?? 0;
    if (count === 0) continue;
    const from = 4 * Math.min(STEPS - 1, Math.round(((STEPS - 1) * (sums[i] ?? 0)) / count));
    for (let part = 0; part < 3; part += 1) data[4 * i + part] = scale[from + part] ?? 0;
    data[4 * i + 3] = 255 * (WEAKEST + ((1 - WEAKEST) * Math.log1p(count)) / full);
  }
  context.putImageData(image, 0, 0);
}

/** Few lines, each by itself. */
export function paintLines(
  canvas: HTMLCanvasElement,
  axes: readonly Crossings[],
  on: Uint8Array,
  colours: Crossings,
  { width, height, theme }: { readonly width: number; readonly height: number; readonly theme: DrawingTheme },
): void {
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return;
  const dots = globalThis.devicePixelRatio || 1;
  canvas.width = Math.round(width * dots);
  canvas.height = Math.round(height * dots);
  context.scale(dots, dots);
  const scale = scaleOf(theme, TINTS);
  const paths = Array.from({ length: TINTS }, () => new Path2D());
  const step = width / Math.max(1, axes.length - 1);
  for (let i = 0; i < on.length; i += 1) {
    if (on[i] === 0) continue;
    const path = paths[Math.min(TINTS - 1, Math.floor((colours[i] ?? 0) * TINTS))];
    for (const [k, axis] of axes.entries()) {
      const place = [k * step, (1 - (axis[i] ?? 0)) * height] as const;
      if (k === 0) path?.moveTo(...place);
      else path?.lineTo(...place);
    }
  }
  context.globalAlpha = Math.max(WEAKEST, Math.min(0.8, 200 / Math.max(1, on.length)));
  for (const [k, path] of paths.entries()) {
    context.strokeStyle = `rgb(${scale[4 * k] ?? 0} ${scale[4 * k + 1] ?? 0} ${scale[4 * k + 2] ?? 0})`;
    context.stroke(path);
  }
}
