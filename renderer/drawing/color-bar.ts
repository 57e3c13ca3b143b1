/** The colour bar of a map: its colours, its scale and its unit. */

import { type ColorMap, colorAt, cssColor } from './colormap.ts';
import type { Drawing2D } from './context-2d.ts';
import type { Normalisation } from './normalisation.ts';
import type { Box } from './plot-frame.ts';
import type { DrawingTheme } from './theme.ts';
import { powerOfTen } from './ticks.ts';

const TICK = 3;
const GAP = 3;
const LABELS_DOWN = 2.6;

export function drawColorBar(
  context: Drawing2D,
  box: Box,
  map: ColorMap,
  scale: Normalisation,
  title: Readonly<{ text: string; unit: string }> | null,
  theme: DrawingTheme,
): void {
  const rows = Math.round(box.height);
  for (let row = 0; row < rows; row += 1) {
    context.fillStyle = cssColor(colorAt(map, 1 - (row + 0.5) / rows));
    context.fillRect(box.left, box.top + row, box.width, 1);
  }
  context.strokeStyle = theme.axis;
  context.lineWidth = 1;
  context.strokeRect(box.left - 0.5, box.top - 0.5, box.width + 1, box.height + 1);

  const { ticks, exponent } = scale.ticks(box.height / (theme.labelSize * LABELS_DOWN));
  const right = box.left + box.width;
  context.font = `${theme.labelSize}px ${theme.family}`;
  context.fillStyle = theme.textMuted;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  let widest = 0;
  context.beginPath();
  for (const { value, label } of ticks) {
    const fraction = scale.fraction(value);
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
    // The labels' power of ten must still be told.
    context.textBaseline = 'bottom';
    if (power !== '') context.fillText(`×${power}`, box.left, box.top - 1);
    return;
  }
  context.save();
  context.translate(right + TICK + GAP + widest + theme.labelSize * 0.95, box.top + box.height / 2);
  context.rotate(-Math.PI / 2);
  context.fillStyle = theme.text;
  context.textAlign = 'center';
  context.fillText(`${title.text} (${power === '' ? '' : `${power} `}${title.unit})`, 0, 0);
  context.restore();
}
