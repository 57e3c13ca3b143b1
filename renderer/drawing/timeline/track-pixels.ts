/**
 * One row of pixels per track. Thousands of spans a pixel wide cost a write
 * each; and a track one drawing call, which stretches its row to its height,
 * however many spans it shows.
 */
import type { TimelineWindow } from '../../../electron/contract/timeline.ts';
import { pixelOf, type TimelinePalette } from './palette.ts';

/** Spans of at least this many device pixels end with a gap, so that neighbours of one colour can be distinguished. */
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
    // Written from memory and read by drawImage: nothing is gained by a GPU between.
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

  /** After all rows are written. */
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
