/** A map with axes and colour bar for a file. */
import type { FieldMap } from '../../electron/contract/fields.ts';
import { horizontalRoom, plotAxes, verticalAxis, verticalRoom } from '../drawing/figures/axes.ts';
import type { Figure, FigureSize, Shape } from '../drawing/figures/figure.ts';
import { base64, indexedPng } from './png.ts';

/** Red, green and blue of 256 colours. */
export type Palette = Uint8Array;

interface MapLook {
  readonly title: string;
  readonly quantity: string;
  readonly palette: Palette;
  readonly low: number;
  readonly high: number;
  /** Between limits above zero. */
  readonly logarithmic: boolean;
}

/** Axes by the names that fields give them. */
const axisTitles: Readonly<Record<string, string>> = { z: 'Depth z', x: 'Across x', fast: 'Fast', slow: 'Slow' };

/** Detectors are read from the top, and their pixels are square. */
const isImage = ({ vertical }: FieldMap): boolean => vertical.unit === 'px';

const COLORS = 256;

function dataUrl(width: number, height: number, pixels: Uint8Array, palette: Palette): string {
  return `data:image/png;base64,${base64(indexedPng(width, height, pixels, palette))}`;
}

function imageOf(field: FieldMap, { palette, low, high, logarithmic }: MapLook): string {
  const [width, height] = [field.horizontal.count, field.vertical.count];
  const pixels = new Uint8Array(width * height);
  const place = (value: number): number => (logarithmic ? Math.log(Math.max(value, low)) : value);
  const scale = COLORS / (place(high) - place(low) || 1);
  for (let row = 0; row < height; row += 1) {
    // The picture's first row is its highest, which of most fields is the last.
    const from = (isImage(field) ? row : height - 1 - row) * width;
    for (let column = 0; column < width; column += 1) {
      const color = Math.floor((place(field.values[from + column] ?? 0) - place(low)) * scale);
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
  const extent = ({ from, to }: FieldMap['horizontal']): number => to - from;
  const shape = isImage(field) ? extent(vertical) / extent(horizontal) : 0.62;
  const [bottom, highest] = isImage(field) ? [vertical.to, vertical.from] : [vertical.from, vertical.to];
  const box = { left, top, width: width - left - right, height: Math.round((width - left - right) * shape) };
  const axes = plotAxes(
    {
      title: axisTitles[horizontal.name] ?? horizontal.name,
      unit: horizontal.unit,
      kind: 'linear',
      from: horizontal.from,
      to: horizontal.to,
    },
    {
      title: axisTitles[vertical.name] ?? vertical.name,
      unit: vertical.unit,
      kind: 'linear',
      from: bottom,
      to: highest,
    },
    box,
    label,
  );
  const bar = { left: width - 1.4 * label, top, width: 1.1 * label, height: box.height };
  const kind = look.logarithmic ? ('log' as const) : ('linear' as const);
  const scale = { title: look.quantity, unit, kind, from: look.low, to: look.high };
  const ramp = Uint8Array.from({ length: COLORS }, (_, i) => COLORS - 1 - i);
  const image = { kind: 'image', x: box.left, y: box.top, width: box.width, height: box.height } as const;
  const shapes: Shape[] = [
    { kind: 'text', at: [left, label * 1.2], text: look.title, ink: 'text', size: label, bold: true },
    ...axes.shapes.filter((one) => one.kind !== 'line' || one.ink !== 'plot-grid'),
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
