/** Converts a figure for the export of the page, in the colours of its theme. */

import type { Drawing2D } from '../context-2d.ts';
import type { Figure as Exported } from '../export/figure.ts';
import { readDrawingTheme } from '../theme.ts';
import type { Figure, Ink, Shape } from './figure.ts';

/**
 * Inputs for drawing a figure on a canvas, in CSS pixels. Images are omitted because they load asynchronously, after
 * the paint.
 */
interface Brush {
  readonly color: (ink: Ink) => string;
  /** Font family for `context.font`. */
  readonly family: string;
}

function paintFigure(context: Drawing2D, { shapes }: Figure, brush: Brush): void {
  for (const shape of shapes) paintShape(context, shape, brush);
  context.globalAlpha = 1;
  context.setLineDash([]);
}

function paintShape(context: Drawing2D, shape: Shape, { color, family }: Brush): void {
  context.globalAlpha = 'opacity' in shape && shape.opacity !== undefined ? shape.opacity : 1;
  switch (shape.kind) {
    case 'line':
    case 'path': {
      const points = shape.kind === 'line' ? [shape.from, shape.to] : shape.points;
      context.beginPath();
      for (const [i, [x, y]] of points.entries()) {
        if (i === 0) context.moveTo(x, y);
        else context.lineTo(x, y);
      }
      context.strokeStyle = color(shape.ink);
      context.lineWidth = shape.width ?? (shape.kind === 'line' ? 1 : 1.5);
      context.lineJoin = 'round';
      context.setLineDash([...(shape.dash ?? [])]);
      context.stroke();
      return;
    }
    case 'area':
      context.beginPath();
      for (const [x, y] of shape.points) context.lineTo(x, y);
      context.fillStyle = color(shape.ink);
      context.fill();
      return;
    case 'rect':
      context.fillStyle = color(shape.ink);
      context.fillRect(shape.x, shape.y, shape.width, shape.height);
      return;
    case 'frame':
      context.setLineDash([]);
      context.lineWidth = 1;
      context.strokeStyle = color(shape.ink);
      context.strokeRect(shape.x, shape.y, shape.width, shape.height);
      return;
    case 'dot': {
      const { at, radius, form = 'round' } = shape;
      context.setLineDash([]);
      context.fillStyle = color(shape.ink);
      context.strokeStyle = color(shape.ink);
      context.lineWidth = 1.5;
      if (form === 'square') {
        context.fillRect(at[0] - radius, at[1] - radius, 2 * radius, 2 * radius);
        return;
      }
      context.beginPath();
      context.arc(at[0], at[1], radius, 0, 2 * Math.PI);
      if (form === 'ring') context.stroke();
      else context.fill();
      return;
    }
    case 'text': {
      const { at, text, size, anchor = 'start', bold = false, upright = false } = shape;
      context.save();
      context.font = `${bold ? '600 ' : ''}${size}px ${family}`;
      context.fillStyle = color(shape.ink);
      context.textAlign = anchor === 'middle' ? 'center' : anchor;
      context.textBaseline = 'alphabetic';
      context.translate(at[0], at[1]);
      if (upright) context.rotate(-Math.PI / 2);
      context.fillText(text, 0, 0);
      context.restore();
      return;
    }
    case 'image':
      return;
  }
}

export function inkOf(element: Element = document.documentElement): (ink: Ink) => string {
  const style = getComputedStyle(element);
  return (ink) => style.getPropertyValue(`--${ink}`).trim();
}

/** `name` becomes the file name; `title` is printed above the drawing. */
export function exportFigure(
  figure: Figure,
  name: string,
  title: string,
): Extract<Exported, { readonly paint: unknown }> {
  const { width, height, arrays, notes } = figure;
  return {
    name,
    title,
    width,
    height,
    arrays,
    notes,
    paint: (context) => paintFigure(context, figure, { color: inkOf(), family: readDrawingTheme().family }),
  };
}
