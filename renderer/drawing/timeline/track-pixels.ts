/**
 * One row of pixels per track. Thousands of narrow spans cost one write each, and a track costs one drawing call, which
 * stretches the row to the track's height. Spans have the page's series colours, lighter where a pixel was idle part of
 * the time.
 */
import type { TimelineWindow } from '../../../electron/contract/timeline.ts';

const TINTS = 8;
const LEVELS = 16;
/** Minimum opacity, so that a pixel with a single short span stays visible. */
const MIN_OPACITY = 0.4;
/** Opacity of spans that do not match a search. */
const DIMMED_OPACITY = 0.22;

type Rgb = readonly [red: number, green: number, blue: number];

export interface TimelinePalette {
  /** CSS colours by tint. */
  readonly css: readonly string[];
  readonly dimmedCss: readonly string[];
  /** Colour of names on spans. */
  readonly label: string;
  readonly dimmedLabel: string;
  /** Pixels at [(dimmed ? 1 : 0) · TINTS + tint][level], in the byte order of memory. */
  readonly packed: Uint32Array;
}

const mixColors = (from: Rgb, to: Rgb, share: number): Rgb => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
];

/** Packs red into the lowest byte: the order of ImageData on little-endian machines, which all browsers use. */
const packPixel = ([red, green, blue]: Rgb): number =>
  (255 * 2 ** 24 + Math.round(blue) * 2 ** 16 + Math.round(green) * 2 ** 8 + Math.round(red)) >>> 0;

const cssColor = ([red, green, blue]: Rgb): string =>
  `rgb(${Math.round(red)} ${Math.round(green)} ${Math.round(blue)})`;

/** Parses `#rrggbb`. */
export function parseHex(text: string): Rgb {
  const found = /^#?([0-9a-f]{6})$/i.exec(text.trim());
  const value = found === null ? 0x808080 : Number.parseInt(found[1] ?? '', 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

export function timelinePalette(series: readonly Rgb[], surface: Rgb, text: Rgb): TimelinePalette {
  const tints = Array.from({ length: TINTS }, (_, i) => series[i % series.length] ?? surface);
  const packed = new Uint32Array(2 * TINTS * LEVELS);
  for (const [i, color] of tints.entries()) {
    for (let level = 0; level < LEVELS; level += 1) {
      const strength = MIN_OPACITY + ((1 - MIN_OPACITY) * level) / (LEVELS - 1);
      packed[i * LEVELS + level] = packPixel(mixColors(surface, color, strength));
      packed[(TINTS + i) * LEVELS + level] = packPixel(mixColors(surface, color, strength * DIMMED_OPACITY));
    }
  }
  return {
    css: tints.map(cssColor),
    dimmedCss: tints.map((color) => cssColor(mixColors(surface, color, DIMMED_OPACITY))),
    label: cssColor(surface),
    dimmedLabel: cssColor(mixColors(surface, text, 0.75)),
    packed,
  };
}

/** Pixel of a rectangle with this tint and busy share (0 to 255). */
export function pixelOf(palette: TimelinePalette, tint: number, busy: number, dimmed: boolean): number {
  return palette.packed[((dimmed ? TINTS : 0) + (tint & (TINTS - 1))) * LEVELS + (busy >> 4)] ?? 0;
}

/** Reads the design tokens; call again after a change of theme. */
export function readTimelinePalette(element: Element): TimelinePalette {
  const style = getComputedStyle(element);
  const token = (name: string): Rgb => parseHex(style.getPropertyValue(name));
  return timelinePalette(
    Array.from({ length: TINTS }, (_, i) => token(`--series-${i + 1}`)),
    token('--surface'),
    token('--text'),
  );
}

/** Minimum width, in device pixels, of spans that end with a gap to separate neighbours of one colour. */
const GAP_FROM = 4;

/** Mapping of a window's rectangles: device pixel = offset + scale · edge. */
export interface Placement {
  readonly offset: number;
  readonly scale: number;
}

export class TrackPixels {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  #image: ImageData;
  #pixels: Uint32Array;

  constructor() {
    this.#canvas = document.createElement('canvas');
    // The CPU writes this canvas and drawImage reads it, so a GPU canvas would have no advantage.
    const context = this.#canvas.getContext('2d', { willReadFrequently: true });
    if (context === null) throw new Error('this page cannot draw on a canvas');
    this.#context = context;
    this.#image = new ImageData(1, 1);
    this.#pixels = new Uint32Array(this.#image.data.buffer);
  }

  /** Clears `rows` rows of `width` device pixels. */
  begin(width: number, rows: number): void {
    if (this.#image.width !== width || this.#image.height < rows) {
      const height = Math.max(rows, this.#image.width === width ? 2 * this.#image.height : rows, 1);
      this.#image = new ImageData(Math.max(1, width), height);
      this.#pixels = new Uint32Array(this.#image.data.buffer);
      this.#canvas.width = this.#image.width;
      this.#canvas.height = height;
    } else this.#pixels.fill(0, 0, width * rows);
  }

  /** Writes the rectangles [first, last) of a window into a row. */
  write(
    row: number,
    window: TimelineWindow,
    first: number,
    last: number,
    { offset, scale }: Placement,
    palette: TimelinePalette,
    dimmed: (name: number) => boolean,
  ): void {
    writeRectangles(this.#pixels, this.#image.width, row, window, first, last, offset, scale, palette, dimmed);
  }

  /** Uploads the pixels after all rows are written. */
  finish(rows: number): void {
    if (rows > 0) this.#context.putImageData(this.#image, 0, 0, 0, 0, this.#image.width, rows);
  }

  /** Stretches a row over a rectangle of CSS pixels. */
  draw(context: CanvasRenderingContext2D, row: number, x: number, y: number, width: number, height: number): void {
    context.drawImage(this.#canvas, 0, row, this.#image.width, 1, x, y, width, height);
  }
}

/** Exported for tests: `pixels` has rows of `width`. */
export function writeRectangles(
  pixels: Uint32Array,
  width: number,
  row: number,
  window: TimelineWindow,
  first: number,
  last: number,
  offset: number,
  scale: number,
  palette: TimelinePalette,
  dimmed: (name: number) => boolean,
): void {
  const { left, right, tint, busy, name } = window;
  const base = row * width;
  for (let i = first; i < last; i += 1) {
    const from = offset + scale * (left[i] ?? 0);
    if (from >= width) break;
    const to = offset + scale * (right[i] ?? 0);
    if (to < 0) continue;
    const begin = Math.max(0, Math.floor(from));
    let end = Math.min(width, Math.max(begin + 1, Math.round(to)));
    if (end - begin >= GAP_FROM && end < width) end -= 1;
    const pixel = pixelOf(palette, tint[i] ?? 0, busy[i] ?? 255, dimmed(name[i] ?? 0));
    if (end === begin + 1) pixels[base + begin] = pixel;
    else pixels.fill(pixel, base + begin, base + end);
  }
}
