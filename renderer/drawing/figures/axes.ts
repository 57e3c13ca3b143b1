/** Axes of figures: frame, grid, ticks and titles as shapes. */
import { axisTitle, type Box } from '../axes.ts';
import { linearScale, linearTicks, logScale, logTicks, type Scale, type Tick } from '../scale.ts';
import { type Shape, textWidth } from './figure.ts';

export interface FigureAxis {
  readonly title: string;
  readonly unit: string;
  readonly kind: 'linear' | 'log';
  readonly from: number;
  readonly to: number;
  /** Formatter of tick labels, for values that are hard to read as plain numbers. */
  readonly format?: (value: number) => string;
}

const TICK = 4;
const LABELS_ACROSS = 5;
const LABELS_DOWN = 2.4;
/** Width of a digit and minimum gap between two labels, in label heights. */
const CHARACTER = 0.58;
const LABEL_GAP = 0.7;
/** Maximum number of labels, as more would not improve readability on a large screen. */
const MAX_LABELS = 14;

interface Ticks {
  readonly ticks: readonly Tick[];
  /** Power of ten that the labels omit. */
  readonly exponent: number;
}

function ticksOf({ kind, from, to, format }: FigureAxis, most: number): Ticks {
  const { ticks, exponent } =
    kind === 'linear' ? linearTicks(from, to, most) : { ticks: logTicks(from, to, most), exponent: 0 };
  if (format === undefined) return { ticks, exponent };
  return { ticks: ticks.map(({ value, label }) => ({ value, label: label === '' ? '' : format(value) })), exponent: 0 };
}

/**
 * Whether neighbouring labels overlap on an axis of `width` pixels. On logarithmic axes the later digits of a decade
 * are closer together.
 */
function labelsOverlap(axis: FigureAxis, labels: readonly Tick[], width: number, size: number): boolean {
  const { toPixel } = scaleOf(axis, 0, width);
  return labels.some(({ value, label }, i) => {
    const next = labels[i + 1];
    if (next === undefined) return false;
    const needed = (((label.length + next.label.length) / 2) * CHARACTER + LABEL_GAP) * size;
    return Math.abs(toPixel(next.value) - toPixel(value)) < needed;
  });
}

export function horizontalTicks(axis: FigureAxis, { width }: Box, label: number): Ticks {
  let most = Math.min(MAX_LABELS, width / (label * LABELS_ACROSS));
  for (;;) {
    const found = ticksOf(axis, most);
    const labels = found.ticks.filter((tick) => tick.label !== '');
    if (labels.length < 3 || most <= 1 || !labelsOverlap(axis, labels, width, label)) return found;
    most = Math.min(most, labels.length) - 1;
  }
}

export function verticalTicks(axis: FigureAxis, { height }: Pick<Box, 'height'>, label: number): Ticks {
  return ticksOf(axis, Math.min(MAX_LABELS, height / (label * LABELS_DOWN)));
}

/** Upper end of a logarithmic axis that leaves `room` pixels above the largest value. */
export function limitWithMargin(low: number, high: number, width: number, room: number): number {
  const share = Math.min(0.6, room / Math.max(1, width));
  return high * (high / low) ** (share / (1 - share));
}

export function scaleOf({ kind, from, to }: FigureAxis, start: number, end: number): Scale {
  return kind === 'log' ? logScale(from, to, start, end) : linearScale(from, to, start, end);
}

interface Plot {
  readonly x: Scale;
  readonly y: Scale;
  readonly shapes: readonly Shape[];
}

/** Height below the plot for labels and title of the horizontal axis. */
export function horizontalAxisHeight(label: number): number {
  return Math.ceil(label * 3.3);
}

export function horizontalAxis(
  axis: FigureAxis,
  box: Box,
  label: number,
): { readonly x: Scale; readonly shapes: readonly Shape[] } {
  const x = scaleOf(axis, box.left, box.left + box.width);
  const bottom = box.top + box.height;
  const { ticks, exponent } = horizontalTicks(axis, box, label);
  const shapes: Shape[] = [];
  for (const { value, label: text } of ticks) {
    const at = x.toPixel(value);
    if (text !== '') shapes.push({ kind: 'line', from: [at, box.top], to: [at, bottom], ink: 'plot-grid' });
    shapes.push({
      kind: 'line',
      from: [at, bottom],
      to: [at, bottom + (text === '' ? TICK / 2 : TICK)],
      ink: 'plot-axis',
    });
    if (text !== '') {
      const place = [at, bottom + TICK + label] as const;
      shapes.push({ kind: 'text', at: place, text, ink: 'text-muted', size: label, anchor: 'middle' });
    }
  }
  shapes.push({
    kind: 'text',
    at: [box.left + box.width / 2, bottom + TICK + label * 2.5],
    text: axisTitle(axis.title, axis.unit, exponent),
    ink: 'text',
    size: label,
    anchor: 'middle',
  });
  return { x, shapes };
}

/** Width left of the plot for labels and title of the vertical axis. */
export function verticalAxisWidth(label: number): number {
  return Math.ceil(label * 5.4);
}

/** Width of the margin for the maximum number of label digits at any plot height. */
export function marginWidth(axis: FigureAxis, label: number): number {
  const { ticks } = verticalTicks(axis, { height: Number.POSITIVE_INFINITY }, label);
  const widest = ticks.reduce((most, { label: text }) => Math.max(most, textWidth(text, label)), 0);
  return Math.max(verticalAxisWidth(label), Math.ceil(widest + 2 * label));
}

export function verticalAxis(
  axis: FigureAxis,
  box: Box,
  label: number,
  room = verticalAxisWidth(label),
): { readonly y: Scale; readonly shapes: readonly Shape[] } {
  const y = scaleOf(axis, box.top + box.height, box.top);
  const { ticks, exponent } = verticalTicks(axis, box, label);
  const shapes: Shape[] = [];
  for (const { value, label: text } of ticks) {
    const at = y.toPixel(value);
    if (text !== '')
      shapes.push({ kind: 'line', from: [box.left, at], to: [box.left + box.width, at], ink: 'plot-grid' });
    shapes.push({
      kind: 'line',
      from: [box.left - (text === '' ? TICK / 2 : TICK), at],
      to: [box.left, at],
      ink: 'plot-axis',
    });
    if (text !== '') {
      const place = [box.left - TICK - 3, at + label * 0.35] as const;
      shapes.push({ kind: 'text', at: place, text, ink: 'text-muted', size: label, anchor: 'end' });
    }
  }
  shapes.push({
    kind: 'text',
    at: [box.left - room + label, box.top + box.height / 2],
    text: axisTitle(axis.title, axis.unit, exponent),
    ink: 'text',
    size: label,
    anchor: 'middle',
    upright: true,
  });
  return { y, shapes };
}

export function plotAxes(
  horizontal: FigureAxis,
  vertical: FigureAxis,
  box: Box,
  label: number,
  room = verticalAxisWidth(label),
): Plot {
  const down = horizontalAxis(horizontal, box, label);
  const across = verticalAxis(vertical, box, label, room);
  const frame: Shape = {
    kind: 'frame',
    x: box.left,
    y: box.top,
    width: box.width,
    height: box.height,
    ink: 'plot-axis',
  };
  return { x: down.x, y: across.y, shapes: [...down.shapes, ...across.shapes, frame] };
}

/** Limits of a logarithmic axis that contain all values with a small margin; at least half a decade. */
export function logLimits(values: readonly number[], room = 1.25): readonly [number, number] {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value));
  if (positive.length === 0) return [0.1, 10];
  const [low, high] = [Math.min(...positive) / room, Math.max(...positive) * room];
  const wide = Math.sqrt(10) / (high / low);
  return wide <= 1 ? [low, high] : [low / Math.sqrt(wide), high * Math.sqrt(wide)];
}
