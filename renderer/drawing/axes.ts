/** Axes of a map: frame, ticks, labels and titles with units. */

import { powerOfTen } from '../base/numbers.ts';
import type { Drawing2D } from './context-2d.ts';
import type { Box } from './plot-frame.ts';
import type { Scale } from './scale.ts';
import type { DrawingTheme } from './theme.ts';
import { linearTicks, logTicks, type Tick } from './ticks.ts';

const TICK = 4;
const GAP = 3;
/** Label heights between two labels that still read as two. */
const LABELS_ACROSS = 5.5;
const LABELS_DOWN = 2.6;
/** More labels than this are read no better on a wide screen. */
const MOST_LABELS = 14;

/** Fewer labels than this do not convey the scale; the axis is then labelled more densely. */
const FEWEST_LABELS = 3;
const CLOSER = 1.7;

function axisTicks(scale: Scale, most: number): ReturnType<typeof linearTicks> {
  const roomy = linearTicks(scale.from, scale.to, Math.min(MOST_LABELS, most));
  return roomy.ticks.length >= FEWEST_LABELS ? roomy : linearTicks(scale.from, scale.to, most * CLOSER);
}

/** `Depth z (mm)`, with the power of ten that the tick labels leave out. */
export function axisTitle(title: string, unit: string, exponent: number): string {
  const scale = [exponent === 0 ? '' : powerOfTen(exponent), unit].filter((part) => part !== '').join(' ');
  return scale === '' ? title : `${title} (${scale})`;
}

/** The looks of ticks and their labels, and the path of the ticks. */
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
