/**
 * Colour bar of a map: the colours over the field's full range, a histogram of the values next to them, and draggable
 * handles for the limits.
 */

import { powerOfTen } from '../../electron/domain/numbers.ts';
import { axisTitle, type Box } from './axes.ts';
import { type ColorMap, colorAt, type Limits, type Normalisation } from './colormap.ts';
import type { Drawing2D } from './context-2d.ts';
import type { DrawingTheme } from './theme.ts';

const TICK = 3;
const GAP = 3;
const LABELS_DOWN = 2.6;
const HANDLE = 4;

export interface ColorBar {
  readonly map: ColorMap;
  /** Maps a value to its colour, between the limits. */
  readonly colors: Normalisation;
  /** Maps a value to its position on the bar, over the full range. */
  readonly range: Normalisation;
  /** Shares of the largest count along the bar, from the bottom; empty for no histogram. */
  readonly histogram: Float32Array;
  readonly title: Readonly<{ text: string; unit: string }> | null;
  /**
   * True if the user can drag the limits: handles and histogram are drawn. Exported figures have neither, because
   * nothing in them would explain the grey bars.
   */
  readonly handles: boolean;
}

function drawHistogram(context: Drawing2D, box: Box, counts: Float32Array, theme: DrawingTheme): void {
  const width = theme.labelSize;
  const height = box.height / counts.length;
  context.fillStyle = theme.axis;
  for (let i = 0; i < counts.length; i += 1) {
    const size = (counts[i] ?? 0) * width;
    if (size > 0) context.fillRect(box.left - 1 - size, box.top + box.height - (i + 1) * height, size, height);
  }
}

function drawHandle(context: Drawing2D, box: Box, y: number, theme: DrawingTheme): void {
  context.fillStyle = theme.text;
  context.beginPath();
  context.moveTo(box.left, y);
  context.lineTo(box.left - HANDLE - 1, y - HANDLE);
  context.lineTo(box.left - HANDLE - 1, y + HANDLE);
  context.closePath();
  context.fill();
  context.fillRect(box.left, y - 0.5, box.width, 1);
}

/**
 * Cached gradients by colour map, height and limits. While the limits follow the field, all frames use the same
 * gradient.
 */
const gradients = new Map<string, HTMLCanvasElement>();
const MAX_GRADIENTS = 32;

function gradientOf({ map, colors, range }: ColorBar, rows: number): HTMLCanvasElement {
  const [low, high] = [range.fraction(colors.low), range.fraction(colors.high)];
  const key = `${map.name} ${rows} ${low.toFixed(4)} ${high.toFixed(4)}`;
  const known = gradients.get(key);
  if (known !== undefined) return known;
  const canvas = document.createElement('canvas');
  canvas.width = 1;
  canvas.height = rows;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this page cannot draw on a canvas');
  const image = context.createImageData(1, rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let row = 0; row < rows; row += 1) {
    pixels[row] = colorAt(map, (1 - (row + 0.5) / rows - low) / (high - low));
  }
  context.putImageData(image, 0, 0);
  if (gradients.size >= MAX_GRADIENTS) gradients.clear();
  gradients.set(key, canvas);
  return canvas;
}

export function drawColorBar(context: Drawing2D, box: Box, bar: ColorBar, theme: DrawingTheme): void {
  const { colors, range, title } = bar;
  const gradient = gradientOf(bar, Math.max(1, Math.round(box.height)));
  const smooth = context.imageSmoothingEnabled;
  context.imageSmoothingEnabled = false;
  context.drawImage(gradient, 0, 0, 1, gradient.height, box.left, box.top, box.width, box.height);
  context.imageSmoothingEnabled = smooth;
  if (bar.handles) drawHistogram(context, box, bar.histogram, theme);
  context.strokeStyle = theme.axis;
  context.lineWidth = 1;
  context.strokeRect(box.left - 0.5, box.top - 0.5, box.width + 1, box.height + 1);
  if (bar.handles)
    for (const limit of [colors.low, colors.high]) drawHandle(context, box, positionOf(box, range, limit), theme);

  const { ticks, exponent } = range.ticks(box.height / (theme.labelSize * LABELS_DOWN));
  const right = box.left + box.width;
  context.font = `${theme.labelSize}px ${theme.family}`;
  context.fillStyle = theme.textMuted;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  let widest = 0;
  context.beginPath();
  for (const { value, label } of ticks) {
    const fraction = range.fraction(value);
    if (!(fraction >= -1e-6 && fraction <= 1 + 1e-6)) continue;
    const y = Math.round(box.top + (1 - fraction) * box.height) + 0.5;
    context.moveTo(right, y);
    context.lineTo(right + (label === '' ? TICK - 1 : TICK), y);
    if (label === '') continue;
    context.fillText(label, right + TICK + GAP, y);
    widest = Math.max(widest, context.measureText(label).width);
  }
  context.stroke();

  const power = exponent === 0 ? '' : powerOfTen(exponent);
  if (title === null) {
    // Without a title, the power of ten that the labels omit needs separate text.
    context.textBaseline = 'bottom';
    if (power !== '') context.fillText(`×${power}`, box.left, box.top - 1);
    return;
  }
  context.save();
  context.translate(right + TICK + GAP + widest + theme.labelSize * 0.95, box.top + box.height / 2);
  context.rotate(-Math.PI / 2);
  context.fillStyle = theme.text;
  context.textAlign = 'center';
  context.fillText(axisTitle(title.text, title.unit, exponent), 0, 0);
  context.restore();
}

function positionOf(box: Box, range: Normalisation, value: number): number {
  return box.top + (1 - Math.min(1, Math.max(0, range.fraction(value)))) * box.height;
}

/** Pixels around the bar in which a press grabs it. */
const REACH = 6;

/** Whether a press at this position is on the bar. */
export function isOnBar(box: Box, x: number, y: number): boolean {
  return (
    x >= box.left - REACH - HANDLE &&
    x <= box.left + box.width + REACH &&
    y >= box.top - REACH &&
    y <= box.top + box.height + REACH
  );
}

/** Value at a height on the bar, inside the bar's range. */
export function barValue(box: Box, range: Normalisation, y: number): number {
  return range.value(Math.min(1, Math.max(0, 1 - (y - box.top) / box.height)));
}

/** The limit that is nearer to a height on the bar. */
export function nearestLimit(box: Box, range: Normalisation, limits: Limits, y: number): keyof Limits {
  const away = (limit: number): number => Math.abs(positionOf(box, range, limit) - y);
  return away(limits.low) < away(limits.high) ? 'low' : 'high';
}

/** Limits with one of them moved, but never past the other. */
export function movedLimit(limits: Limits, which: keyof Limits, value: number, range: Normalisation): Limits {
  const LEAST = 0.01;
  const [low, high] = [range.fraction(limits.low), range.fraction(limits.high)];
  const at = range.fraction(value);
  return which === 'low'
    ? { low: range.value(Math.min(at, high - LEAST)), high: limits.high }
    : { low: limits.low, high: range.value(Math.max(at, low + LEAST)) };
}
