/** A map with axes and colour bar for a file. */
import type { FieldMap } from '../../electron/contract/fields.ts';
import { horizontalRoom, plotAxes, verticalAxis, verticalRoom } from '../drawing/figures/axes.ts';
import type { Figure, FigureSize, Shape } from '../drawing/figures/figure.ts';
import { base64, indexedPng } from './png.ts';

/** Red, green and blue of 256 colours. */
export type Palette = Uint8Array;

export interface MapLook {
  readonly title: string;
  readonly quantity: string;
  readonly palette: Palette;
  readonly low: number;
  readonly high: number;
}

const COLORS = 256;

function dataUrl(width: number, height: number, pixels: Uint8Array, palette: Palette): string {
  return `data:image/png;base64,${base64(indexedPng(width, height, pixels, palette))}`;
}

function imageOf(field: FieldMap, { palette, low, high }: MapLook): string {
  const [width, height] = [field.horizontal.count, field.vertical.count];
  const pixels = new Uint8Array(width * height);
  const scale = COLORS / (high - low || 1);
  for (let row = 0; row < height; row += 1) {
    // The field's first row is its lowest, the image's its highest.
    const from = (height - 1 - row) * width;
    for (let column = 0; column < width; column += 1) {
      const color = Math.floor(((field.values[from + column] ?? 0) - low) * scale);
      pixels[row * width + column] = Math.min(COLORS - 1, Math.max(0, color));
    }
  }
  return dataUrl(width, height, pixels, palette);
}

export function mapFigure(field: FieldMap, look: MapLook, { width, label }: FigureSize): Figure {
  const { horizontal, vertical, unit } = field;
  const left = verticalRoom(label);
  const right = verticalRoom(label) + 3 * label;
  const top = 1.8 * label;
  const box = { left, top, width: width - left - right, height: Math.round((width - left - right) * 0.62) };
  const axes = plotAxes(
    { title: 'Depth z', unit: horizontal.unit, kind: 'linear', from: horizontal.from, to: horizontal.to },
    { title: 'Across x', unit: vertical.unit, kind: 'linear', from: vertical.from, to: vertical.to },
    box,
    label,
  );
  const bar = { left: width - 1.4 * label, top, width: 1.1 * label, height: box.height };
  const scale = { title: look.quantity, unit, kind: 'linear', from: look.low, to: look.high } as const;
  const ramp = Uint8Array.from({ length: COLORS }, (_, i) => COLORS - 1 - i);
  const image = { kind: 'image', x: box.left, y: box.top, width: box.width, height: box.height } as const;
  const shapes: Shape[] = [
    { kind: 'text', at: [left, label * 1.2], text: look.title, ink: 'text', size: label, bold: true },
    ...axes.shapes.filter((shape) => shape.kind !== 'line' || shape.ink !== 'plot-grid'),
    { ...image, href: imageOf(field, look) },
    ...verticalAxis(scale, bar, label).shapes,
    {
      ...image,
      x: bar.left,
      y: bar.top,
      width: bar.width,
      height: bar.height,
      href: dataUrl(1, COLORS, ramp, look.palette),
    },
    { kind: 'frame', x: bar.left, y: bar.top, width: bar.width, height: bar.height, ink: 'plot-axis' },
  ];
  const height = Math.round(box.top + box.height + horizontalRoom(label) + label / 2);
  return { width, height, title: look.title, shapes, arrays: [], notes: {} };
}
