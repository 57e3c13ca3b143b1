/** A field as an image: one pixel per cell for files, one lookup per device pixel for the screen. */
import type { FieldMap, MapAxis } from '../../electron/contract/fields.ts';
import type { Box } from './axes.ts';
import { type ColorMap, colorAt, type Normalisation } from './colormap.ts';
import type { Drawing2D } from './context-2d.ts';
import type { Scale } from './scale.ts';

// Converts values to pixels with one table lookup per value. The table is indexed by the upper 16 bits of the float,
// which contain 7 bits of mantissa. Neighbouring entries differ by 0.8 %. This is at most one of 256 colours if zero is
// between the limits or the scale is logarithmic. On a linear scale without zero, one multiplication is used instead.

interface Colorizer {
  /** Converts all values; `pixels` must have the length of `values`. */
  all(values: Float32Array, pixels: Uint32Array): void;
  /**
   * Converts one row of an image: writes to `pixels` from index `to` on. `samples` holds offsets into `values`,
   * relative to `from`.
   */
  row(values: Float32Array, from: number, samples: Uint16Array, pixels: Uint32Array, to: number): void;
}

/** Colour for values outside the scale's domain (NaN, the logarithm of a negative number). */
const TRANSPARENT = 0;
const TABLE_SIZE = 1 << 16;

function linearColorizer(map: ColorMap, scale: Normalisation): Colorizer {
  const { colors } = map;
  const last = colors.length - 1;
  const factor = colors.length / (scale.high - scale.low);
  const { low } = scale;
  const [bottom, top] = [colorAt(map, 0), colorAt(map, 1)];
  const color = (value: number): number => {
    const position = (value - low) * factor;
    // NaN fails both comparisons.
    if (position < last) return position > 0 ? (colors[position | 0] as number) : bottom;
    return position >= last ? top : TRANSPARENT;
  };
  return {
    all: (values, pixels) => {
      for (let i = 0; i < values.length; i += 1) pixels[i] = color(values[i] as number);
    },
    row: (values, from, samples, pixels, to) => {
      for (let i = 0; i < samples.length; i += 1)
        pixels[to + i] = color(values[from + (samples[i] as number)] as number);
    },
  };
}

/** Table indices of plus infinity, minus zero and minus infinity. NaNs follow the infinities. */
const PLUS_INFINITY = 0x7f80;
const MINUS_ZERO = 0x8000;
const MINUS_INFINITY = 0xff80;

/**
 * Floats of one sign are ordered like their bits, and the scale is monotonic. Each colour therefore fills one
 * contiguous range of the table per sign. The table is cheap enough to rebuild with every frame of a stream with
 * changing limits.
 */
function tableColorizer(map: ColorMap, scale: Normalisation, table: ColorTable): Colorizer {
  // Clear negative numbers and NaNs: a logarithmic scale has no colour for them, but the previous scale may have had
  // one.
  table.fill(TRANSPARENT, MINUS_ZERO);
  const float = new Float32Array(1);
  const bits = new Uint32Array(float.buffer);
  /** First table entry whose midpoint is not below a positive value. */
  const entry = (value: number): number => {
    float[0] = value;
    const at = (bits[0] ?? 0) >>> 16;
    bits[0] = ((at << 16) | 0x8000) >>> 0;
    return (float[0] ?? 0) >= value ? at : at + 1;
  };
  const { colors } = map;
  const color = (index: number): number => colors[index] ?? TRANSPARENT;
  const ends = Array.from({ length: colors.length - 1 }, (_, k) => scale.value((k + 1) / colors.length));
  let at = ends.filter((value) => value <= 0).length;
  let from = 1;
  for (const value of ends.slice(at)) {
    const next = Math.min(PLUS_INFINITY, Math.max(from, entry(value)));
    table.fill(color(at), from, next);
    [from, at] = [next, at + 1];
  }
  table.fill(color(at), from, PLUS_INFINITY + 1);
  if (!Number.isNaN(scale.fraction(-1))) {
    const below = ends.filter((value) => value < 0).reverse();
    at = below.length;
    from = MINUS_ZERO + 1;
    for (const value of below) {
      const next = Math.min(MINUS_INFINITY, Math.max(from, MINUS_ZERO + entry(-value)));
      table.fill(color(at), from, next);
      [from, at] = [next, at - 1];
    }
    table.fill(color(at), from, MINUS_INFINITY + 1);
  }
  const zero = scale.fraction(0);
  table[0] = Number.isNaN(zero) ? TRANSPARENT : colorAt(map, zero);
  table[MINUS_ZERO] = table[0];
  const wordsOf = (values: Float32Array): Uint32Array =>
    new Uint32Array(values.buffer, values.byteOffset, values.length);
  return {
    all: (values, pixels) => {
      const words = wordsOf(values);
      for (let i = 0; i < words.length; i += 1) pixels[i] = table[(words[i] as number) >>> 16] as number;
    },
    row: (values, from, samples, pixels, to) => {
      const words = wordsOf(values);
      for (let i = 0; i < samples.length; i += 1) {
        pixels[to + i] = table[(words[from + (samples[i] as number)] as number) >>> 16] as number;
      }
    },
  };
}

/**
 * Reusable memory for the table of a colorizer. Allocating a table per frame for four live maps would create 60 MB of
 * garbage a second.
 */
type ColorTable = Uint32Array;
export const colorTable = (): ColorTable => new Uint32Array(TABLE_SIZE);

/** The colorizer is valid until another one is made with the same `table`. */
export function makeColorizer(map: ColorMap, scale: Normalisation, table = colorTable()): Colorizer {
  // If zero is between the limits, a table step is at most one of 256 colours, also on a linear scale.
  const arithmetic = scale.kind === 'linear' && (scale.low > 0 || scale.high < 0);
  return arithmetic ? linearColorizer(map, scale) : tableColorizer(map, scale, table);
}

/** Inputs that determine the pixels; an image with an equal key can be reused. */
interface ImageKey {
  readonly field: FieldMap;
  readonly map: ColorMap;
  readonly kind: string;
  readonly low: number;
  readonly high: number;
}

/** Edge of a sample along an axis; edges are equally spaced unless the axis lists them. */
export function sampleEdge(axis: MapAxis, index: number): number {
  if (axis.edges !== null) return axis.edges[index] ?? axis.to;
  return axis.from + ((axis.to - axis.from) * index) / axis.count;
}

/** Longest side of a resampled image, above the pixel count of any plot. */
export const MAX_PIXELS = 8192;

/** Mapping from the samples of an axis to the columns or rows of an image. */
interface PixelMapping {
  /** Sample of each column or row; null for one pixel per sample in order. */
  readonly samples: Uint16Array | null;
  readonly count: number;
  /** Mappings with equal keys are equal. */
  readonly key: string;
}

/** Range of device pixels along one axis. */
interface PixelRange {
  readonly from: number;
  readonly to: number;
}

export class FieldImage {
  /** Canvas for contexts that scale an image; created on first use. */
  #canvas: HTMLCanvasElement | null = null;
  #image: ImageData | null = null;
  #table: ColorTable | null = null;
  #drawn: ImageKey | null = null;
  #spread = '';

  /** Paints the field at the position given by the two scales, on any context; the caller clips to the plot. */
  draw(
    context: Drawing2D,
    field: FieldMap,
    map: ColorMap,
    normalised: Normalisation,
    horizontal: Scale,
    vertical: Scale,
  ): void {
    const { a, d } = context.getTransform();
    const across = wholeAxisMapping(field.horizontal, horizontal, Math.abs(a));
    // Row 0 of the field is the lowest, whereas an image begins at the top and the axis points up.
    const up = wholeAxisMapping(field.vertical, vertical, Math.abs(d));
    this.#canvas ??= document.createElement('canvas');
    const own = this.#canvas.getContext('2d');
    if (own === null) return;
    if (this.#update(own, field, map, normalised, across, up) && this.#image !== null) {
      this.#canvas.width = across.count;
      this.#canvas.height = up.count;
      own.putImageData(this.#image, 0, 0);
    }
    const smooth = context.imageSmoothingEnabled;
    // Show cells without smoothing, because cells are what was computed.
    context.imageSmoothingEnabled = false;
    const [left, right] = [horizontal.toPixel(field.horizontal.from), horizontal.toPixel(field.horizontal.to)];
    const [bottom, top] = [vertical.toPixel(field.vertical.from), vertical.toPixel(field.vertical.to)];
    context.save();
    context.translate(left, bottom);
    context.scale(right < left ? -1 : 1, top < bottom ? -1 : 1);
    context.drawImage(this.#canvas, 0, 0, across.count, up.count, 0, 0, Math.abs(right - left), Math.abs(top - bottom));
    context.restore();
    context.imageSmoothingEnabled = smooth;
  }

  /**
   * Paints the field on the screen, inside `box` (CSS pixels, `ratio` device pixels each). Writes pixels directly, to
   * avoid the browser's copies of a scaled image.
   */
  put(
    context: CanvasRenderingContext2D,
    ratio: number,
    box: Box,
    field: FieldMap,
    map: ColorMap,
    normalised: Normalisation,
    horizontal: Scale,
    vertical: Scale,
  ): void {
    const columns = visiblePixels(field.horizontal, horizontal, box.left, box.left + box.width, ratio);
    const rows = visiblePixels(field.vertical, vertical, box.top, box.top + box.height, ratio);
    if (columns.to <= columns.from || rows.to <= rows.from) return;
    const across = visibleAxisMapping(field.horizontal, horizontal, columns, ratio);
    const down = visibleAxisMapping(field.vertical, vertical, rows, ratio);
    this.#update(context, field, map, normalised, across, down);
    if (this.#image !== null) context.putImageData(this.#image, columns.from, rows.from);
  }

  /** Updates the image; returns true if it changed. */
  #update(
    context: CanvasRenderingContext2D,
    field: FieldMap,
    map: ColorMap,
    scale: Normalisation,
    across: PixelMapping,
    along: PixelMapping,
  ): boolean {
    const drawn: ImageKey = { field, map, kind: scale.kind, low: scale.low, high: scale.high };
    const before = this.#drawn;
    const spreads = `${across.key} ${along.key}`;
    const recolor =
      before === null ||
      before.field !== field ||
      before.map !== map ||
      before.kind !== drawn.kind ||
      before.low !== drawn.low ||
      before.high !== drawn.high;
    if (!recolor && spreads === this.#spread) return false;
    const [width, height] = [across.count, along.count];
    if (this.#image === null || this.#image.width !== width || this.#image.height !== height) {
      this.#image = context.createImageData(width, height);
    }
    const pixels = new Uint32Array(this.#image.data.buffer);
    this.#table ??= colorTable();
    const colorizer = makeColorizer(map, scale, this.#table);
    if (across.samples === null && along.samples === null) colorizer.all(field.values, pixels);
    else paintSamples(colorizer, field.values, field.horizontal.count, pixels, across, along);
    this.#drawn = drawn;
    this.#spread = spreads;
    return true;
  }
}

/** Colours of a field of `columns` columns, looked up only for the samples that the mappings select. */
function paintSamples(
  colorizer: Colorizer,
  values: Float32Array,
  columns: number,
  pixels: Uint32Array,
  across: PixelMapping,
  along: PixelMapping,
): void {
  const width = across.count;
  const samples = across.samples ?? Uint16Array.from({ length: width }, (_, i) => i);
  let last = -1;
  for (let row = 0; row < along.count; row += 1) {
    const sample = along.samples === null ? row : (along.samples[row] ?? 0);
    const to = row * width;
    // Neighbouring rows mostly show the same sample.
    if (sample === last) pixels.copyWithin(to, to - width, to);
    else colorizer.row(values, sample * columns, samples, pixels, to);
    last = sample;
  }
}

/**
 * Mapping of a whole axis: one column per sample if they are equally wide, otherwise one per device pixel (`ratio` per
 * CSS pixel).
 */
function wholeAxisMapping(axis: MapAxis, scale: Scale, ratio: number): PixelMapping {
  if (axis.edges === null) return { samples: null, count: axis.count, key: `all ${axis.count}` };
  const [from, to] = [scale.toPixel(axis.from), scale.toPixel(axis.to)];
  const count = Math.max(1, Math.min(MAX_PIXELS, Math.round(Math.abs(to - from) * ratio)));
  const samples = new Uint16Array(count);
  const step = (axis.to - axis.from) / count;
  let sample = 0;
  for (let i = 0; i < count; i += 1) {
    const value = axis.from + (i + 0.5) * step;
    while (sample + 1 < axis.count && sampleEdge(axis, sample + 1) <= value) sample += 1;
    samples[i] = sample;
  }
  return { samples, count, key: `all ${count} ${axis.from} ${axis.to} ${axis.count}` };
}

/** Device pixels of an axis between two positions on the canvas. */
function visiblePixels(axis: MapAxis, scale: Scale, start: number, end: number, ratio: number): PixelRange {
  const [a, b] = [scale.toPixel(axis.from), scale.toPixel(axis.to)];
  return {
    from: Math.round(Math.max(Math.min(a, b), start) * ratio),
    to: Math.round(Math.min(Math.max(a, b), end) * ratio),
  };
}

/** Sample under the middle of each device pixel, from left to right or from top to bottom. */
function visibleAxisMapping(axis: MapAxis, scale: Scale, { from, to }: PixelRange, ratio: number): PixelMapping {
  const count = Math.min(MAX_PIXELS, to - from);
  const samples = new Uint16Array(count);
  const [first, last] = [scale.toValue((from + 0.5) / ratio), scale.toValue((from + count - 0.5) / ratio)];
  const step = count > 1 ? (last - first) / (count - 1) : 0;
  const [edges, cells] = [axis.edges, axis.count];
  const perCell = cells / (axis.to - axis.from);
  let sample = step < 0 ? cells - 1 : 0;
  let inOrder = count === cells;
  for (let i = 0; i < count; i += 1) {
    const value = first + i * step;
    if (edges === null) sample = Math.min(cells - 1, Math.max(0, Math.floor((value - axis.from) * perCell)));
    else {
      while (sample + 1 < cells && (edges[sample + 1] ?? 0) <= value) sample += 1;
      while (sample > 0 && (edges[sample] ?? 0) > value) sample -= 1;
    }
    samples[i] = sample;
    if (sample !== i) inOrder = false;
  }
  const key = `${from} ${count} ${first} ${last} ${axis.from} ${axis.to} ${cells}`;
  return { samples: inOrder ? null : samples, count, key };
}
