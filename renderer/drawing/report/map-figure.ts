/** A map with axes and colour bar, for files. */
import type { FieldMap } from '../../../electron/contract/fields.ts';
import { horizontalAxisHeight, plotAxes, verticalAxis, verticalAxisWidth } from '../figures/axes.ts';
import type { Figure, FigureSize, Shape } from '../figures/figure.ts';

/**
 * Writes an uncompressed PNG of 256 colours: maps are small, and the page and the command line must write equal bytes.
 * Format: W3C, Portable Network Graphics, 2003.
 */
const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const INDEXED_COLOUR = 3;
/** Maximum bytes of a stored block in deflate. */
const BLOCK = 65_535;

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k += 1) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

function crc(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of bytes) c = (crcTable[(c ^ byte) & 0xff] ?? 0) ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

function adler(bytes: Uint8Array): number {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return ((b << 16) | a) >>> 0;
}

function concatenate(parts: readonly ArrayLike<number>[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

const bigEndianBytes = (value: number): number[] => [
  value >>> 24,
  (value >>> 16) & 0xff,
  (value >>> 8) & 0xff,
  value & 0xff,
];

function pngChunk(name: string, data: Uint8Array): Uint8Array {
  const body = concatenate([[...name].map((letter) => letter.charCodeAt(0)), data]);
  return concatenate([bigEndianBytes(data.length), body, bigEndianBytes(crc(body))]);
}

function zlibStored(data: Uint8Array): Uint8Array {
  const parts: ArrayLike<number>[] = [[0x78, 0x01]];
  for (let at = 0; at < data.length; at += BLOCK) {
    const part = data.subarray(at, at + BLOCK);
    const size = part.length;
    const last = at + BLOCK >= data.length ? 1 : 0;
    parts.push([last, size & 0xff, size >>> 8, ~size & 0xff, (~size >>> 8) & 0xff], part);
  }
  parts.push(bigEndianBytes(adler(data)));
  return concatenate(parts);
}

/** `palette`: red, green and blue of 256 colours. `pixels`: rows from the top. */
export function indexedPng(width: number, height: number, pixels: Uint8Array, palette: Uint8Array): Uint8Array {
  const rows = new Uint8Array((width + 1) * height);
  for (let row = 0; row < height; row += 1) {
    // Each row begins with its filter type: 0 for none.
    rows.set(pixels.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  }
  const header = Uint8Array.from([...bigEndianBytes(width), ...bigEndianBytes(height), 8, INDEXED_COLOUR, 0, 0, 0]);
  return concatenate([
    SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('PLTE', palette),
    pngChunk('IDAT', zlibStored(rows)),
    pngChunk('IEND', new Uint8Array()),
  ]);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function base64(bytes: Uint8Array): string {
  const out: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(i, i + 3);
    const left = bytes.length - i;
    const bits = (a << 16) | (b << 8) | c;
    const digit = (shift: number): string => ALPHABET[(bits >> shift) & 63] ?? '';
    out.push(digit(18) + digit(12) + (left > 1 ? digit(6) : '=') + (left > 2 ? digit(0) : '='));
  }
  return out.join('');
}

/** Red, green and blue bytes of 256 colours. */
export type Palette = Uint8Array;

interface MapFigureOptions {
  readonly title: string;
  readonly quantity: string;
  readonly palette: Palette;
  readonly low: number;
  readonly high: number;
  /** True for a logarithmic scale between limits above zero. */
  readonly logarithmic: boolean;
}

/** Titles of the axes by their names in field maps. */
const axisTitles: Readonly<Record<string, string>> = { z: 'Depth z', x: 'Across x', fast: 'Fast', slow: 'Slow' };

/** Whether the field is a detector image, which has its first row at the top and square pixels. */
const isImage = ({ vertical }: FieldMap): boolean => vertical.unit === 'px';

const COLORS = 256;

function dataUrl(width: number, height: number, pixels: Uint8Array, palette: Palette): string {
  return `data:image/png;base64,${base64(indexedPng(width, height, pixels, palette))}`;
}

function imageOf(field: FieldMap, { palette, low, high, logarithmic }: MapFigureOptions): string {
  const [width, height] = [field.horizontal.count, field.vertical.count];
  const pixels = new Uint8Array(width * height);
  const place = (value: number): number => (logarithmic ? Math.log(Math.max(value, low)) : value);
  const scale = COLORS / (place(high) - place(low) || 1);
  for (let row = 0; row < height; row += 1) {
    // The first row of the picture is the top one, which is the last row of most fields.
    const from = (isImage(field) ? row : height - 1 - row) * width;
    for (let column = 0; column < width; column += 1) {
      const color = Math.floor((place(field.values[from + column] ?? 0) - place(low)) * scale);
      pixels[row * width + column] = Math.min(COLORS - 1, Math.max(0, color));
    }
  }
  return dataUrl(width, height, pixels, palette);
}

export function mapFigure(field: FieldMap, look: MapFigureOptions, { width, label }: FigureSize): Figure {
  const { horizontal, vertical, unit } = field;
  const left = verticalAxisWidth(label);
  const right = verticalAxisWidth(label) + 3 * label;
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
  const height = Math.round(box.top + box.height + horizontalAxisHeight(label) + label / 2);
  return { width, height, title: look.title, shapes, arrays: [], notes: {} };
}
