/** A field as an image of one pixel per cell, scaled to the plot when it is drawn. */
import type { FieldMap, MapAxis } from '../../electron/contract/fields.ts';
import { makeColorizer } from './colorize.ts';
import type { ColorMap } from './colormap.ts';
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

export class FieldImage {
  readonly #canvas = document.createElement('canvas');
  #image: ImageData | null = null;
  #drawn: Drawn | null = null;

  /** Paints the field where the two scales put it; the caller clips to the plot. */
  draw(
    context: CanvasRenderingContext2D,
    field: FieldMap,
    map: ColorMap,
    normalised: Normalisation,
    horizontal: Scale,
    vertical: Scale,
  ): void {
    this.#update(field, map, normalised);
    const smooth = context.imageSmoothingEnabled;
    // Cells are what was computed: they are shown as cells.
    context.imageSmoothingEnabled = false;
    const { a, d } = context.getTransform();
    const columns = strips(field.horizontal, horizontal, a);
    const rows = strips(field.vertical, vertical, d);
    for (const column of columns) {
      for (const row of rows) {
        // Row 0 of the field is its lowest; the image has it on top, and the axis points up.
        context.save();
        context.translate(column.from, row.from);
        context.scale(column.to < column.from ? -1 : 1, row.to < row.from ? -1 : 1);
        context.drawImage(
          this.#canvas,
          column.index,
          row.index,
          column.count,
          row.count,
          0,
          0,
          Math.abs(column.to - column.from),
          Math.abs(row.to - row.from),
        );
        context.restore();
      }
    }
    context.imageSmoothingEnabled = smooth;
  }

  #update(field: FieldMap, map: ColorMap, scale: Normalisation): void {
    const drawn: Drawn = { field, map, kind: scale.kind, low: scale.low, high: scale.high };
    const before = this.#drawn;
    if (
      before !== null &&
      before.field === field &&
      before.map === map &&
      before.kind === drawn.kind &&
      before.low === drawn.low &&
      before.high === drawn.high
    ) {
      return;
    }
    const width = field.horizontal.count;
    const height = field.vertical.count;
    const context = this.#canvas.getContext('2d');
    if (context === null) return;
    if (this.#image === null || this.#image.width !== width || this.#image.height !== height) {
      this.#canvas.width = width;
      this.#canvas.height = height;
      this.#image = context.createImageData(width, height);
    }
    const pixels = new Uint32Array(this.#image.data.buffer);
    makeColorizer(map, scale)(field.values, pixels);
    context.putImageData(this.#image, 0, 0);
    this.#drawn = drawn;
  }
}

interface Strip {
  readonly index: number;
  readonly count: number;
  readonly from: number;
  readonly to: number;
}

/**
 * One strip for an axis of equal samples, one per sample otherwise. Strips
 * beside each other end on whole device pixels (`ratio` per CSS pixel):
 * anywhere else both would be half transparent, and the page shine through.
 */
function strips(axis: MapAxis, scale: Scale, ratio: number): readonly Strip[] {
  if (axis.edges === null) {
    return [{ index: 0, count: axis.count, from: scale.toPixel(axis.from), to: scale.toPixel(axis.to) }];
  }
  const snapped = (index: number): number => Math.round(scale.toPixel(sampleEdge(axis, index)) * ratio) / ratio;
  return Array.from({ length: axis.count }, (_, index) => ({
    index,
    count: 1,
    from: snapped(index),
    to: snapped(index + 1),
  })).filter(({ from, to }) => from !== to);
}
