/**
 * Parallel coordinates: each point is a line across one axis per column, linear or logarithmic. Very many lines are
 * drawn as density: every line counts, but single lines are not visible.
 */
import { significant } from '../../../electron/domain/numbers.ts';
import { axisTitle } from '../../drawing/axes.ts';
import { type FigureAxis, scaleOf, verticalTicks } from '../../drawing/figures/axes.ts';
import type { DrawingTheme } from '../../drawing/theme.ts';
import type { HeatSide } from './heat-map.ts';
import { columnTitle } from './words.ts';

/** Maximum number of lines that are drawn as strokes; more are drawn as density. */
export const MAX_LINES = 5_000;
/** Maximum number of pixel updates for all lines together, which limits drawing to less than a second. */
const MAX_PASSED = 3e7;
const MIN_COLUMNS = 24;
const MIN_LINE_OPACITY = 0.15;
/** Number of colours for lines that are not drawn as density. All lines of a colour are one stroke. */
const TINTS = 64;

/** Positions at which the lines cross an axis, from 0 (bottom) to 1. */
type Crossings = Float32Array;
/** Selected range of an axis, from 0 to 1; null if unrestricted. */
export type AxisRange = readonly [low: number, high: number] | null;

interface LineDensity {
  readonly width: number;
  readonly height: number;
  /** Number of lines through each pixel, row by row from the top. */
  readonly counts: Uint32Array;
  /** Sum over these lines of the values for colour, from 0 to 1. */
  readonly sums: Float32Array;
}

/** 1 for each line inside the selected range of every axis. */
export function selectedLines(axes: readonly Crossings[], kept: readonly AxisRange[]): Uint8Array {
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

/** Lines between two axes, grouped by the pixels in which they cross both axes. Each group is drawn as one path. */
interface Bundles {
  /** Path index: pixel row at the left axis × height + pixel row at the right axis. Rows count from the top. */
  readonly paths: readonly number[];
  readonly counts: Uint32Array;
  readonly sums: Float32Array;
}

function bundlePaths(left: Crossings, right: Crossings, on: Uint8Array, colours: Crossings, height: number): Bundles {
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

/** Computes the line density. `most`: maximum number of pixel columns. */
export function densityOf(
  axes: readonly Crossings[],
  on: Uint8Array,
  colours: Crossings,
  { most, height }: { readonly most: number; readonly height: number },
): LineDensity {
  const panels = axes
    .slice(1)
    .map((right, k) => bundlePaths(axes[k] ?? new Float32Array(), right, on, colours, height));
  const all = Math.max(
    1,
    panels.reduce((sum, { paths }) => sum + paths.length, 0),
  );
  const columns = Math.max(MIN_COLUMNS, Math.floor(Math.min(most / Math.max(1, panels.length), MAX_PASSED / all)));
  const width = Math.max(1, panels.length) * columns;
  const counts = new Uint32Array(width * height);
  const sums = new Float32Array(width * height);
  for (const [k, bundles] of panels.entries()) {
    for (const path of bundles.paths) {
      const [count, colour] = [bundles.counts[path] ?? 0, bundles.sums[path] ?? 0];
      const [from, to] = [Math.floor(path / height), path % height];
      // Evaluate at the centre of each column.
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

/** Index of the line nearest to a position, in coordinates from 0 to 1; null if none is within `reach`. */
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

/** Colour scale as `steps` values of red, green, blue and opacity. */
function lineDensityScaleOf(theme: DrawingTheme, steps: number): Uint8ClampedArray {
  // Colours that are visible on a light and on a dark background.
  const colours = [theme.accent, theme.textMuted, theme.reference];
  const context = new OffscreenCanvas(steps, 1).getContext('2d', { willReadFrequently: true });
  if (context === null) return new Uint8ClampedArray(4 * steps);
  const gradient = context.createLinearGradient(0, 0, steps, 0);
  for (const [i, colour] of colours.entries()) gradient.addColorStop(i / (colours.length - 1), colour);
  context.fillStyle = gradient;
  context.fillRect(0, 0, steps, 1);
  return context.getImageData(0, 0, steps, 1).data;
}

/** Opacity by the logarithm of the line count, in the mean colour of the lines. */
export function paintDensity(canvas: HTMLCanvasElement, density: LineDensity, theme: DrawingTheme): void {
  const { width, height, counts, sums } = density;
  const STEPS = 256;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return;
  canvas.width = width;
  canvas.height = height;
  const scale = lineDensityScaleOf(theme, STEPS);
  const image = context.createImageData(width, height);
  const full = Math.log1p(counts.reduce((a, b) => Math.max(a, b), 1));
  const { data } = image;
  for (let i = 0; i < counts.length; i += 1) {
    const count = counts[i] ?? 0;
    if (count === 0) continue;
    const from = 4 * Math.min(STEPS - 1, Math.round(((STEPS - 1) * (sums[i] ?? 0)) / count));
    for (let part = 0; part < 3; part += 1) data[4 * i + part] = scale[from + part] ?? 0;
    data[4 * i + 3] = 255 * (MIN_LINE_OPACITY + ((1 - MIN_LINE_OPACITY) * Math.log1p(count)) / full);
  }
  context.putImageData(image, 0, 0);
}

/** Draws up to MAX_LINES lines, with one stroke for all lines of a colour. */
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
  const scale = lineDensityScaleOf(theme, TINTS);
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
  context.globalAlpha = Math.max(MIN_LINE_OPACITY, Math.min(0.8, 200 / Math.max(1, on.length)));
  for (const [k, path] of paths.entries()) {
    context.strokeStyle = `rgb(${scale[4 * k] ?? 0} ${scale[4 * k + 1] ?? 0} ${scale[4 * k + 2] ?? 0})`;
    context.stroke(path);
  }
}

export interface ParallelAxis {
  readonly key: string;
  /** Title with its unit. */
  readonly title: string;
  /** Position at which each line crosses the axis, from 0 (bottom) to 1. */
  readonly at: Crossings;
  /** Scale of the axis: numbers, or names from the bottom. */
  readonly along: FigureAxis | readonly string[];
}

interface ParallelPlot {
  readonly axes: readonly ParallelAxis[];
  /** Row number of each line. */
  readonly rows: Uint32Array;
  /** Number of points without a line, because a value is missing. */
  readonly omitted: number;
}

interface AxisTick {
  /** Position from 0 to 1. */
  readonly at: number;
  readonly text: string;
}

const isNamed = (along: ParallelAxis['along']): along is readonly string[] => Array.isArray(along);
/** Minimum number of labels for a readable axis. */
const MIN_LABELS = 3;
/** Line height of category labels on an axis, in label heights. */
const NAME_LINE = 1.3;
const byNumber = new Intl.Collator('en', { numeric: true });

/**
 * Positions of the rows on an axis. The loop uses an index because `Float32Array.from` with a function is ten times
 * slower.
 */
function axisPositions(rows: Uint32Array, place: (i: number) => number): Float32Array {
  const out = new Float32Array(rows.length);
  for (let k = 0; k < rows.length; k += 1) out[k] = place(rows[k] ?? 0);
  return out;
}

function namedAxis(texts: readonly string[], rows: Uint32Array): Pick<ParallelAxis, 'at' | 'along'> {
  const names = [...new Set(Array.from(rows, (i) => texts[i] ?? ''))].toSorted(byNumber.compare);
  const places = new Map(names.map((name, k) => [name, names.length === 1 ? 0.5 : k / (names.length - 1)]));
  return { at: axisPositions(rows, (i) => places.get(texts[i] ?? '') ?? 0), along: names };
}

function numberedAxis(
  { info, numbers }: Extract<HeatSide, { readonly numbers: Float64Array }>,
  log: boolean,
  rows: Uint32Array,
): Pick<ParallelAxis, 'at' | 'along'> {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const i of rows) {
    const value = numbers[i] ?? 0;
    from = Math.min(from, value);
    to = Math.max(to, value);
  }
  if (!(from <= to)) [from, to] = log ? [1, 10] : [0, 1];
  // Give a single value some room, so that it is in the middle.
  else if (from === to) [from, to] = log ? [from / 2, from * 2] : [from - 0.5, from + 0.5];
  const along = { title: info.name, unit: info.unit, kind: log ? 'log' : 'linear', from, to } as const;
  const { toPixel } = scaleOf(along, 0, 1);
  return { at: axisPositions(rows, (i) => toPixel(numbers[i] ?? 0)), along };
}

/** `logs`: keys of columns with a logarithmic axis. */
export function parallelPlotOf(sides: readonly HeatSide[], logs: ReadonlySet<string>): ParallelPlot {
  const isLog = ({ info, numbers }: HeatSide): boolean => numbers !== undefined && logs.has(info.key);
  const length = sides[0]?.numbers?.length ?? sides[0]?.texts?.length ?? 0;
  const has = new Uint8Array(length).fill(1);
  for (const side of sides) {
    if (side.numbers === undefined) continue;
    const log = isLog(side);
    for (const [i, value] of side.numbers.entries()) if (!Number.isFinite(value) || (log && value <= 0)) has[i] = 0;
  }
  const rows = Uint32Array.from({ length: has.reduce((sum, one) => sum + one, 0) });
  let line = 0;
  for (const [i, one] of has.entries()) if (one === 1) rows[line++] = i;
  const axes = sides.map((side): ParallelAxis => {
    const found = side.numbers === undefined ? namedAxis(side.texts, rows) : numberedAxis(side, isLog(side), rows);
    return { key: side.info.key, title: columnTitle(side.info), ...found };
  });
  return { axes, rows, omitted: length - rows.length };
}

/** Ticks of an axis with this height, and its title with the power of ten that the ticks omit. */
export function ticksOf(
  { along, title }: ParallelAxis,
  height: number,
  label: number,
): { readonly ticks: readonly AxisTick[]; readonly title: string } {
  if (isNamed(along)) {
    const every = Math.max(1, Math.ceil((along.length * NAME_LINE * label) / Math.max(1, height)));
    const last = Math.max(1, along.length - 1);
    const ticks = along.map((text, k) => ({ text, at: along.length === 1 ? 0.5 : k / last }));
    return { ticks: ticks.filter((_, k) => k % every === 0), title };
  }
  const { toPixel } = scaleOf(along, 0, 1);
  const own = verticalTicks(along, { height }, label);
  // If a short logarithmic span has too few labelled digits, use linear steps placed on the logarithmic scale.
  const isBare = own.ticks.filter((tick) => tick.label !== '').length < MIN_LABELS;
  const { ticks, exponent } = isBare ? verticalTicks({ ...along, kind: 'linear' }, { height }, label) : own;
  const within = ticks.map(({ value, label: text }) => ({ at: toPixel(value), text }));
  return {
    ticks: within.filter(({ at }) => at >= -1e-6 && at <= 1 + 1e-6),
    title: exponent === 0 ? title : axisTitle(along.title, along.unit, exponent),
  };
}

/** Text of the value at a position on the axis. */
export function valueTextAt({ along }: ParallelAxis, at: number): string {
  if (isNamed(along)) return along[Math.round(at * (along.length - 1))] ?? '';
  return `${significant(scaleOf(along, 0, 1).toValue(at), 4)} ${along.unit}`.trimEnd();
}
