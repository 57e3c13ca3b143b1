/** A field as an image of one pixel per cell, scaled to the plot when it is drawn. */

import type { FieldMap, MapAxis } from '../../electron/contract/fields.ts';
import { makeColorizer } from './colorize.ts';
import type { ColorMap } from './colormap.ts';
import type { Drawing2D } from './context-2d.ts';
import type { Normalisation } from './normalisation.ts';
import type { Scale } from './scale.ts';

/** What decides the pixels; equal keys need no new image. */
interface Drawn {
  readonly field: FieldMap;
  readonly map: ColorMap;
  readonly kind: string;
  readonly low: number;
  readonly high: number;
}

/** Edges of the samples along an axis; equally spaced where the axis has no list of them. */
export function sampleEdge(axis: MapAxis, index: number): number {
  if (axis.edges !== null) return axis.edges[index] ?? axis.to;
  return axis.from + ((axis.to - axis.from) * index) / axis.count;
}

/** Longest side of a resampled image: more than any plot has pixels. */
const MOST_PIXELS = 4096;

/** How the columns or rows of the image follow from the samples of an axis. */
interface Spread {
  /** Sample of each column or row of the image, from the axis' start on; null: one each. */
  readonly samples: Uint16Array | null;
  readonly count: number;
  readonly key: string;
}

export class FieldImage {
  readonly #canvas = document.createElement('canvas');
  #image: ImageData | null = null;
  #colors = new Uint32Array(0);
  #drawn: Drawn | null = null;
  #spread = '';

  /** Paints the field where the two scales put it; the caller clips to the plot. */
  draw(
    context: Drawing2D,
    field: FieldMap,
    map: ColorMap,
    normalised: Normalisation,
    horizontal: Scale,
    vertical: Scale,
  ): void {
    const { a, d } = context.getTransform();
    const across = spread(field.horizontal, horizontal, Math.abs(a));
    const up = spread(field.vertical, vertical, Math.abs(d));
    this.#update(field, map, normalised, across, up);
    const smooth = context.imageSmoothingEnabled;
    // Cells are what was computed: they are shown as cells.
    context.imageSmoothingEnabled = false;
    const [left, right] = [horizontal.toPixel(field.horizontal.from), horizontal.toPixel(field.horizontal.to)];
    const [bottom, top] = [vertical.toPixel(field.vertical.from), vertical.toPixel(field.vertical.to)];
    // Row 0 of the field is its lowest; the image has it on top, and the axis points up.
    context.save();
    context.translate(left, bottom);
    context.scale(right < left ? -1 : 1, top < bottom ? -1 : 1);
    const { width, height } = this.#canvas;
    context.drawImage(this.#canvas, 0, 0, width, height, 0, 0, Math.abs(right - left), Math.abs(top - bottom));
    context.restore();
    context.imageSmoothingEnabled = smooth;
  }

  #update(field: FieldMap, map: ColorMap, scale: Normalisation, across: Spread, up: Spread): void {
    const drawn: Drawn = { field, map, kind: scale.kind, low: scale.low, high: scale.high };
    const before = this.#drawn;
    const spreads = `${across.key} ${up.key}`;
    const recolor =
      before === null ||
      before.field !== field ||
      before.map !== map ||
      before.kind !== drawn.kind ||
      before.low !== drawn.low ||
      before.high !== drawn.high;
    if (!recolor && spreads === this.#spread) return;
    const context = this.#canvas.getContext('2d');
    if (context === null) return;
    const [width, height] = [across.count, up.count];
    if (this.#image === null || this.#image.width !== width || this.#image.height !== height) {
      this.#canvas.width = width;
      this.#canvas.height = height;
      this.#image = context.createImageData(width, height);
    }
    const pixels = new Uint32Array(this.#image.data.buffer);
    if (across.samples === null && up.samples === null) makeColorizer(map, scale)(field.values, pixels);
    else {
      if (recolor) {
        if (this.#colors.length !== field.values.length) this.#colors = new Uint32Array(field.values.length);
        makeColorizer(map, scale)(field.values, this.#colors);
      }
      resample(this.#colors, field.horizontal.count, pixels, across, up);
    }
    context.putImageData(this.#image, 0, 0);
    this.#drawn = drawn;
    this.#spread = spreads;
  }
}

function resample(colors: Uint32Array, columns: number, pixels: Uint32Array, across: Spread, up: Spread): void {
  const width = across.count;
  let last = -1;
  for (let row = 0; row < up.count; row += 1) {
    const sample = up.samples === null ? row : (up.samples[row] ?? 0);
    const to = row * width;
    // Neighbours mostly show the same sample.
    if (sample === last) pixels.copyWithin(to, to - width, to);
    else if (across.samples === null) pixels.set(colors.subarray(sample * columns, (sample + 1) * columns), to);
    else {
      for (let i = 0; i < width; i += 1) pixels[to + i] = colors[sample * columns + (across.samples[i] ?? 0)] ?? 0;
    }
    last = sample;
  }
}

/**
 * One column per sample of an axis of equal samples. Otherwise one per device
 * pixel (`ratio` per CSS pixel): samples drawn one by one would end between
 * pixels, and the page shine through the seams.
 */
function spread(axis: MapAxis, scale: Scale, ratio: number): Spread {
  if (axis.edges === null) return { samples: null, count: axis.count, key: `${axis.count}` };
  const [from, to] = [scale.toPixel(axis.from), scale.toPixel(axis.to)];
  const count = Math.max(1, Math.min(MOST_PIXELS, Math.round(Math.abs(to - from) * ratio)));
  const samples = new Uint16Array(count);
  const step = (axis.to - axis.from) / count;
  let sample = 0;
  for (let i = 0; i < count; i += 1) {
    const value = axis.from + (i + 0.5) * step;
    while (sample + 1 < axis.count && sampleEdge(axis, sample + 1) <= value) sample += 1;
    samples[i] = sample;
  }
  return { samples, count, key: `${count}/${axis.from}/${axis.to}/${axis.count}` };
}
