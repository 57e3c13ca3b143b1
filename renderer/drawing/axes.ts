/**
 * Axes of a map: frame, ticks, labels and titles with units. This file also computes the layout of a map's parts in
 * its canvas, and windows with equal scales on both axes.
 */
import type { Interval } from '../../electron/contract/fields.ts';
import { powerOfTen } from '../../electron/domain/numbers.ts';
import type { Drawing2D } from './context-2d.ts';
import { linearTicks, logTicks, type Scale, type Tick } from './scale.ts';
import type { DrawingTheme } from './theme.ts';

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface PlotFrame {
  /** Area of the field. */
  readonly plot: Box;
  /** Colour bar; null if there is no room. */
  readonly bar: Box | null;
}

/**
 * Margins around a plot, in label heights. The curves below a map use the same left and right margins, so that their
 * depth axes align.
 */
export const MARGINS = { left: 5, right: 7.5, top: 1.2, bottom: 3.4, bar: 1.1, barGap: 1.2 } as const;

/** `compact`: for several maps side by side with headings that describe their colour bars. `curves`: no colour bar. */
export type MarginKind = 'full' | 'compact' | 'curves';

const COMPACT = { right: 5.4, top: 0.5 } as const;

/** Below this width (CSS pixels) the colour bar is omitted. */
const NARROWEST_WITH_BAR = 260;

export function plotFrame(width: number, height: number, labelSize: number, room: MarginKind = 'full'): PlotFrame {
  const withBar = room !== 'curves' && width >= NARROWEST_WITH_BAR;
  const left = Math.round(MARGINS.left * labelSize);
  const besides = room === 'full' ? MARGINS : COMPACT;
  const right = Math.round((withBar ? besides.right : 1) * labelSize);
  const top = Math.round(besides.top * labelSize);
  const bottom = Math.round(MARGINS.bottom * labelSize);
  const plot: Box = {
    left,
    top,
    width: Math.max(1, Math.floor(width - left - right)),
    height: Math.max(1, Math.floor(height - top - bottom)),
  };
  if (!withBar) return { plot, bar: null };
  const bar: Box = {
    left: plot.left + plot.width + Math.round(MARGINS.barGap * labelSize),
    top: plot.top,
    width: Math.round(MARGINS.bar * labelSize),
    height: plot.height,
  };
  return { plot, bar };
}

export function contains(box: Box, x: number, y: number): boolean {
  return x >= box.left && x <= box.left + box.width && y >= box.top && y <= box.top + box.height;
}

interface Ranges {
  readonly horizontal: Interval;
  readonly vertical: Interval;
}

/** Widens the narrower axis so that both axes have the same scale in a plot of this size (CSS pixels). */
export function equaliseScales(
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

const TICK = 4;
const GAP = 3;
/** Minimum distance between two labels, in label heights. */
const LABELS_ACROSS = 5.5;
const LABELS_DOWN = 2.6;
/** Maximum number of labels, as more would not improve readability on a wide screen. */
const MAX_LABELS = 14;

/** Fewer labels than this do not convey the scale; the axis is then labelled more densely. */
const MIN_LABELS = 3;
const DENSE_TICK_FACTOR = 1.7;

function axisTicks(scale: Scale, most: number): ReturnType<typeof linearTicks> {
  const roomy = linearTicks(scale.from, scale.to, Math.min(MAX_LABELS, most));
  return roomy.ticks.length >= MIN_LABELS ? roomy : linearTicks(scale.from, scale.to, most * DENSE_TICK_FACTOR);
}

/** Axis title such as `Depth z (mm)`, with the power of ten that the tick labels omit. */
export function axisTitle(title: string, unit: string, exponent: number): string {
  const scale = [exponent === 0 ? '' : powerOfTen(exponent), unit].filter((part) => part !== '').join(' ');
  return scale === '' ? title : `${title} (${scale})`;
}

/** Sets the style of ticks and labels, and begins the path of the ticks. */
function beginTicks(
  context: Drawing2D,
  theme: DrawingTheme,
  align: CanvasTextAlign,
  baseline: CanvasTextBaseline,
): void {
  context.font = `${theme.labelSize}px ${theme.family}`;
  context.strokeStyle = theme.axis;
  context.fillStyle = theme.textMuted;
  context.lineWidth = 1;
  context.textAlign = align;
  context.textBaseline = baseline;
  context.beginPath();
}

export function drawHorizontalAxis(
  context: Drawing2D,
  box: Box,
  scale: Scale,
  title: string,
  unit: string,
  theme: DrawingTheme,
): void {
  const bottom = box.top + box.height;
  const { ticks, exponent } = axisTicks(scale, box.width / (theme.labelSize * LABELS_ACROSS));
  beginTicks(context, theme, 'center', 'top');
  for (const { value, label } of ticks) {
    const x = Math.round(scale.toPixel(value)) + 0.5;
    context.moveTo(x, bottom);
    context.lineTo(x, bottom + TICK);
    context.fillText(label, x, bottom + TICK + GAP);
  }
  context.stroke();
  context.fillStyle = theme.text;
  context.fillText(
    axisTitle(title, unit, exponent),
    box.left + box.width / 2,
    bottom + TICK + GAP + theme.labelSize * 1.35,
  );
}

export function drawVerticalAxis(
  context: Drawing2D,
  box: Box,
  scale: Scale,
  title: string,
  unit: string,
  theme: DrawingTheme,
  kind: 'linear' | 'log' = 'linear',
): void {
  const most = box.height / (theme.labelSize * LABELS_DOWN);
  const { ticks, exponent }: { readonly ticks: readonly Tick[]; readonly exponent: number } =
    kind === 'linear' ? axisTicks(scale, most) : { ticks: logTicks(scale.from, scale.to, most), exponent: 0 };
  beginTicks(context, theme, 'right', 'middle');
  for (const { value, label } of ticks) {
    const y = Math.round(scale.toPixel(value)) + 0.5;
    context.moveTo(box.left - TICK, y);
    context.lineTo(box.left, y);
    context.fillText(label, box.left - TICK - GAP, y);
  }
  context.stroke();
  context.save();
  context.translate(theme.labelSize * 0.8, box.top + box.height / 2);
  context.rotate(-Math.PI / 2);
  context.fillStyle = theme.text;
  context.textAlign = 'center';
  context.fillText(axisTitle(title, unit, exponent), 0, 0);
  context.restore();
}

export function drawFrame(context: Drawing2D, box: Box, theme: DrawingTheme): void {
  context.strokeStyle = theme.axis;
  context.lineWidth = 1;
  context.strokeRect(box.left - 0.5, box.top - 0.5, box.width + 1, box.height + 1);
}
