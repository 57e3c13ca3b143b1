/** Annotations on a field: outlines of regions, reference lines and the beam, in the units of the axes. */
import type { FieldMap } from '../../electron/contract/fields.ts';
import type { Box } from './axes.ts';
import type { Drawing2D } from './context-2d.ts';
import { type Scale, shortNumber } from './scale.ts';
import type { DrawingTheme } from './theme.ts';

export type Annotation =
  | Readonly<{
      kind: 'rectangle';
      horizontal: readonly [number, number];
      vertical: readonly [number, number];
      label: string;
    }>
  | Readonly<{ kind: 'vertical-line'; at: number; label: string; style: 'solid' | 'dashed' }>
  /** A line through points (horizontal, vertical, …); NaN breaks the line. */
  | Readonly<{ kind: 'curve'; places: Float64Array; label: string }>
  | Readonly<{ kind: 'cross'; at: readonly [number, number]; label: string }>
  /** A small ring around a point. */
  | Readonly<{ kind: 'spot'; at: readonly [number, number]; label: string }>
  /** Values of the field's samples as text, where they fit. */
  | Readonly<{ kind: 'values'; field: FieldMap }>
  /** An arrow between two points. */
  | Readonly<{ kind: 'arrow'; from: readonly [number, number]; to: readonly [number, number] }>;

/** Colours of annotations, with a halo in the background colour. */
interface MarkTheme {
  readonly mark: string;
  readonly halo: string;
  readonly family: string;
  readonly labelSize: number;
}

/**
 * Annotations on a field are light with a dark halo for any colour map; on an empty plot they use the page's colours.
 */
export function markTheme(theme: DrawingTheme, overField: boolean): MarkTheme {
  const { family, labelSize } = theme;
  return overField
    ? { mark: theme.crosshair, halo: theme.crosshairHalo, family, labelSize }
    : { mark: theme.textMuted, halo: theme.surface, family, labelSize };
}

const ARROW_HEAD = 6;
const PADDING = 3;

/** Draws text with a halo, readable on any colour of the field. */
export function haloText(context: Drawing2D, text: string, x: number, y: number, theme: MarkTheme): void {
  context.lineWidth = 3;
  context.lineJoin = 'round';
  context.strokeStyle = theme.halo;
  context.strokeText(text, x, y);
  context.fillStyle = theme.mark;
  context.fillText(text, x, y);
}

/** Strokes a line with a halo, so that it is visible on any colour of the field. */
export function haloStroke(context: Drawing2D, theme: MarkTheme, width = 1): void {
  context.lineWidth = width + 2;
  context.strokeStyle = theme.halo;
  context.stroke();
  context.lineWidth = width;
  context.strokeStyle = theme.mark;
  context.stroke();
}

function drawArrow(
  context: Drawing2D,
  from: readonly [number, number],
  to: readonly [number, number],
  theme: MarkTheme,
): void {
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  for (const side of [-1, 1]) {
    context.moveTo(...to);
    context.lineTo(
      to[0] - ARROW_HEAD * Math.cos(angle + side * 0.5),
      to[1] - ARROW_HEAD * Math.sin(angle + side * 0.5),
    );
  }
  haloStroke(context, theme, 1.5);
}

function drawCurve(
  context: Drawing2D,
  box: Box,
  horizontal: Scale,
  vertical: Scale,
  { places, label }: Extract<Annotation, { kind: 'curve' }>,
  theme: MarkTheme,
): void {
  context.beginPath();
  let on = false;
  let [labelX, labelY] = [Number.NaN, Number.POSITIVE_INFINITY];
  for (let i = 0; i < places.length; i += 2) {
    const [x, y] = [horizontal.toPixel(places[i] ?? 0), vertical.toPixel(places[i + 1] ?? 0)];
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      on = false;
      continue;
    }
    if (on) context.lineTo(x, y);
    else context.moveTo(x, y);
    on = true;
    // Place the label at the highest point of the curve that leaves room for it.
    const inside =
      x > box.left + 24 && x < box.left + box.width - 24 && y > box.top + 10 && y < box.top + box.height - 10;
    if (inside && y < labelY) [labelX, labelY] = [x, y];
  }
  haloStroke(context, theme, 0.8);
  if (!Number.isFinite(labelX)) return;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  haloText(context, label, labelX, labelY, theme);
}

const CROSS = 6;

function drawPlace(
  context: Drawing2D,
  { kind, label }: Extract<Annotation, { kind: 'cross' | 'spot' }>,
  x: number,
  y: number,
  theme: MarkTheme,
): void {
  context.beginPath();
  if (kind === 'spot') context.arc(x, y, CROSS, 0, 2 * Math.PI);
  else {
    context.moveTo(x - CROSS, y);
    context.lineTo(x + CROSS, y);
    context.moveTo(x, y - CROSS);
    context.lineTo(x, y + CROSS);
  }
  haloStroke(context, theme, 1.2);
  if (label === '') return;
  context.textAlign = 'left';
  context.textBaseline = 'bottom';
  haloText(context, label, x + CROSS, y - PADDING, theme);
}

/** Width and height of a number, in label heights. */
const NUMBER = { width: 3.6, height: 1.4 };

function drawValues(
  context: Drawing2D,
  box: Box,
  horizontal: Scale,
  vertical: Scale,
  field: FieldMap,
  theme: MarkTheme,
): void {
  const { horizontal: across, vertical: along, values } = field;
  const size = (axis: typeof across, scale: Scale): number =>
    Math.abs(scale.toPixel(axis.to) - scale.toPixel(axis.from)) / axis.count;
  const [width, height] = [size(across, horizontal), size(along, vertical)];
  if (width < NUMBER.width * theme.labelSize || height < NUMBER.height * theme.labelSize) return;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (let row = 0; row < along.count; row += 1) {
    const y = vertical.toPixel(along.from + ((row + 0.5) * (along.to - along.from)) / along.count);
    if (y < box.top || y > box.top + box.height) continue;
    for (let column = 0; column < across.count; column += 1) {
      const x = horizontal.toPixel(across.from + ((column + 0.5) * (across.to - across.from)) / across.count);
      if (x < box.left || x > box.left + box.width) continue;
      haloText(context, shortNumber(values[row * across.count + column] ?? 0), x, y, theme);
    }
  }
}

export function drawAnnotations(
  context: Drawing2D,
  box: Box,
  horizontal: Scale,
  vertical: Scale,
  annotations: readonly Annotation[],
  theme: MarkTheme,
): void {
  context.save();
  context.beginPath();
  context.rect(box.left, box.top, box.width, box.height);
  context.clip();
  context.font = `${theme.labelSize}px ${theme.family}`;
  for (const mark of annotations) {
    if (mark.kind === 'rectangle') {
      const [x0, x1] = [horizontal.toPixel(mark.horizontal[0]), horizontal.toPixel(mark.horizontal[1])];
      const [y0, y1] = [vertical.toPixel(mark.vertical[1]), vertical.toPixel(mark.vertical[0])];
      context.beginPath();
      context.rect(Math.round(x0) + 0.5, Math.round(y0) + 0.5, Math.round(x1 - x0), Math.round(y1 - y0));
      haloStroke(context, theme);
      context.textAlign = 'left';
      context.textBaseline = 'top';
      haloText(context, mark.label, Math.max(x0, box.left) + PADDING + 1, Math.max(y0, box.top) + PADDING + 1, theme);
    } else if (mark.kind === 'vertical-line') {
      const x = Math.round(horizontal.toPixel(mark.at)) + 0.5;
      context.setLineDash(mark.style === 'dashed' ? [5, 4] : []);
      context.beginPath();
      context.moveTo(x, box.top);
      context.lineTo(x, box.top + box.height);
      haloStroke(context, theme);
      context.setLineDash([]);
      const nearRight = x > box.left + box.width * 0.8;
      context.textAlign = nearRight ? 'right' : 'left';
      context.textBaseline = 'bottom';
      haloText(context, mark.label, x + (nearRight ? -PADDING : PADDING), box.top + box.height - PADDING, theme);
    } else if (mark.kind === 'curve') drawCurve(context, box, horizontal, vertical, mark, theme);
    else if (mark.kind === 'values') drawValues(context, box, horizontal, vertical, mark.field, theme);
    else if (mark.kind === 'cross' || mark.kind === 'spot') {
      drawPlace(context, mark, horizontal.toPixel(mark.at[0]), vertical.toPixel(mark.at[1]), theme);
    } else {
      drawArrow(
        context,
        [horizontal.toPixel(mark.from[0]), vertical.toPixel(mark.from[1])],
        [horizontal.toPixel(mark.to[0]), vertical.toPixel(mark.to[1])],
        theme,
      );
    }
  }
  context.restore();
}
