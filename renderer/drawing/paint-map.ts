/** Paints a map on any context: field, contours, axes and colour bar. */
import type { FieldMap } from '../../electron/contract/fields.ts';
import { type Annotation, drawAnnotations, haloStroke, haloText, markTheme } from './annotations.ts';
import { drawFrame, drawHorizontalAxis, drawVerticalAxis, type PlotFrame } from './axes.ts';
import { type ColorBar, drawColorBar } from './color-bar.ts';
import {
  type ColorMap,
  drawableLimits,
  grey,
  type Limits,
  type Normalisation,
  normalisation,
  type OverlayOpacity,
  type ScaleKind,
  withOpacity,
} from './colormap.ts';
import type { Drawing2D } from './context-2d.ts';
import { type FieldImage, sampleEdge } from './field-image.ts';
import type { Scale } from './scale.ts';
import type { DrawingTheme } from './theme.ts';

// The histogram next to the colour bar counts a field's values along the scale.

/**
 * Maximum number of samples: more would not visibly change the histogram, which a live field recomputes with every
 * frame.
 */
const MAX_SAMPLES = 4096;

/** Counts per bin of the scale from 0 to 1, scaled so that the largest is 1. Values outside are not counted. */
export function histogram(values: Float32Array, scale: Normalisation, bins: number): Float32Array {
  const counts = new Float32Array(bins);
  const stride = Math.max(1, Math.floor(values.length / MAX_SAMPLES));
  for (let i = 0; i < values.length; i += stride) {
    const fraction = scale.fraction(values[i] ?? Number.NaN);
    if (!(fraction >= 0 && fraction <= 1)) continue;
    const bin = Math.min(bins - 1, Math.floor(fraction * bins));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  // Use logarithms of the counts, because the empty cells around a beam would hide the rest.
  let most = 0;
  for (let i = 0; i < bins; i += 1) {
    counts[i] = Math.log1p(counts[i] ?? 0);
    most = Math.max(most, counts[i] ?? 0);
  }
  if (most > 0) for (let i = 0; i < bins; i += 1) counts[i] = (counts[i] ?? 0) / most;
  return counts;
}

/**
 * Contour lines through the centres of a field's samples, by marching squares. Not d3-contour, because it closes lines
 * along the field's edge and returns objects instead of one array.
 */
interface Contour {
  readonly value: number;
  readonly label: string;
  /** Line segments of two points each: x0, y0, x1, y1 in the axes' units. */
  readonly segments: Float32Array;
}

/** Contour levels as shares of the largest value: usual isodose lines, or decades on a logarithmic scale. */
const LINEAR_SHARES = [0.1, 0.3, 0.5, 0.8, 0.9, 0.95];
const LOG_SHARES = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 0.5];

interface Level {
  readonly value: number;
  readonly label: string;
}

/** Levels at fixed shares of the field's largest magnitude, on both sides of zero if the values have both signs. */
export function contourLevels({ min, max }: Pick<FieldMap, 'min' | 'max'>, scale: ScaleKind): readonly Level[] {
  const size = Math.max(Math.abs(min), Math.abs(max));
  if (!(size > 0)) return [];
  const shares = scale === 'linear' ? LINEAR_SHARES : LOG_SHARES;
  const text = (share: number): string => `${Number((100 * share).toPrecision(2))} %`;
  const above = shares.map((share) => ({ value: share * size, label: text(share) }));
  if (!(min < -1e-9 * size)) return above;
  const below = above.map(({ value, label }) => ({ value: -value, label: `−${label}` }));
  return [...below, ...above].filter(({ value }) => value > min && value < max);
}

/**
 * Edges that a line connects, for each of the 16 cases of corners above the level. Corner bits: 1 bottom left, 2 bottom
 * right, 4 top right, 8 top left.
 */
const BOTTOM = 0;
const RIGHT_EDGE = 1;
const TOP = 2;
const LEFT_EDGE = 3;
const lines: readonly (readonly (readonly [number, number])[])[] = [
  [],
  [[LEFT_EDGE, BOTTOM]],
  [[BOTTOM, RIGHT_EDGE]],
  [[LEFT_EDGE, RIGHT_EDGE]],
  [[RIGHT_EDGE, TOP]],
  [
    [LEFT_EDGE, BOTTOM],
    [RIGHT_EDGE, TOP],
  ],
  [[BOTTOM, TOP]],
  [[LEFT_EDGE, TOP]],
  [[TOP, LEFT_EDGE]],
  [[TOP, BOTTOM]],
  [
    [BOTTOM, RIGHT_EDGE],
    [TOP, LEFT_EDGE],
  ],
  [[TOP, RIGHT_EDGE]],
  [[RIGHT_EDGE, LEFT_EDGE]],
  [[RIGHT_EDGE, BOTTOM]],
  [[BOTTOM, LEFT_EDGE]],
  [],
];

function centres(axis: FieldMap['horizontal']): Float64Array {
  return Float64Array.from({ length: axis.count }, (_, i) => (sampleEdge(axis, i) + sampleEdge(axis, i + 1)) / 2);
}

export function contour(field: FieldMap, { value, label }: Level): Contour {
  const { values, horizontal, vertical } = field;
  const [nx, ny] = [horizontal.count, vertical.count];
  const [xs, ys] = [centres(horizontal), centres(vertical)];
  const out: number[] = [];
  for (let j = 0; j + 1 < ny; j += 1) {
    for (let i = 0; i + 1 < nx; i += 1) {
      const at = j * nx + i;
      const [a, b, c, d] = [values[at] ?? 0, values[at + 1] ?? 0, values[at + nx + 1] ?? 0, values[at + nx] ?? 0];
      const index = (a >= value ? 1 : 0) | (b >= value ? 2 : 0) | (c >= value ? 4 : 0) | (d >= value ? 8 : 0);
      if (index === 0 || index === 15) continue;
      const [x0, x1, y0, y1] = [xs[i] ?? 0, xs[i + 1] ?? 0, ys[j] ?? 0, ys[j + 1] ?? 0];
      const share = (from: number, to: number): number => (value - from) / (to - from);
      const point = (edge: number): readonly [number, number] => {
        if (edge === BOTTOM) return [x0 + share(a, b) * (x1 - x0), y0];
        if (edge === RIGHT_EDGE) return [x1, y0 + share(b, c) * (y1 - y0)];
        if (edge === TOP) return [x0 + share(d, c) * (x1 - x0), y1];
        return [x0, y0 + share(a, d) * (y1 - y0)];
      };
      for (const [from, to] of lines[index] ?? []) out.push(...point(from), ...point(to));
    }
  }
  return { value, label, segments: Float32Array.from(out) };
}

function contours(field: FieldMap, levels: readonly Level[]): readonly Contour[] {
  return levels.map((level) => contour(field, level)).filter(({ segments }) => segments.length > 0);
}

export interface MapStyle {
  readonly colorMap: ColorMap;
  readonly scale: ScaleKind;
  /** Limits of the colours; null for the smallest and largest value of the whole field. */
  readonly limits: Limits | null;
  /** True to centre the colours on zero, for differences. */
  readonly centred?: boolean;
  readonly contours?: boolean;
  /** True if the limits can be dragged: the bar shows its handles. */
  readonly handles?: boolean;
  /** Opacity of the colours over the map below; default `rising`. */
  readonly wash?: OverlayOpacity;
}

/** An axis of the map: title and visible range. */
export interface ShownAxis {
  readonly title: string;
  readonly unit: string;
  readonly from: number;
  readonly to: number;
}

export interface MapScene {
  readonly horizontal: ShownAxis;
  readonly vertical: ShownAxis;
  /** Null if nothing has been computed yet: only axes and annotations are shown. */
  readonly field: FieldMap | null;
  /** Title of the colour bar; null if the map's heading already names the quantity and unit. */
  readonly quantityTitle: string | null;
  readonly annotations: readonly Annotation[];
  /** Map painted below the field, in grey between two limits. */
  readonly under?: (Limits & { readonly field: FieldMap }) | null;
}

export interface MapScales {
  readonly frame: PlotFrame;
  readonly horizontal: Scale;
  readonly vertical: Scale;
}

/** Values that depend only on field and style, computed once per frame of a stream. */
export interface Colouring {
  readonly colors: Normalisation;
  readonly range: Normalisation;
  readonly histogram: Float32Array;
  readonly contours: readonly Contour[];
}

const BINS = 64;
/** Width of a contour label, in label heights. */
const LABEL_WIDTH = 3.8;

export function colouring(field: FieldMap, style: MapStyle): Colouring {
  const { min, max, minPositive } = field;
  const centred = style.centred === true;
  // Negative numbers have no logarithm, so differences use a scale that is symmetric about zero.
  const kind: ScaleKind = centred && style.scale === 'log' ? 'symlog' : style.scale;
  const size = Math.max(Math.abs(min), Math.abs(max));
  const whole = centred ? { low: -size, high: size } : { low: min, high: max };
  const limits = drawableLimits(kind, style.limits ?? whole, minPositive);
  const colors = normalisation(kind, limits);
  const wider =
    style.limits === null
      ? limits
      : drawableLimits(
          kind,
          { low: Math.min(whole.low, limits.low), high: Math.max(whole.high, limits.high) },
          Math.min(minPositive > 0 ? minPositive : limits.low, limits.low > 0 ? limits.low : minPositive),
        );
  const range = normalisation(kind, wider);
  return {
    colors,
    range,
    histogram: histogram(field.values, range, BINS),
    contours: style.contours === true ? contours(field, contourLevels(field, kind)) : [],
  };
}

function drawContours(
  context: Drawing2D,
  lines: readonly Contour[],
  { frame, horizontal, vertical }: MapScales,
  theme: DrawingTheme,
): void {
  const marks = markTheme(theme, true);
  const { plot } = frame;
  context.font = `${theme.labelSize}px ${theme.family}`;
  const taken: (readonly [number, number])[] = [];
  for (const { segments, label } of lines) {
    context.beginPath();
    let [bestX, bestY, best] = [Number.NaN, Number.NaN, Number.POSITIVE_INFINITY];
    let [left, right] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let i = 0; i < segments.length; i += 4) {
      const [x0, y0] = [horizontal.toPixel(segments[i] ?? 0), vertical.toPixel(segments[i + 1] ?? 0)];
      left = Math.min(left, x0);
      right = Math.max(right, x0);
      context.moveTo(x0, y0);
      context.lineTo(horizontal.toPixel(segments[i + 2] ?? 0), vertical.toPixel(segments[i + 3] ?? 0));
      // Place the label at the line's highest point that leaves room for it.
      const free = taken.every(
        ([x, y]) => Math.abs(x - x0) > LABEL_WIDTH * theme.labelSize || Math.abs(y - y0) > theme.labelSize * 1.1,
      );
      const inside = x0 > plot.left + 20 && x0 < plot.left + plot.width - 20 && y0 > plot.top + 8;
      if (free && inside && y0 < best) [bestX, bestY, best] = [x0, y0, y0];
    }
    haloStroke(context, marks, 0.8);
    // Skip a label that is wider than its line, because it would hide the line.
    if (!Number.isFinite(bestX) || right - left < LABEL_WIDTH * theme.labelSize) continue;
    taken.push([bestX, bestY]);
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    haloText(context, label, bestX, bestY, marks);
  }
}

/** Images that are reused from frame to frame. */
interface MapImages {
  readonly field: FieldImage;
  readonly under: FieldImage;
}

/** Canvas of a map on the screen, with no transform except device-pixel scaling. */
interface Screen {
  readonly context: CanvasRenderingContext2D;
  readonly ratio: number;
  /** Size in CSS pixels. */
  readonly width: number;
  /**
   * Whether the axes on the canvas are still valid. They are redrawn only if not, because text dominates the cost of a
   * live map.
   */
  readonly axesValid: boolean;
}

/** Height below the plot for ticks; the numbers of the colour bar extend half their height down. */
const TICKS = 6;

/** Inputs that determine the axes and all pixels outside the field; with an equal key they are not redrawn. */
export function axesKey(
  { horizontal, vertical, field, quantityTitle }: MapScene,
  { plot, bar }: PlotFrame,
): string | null {
  // A title next to the bar may be longer than the bar, and cannot be cleared without clearing the axes.
  if (field === null || bar === null || quantityTitle !== null) return null;
  const extents = [field.horizontal.from, field.horizontal.to, field.vertical.from, field.vertical.to];
  return JSON.stringify([horizontal, vertical, extents, plot, bar]);
}

export function paintMap(
  context: Drawing2D,
  scene: MapScene,
  style: MapStyle,
  colours: Colouring | null,
  scales: MapScales,
  { field: image, under: below }: MapImages,
  theme: DrawingTheme,
  screen: Screen | null = null,
): void {
  const { frame, horizontal, vertical } = scales;
  const { plot } = frame;
  const axesValid = screen?.axesValid === true;
  if (screen !== null && axesValid) {
    const left = plot.left + plot.width + 1;
    screen.context.clearRect(left, 0, screen.width - left, plot.top + plot.height + TICKS);
  }
  const under = scene.under ?? null;
  if (!axesValid || under !== null) {
    context.fillStyle = theme.surface;
    context.fillRect(plot.left, plot.top, plot.width, plot.height);
  }
  if (scene.field !== null && colours !== null) {
    context.save();
    context.beginPath();
    context.rect(plot.left, plot.top, plot.width, plot.height);
    context.clip();
    const { field } = scene;
    if (under !== null) {
      const shades = normalisation('linear', under);
      const map = withOpacity(style.colorMap, style.wash ?? (style.centred === true ? 'centred' : 'rising'));
      below.draw(context, under.field, grey, shades, horizontal, vertical);
      image.draw(context, field, map, colours.colors, horizontal, vertical);
    } else if (screen === null) image.draw(context, field, style.colorMap, colours.colors, horizontal, vertical);
    else image.put(screen.context, screen.ratio, plot, field, style.colorMap, colours.colors, horizontal, vertical);
    drawContours(context, colours.contours, scales, theme);
    context.restore();
    if (frame.bar !== null) {
      const title = scene.quantityTitle === null ? null : { text: scene.quantityTitle, unit: scene.field.unit };
      const bar: ColorBar = { map: style.colorMap, ...colours, title, handles: style.handles === true };
      drawColorBar(context, frame.bar, bar, theme);
    }
  }
  if (axesValid) return;
  drawFrame(context, plot, theme);
  drawHorizontalAxis(context, plot, horizontal, scene.horizontal.title, scene.horizontal.unit, theme);
  drawVerticalAxis(context, plot, vertical, scene.vertical.title, scene.vertical.unit, theme);
}

/** Paints annotations over the field of an exported map, as on the upper canvas on screen. */
export function paintMarks(context: Drawing2D, scene: MapScene, scales: MapScales, theme: DrawingTheme): void {
  const marks = markTheme(theme, scene.field !== null);
  drawAnnotations(context, scales.frame.plot, scales.horizontal, scales.vertical, scene.annotations, marks);
}
