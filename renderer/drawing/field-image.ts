/** A field as an image: of one pixel per cell for files, pixel by pixel of the plot for the screen. */
import type { FieldMap, MapAxis } from '../../electron/contract/fields.ts';
import { type ColorMap, colorAt } from './colormap.ts';
import type { Drawing2D } from './context-2d.ts';
import type { Normalisation } from './normalisation.ts';
import type { Box } from './plot-frame.ts';
import type { Scale } from './scale.ts';

// Values to pixels, as fast as one thread goes: one lookup per value in a table
// indexed by the upper 16 bits of the float (7 bits of mantissa: steps of 0.8 %,
// at most one of 256 colours where zero is between the limits or the scale is
// logarithmic); on a linear scale that leaves zero out, one multiplication.

interface Colorizer {
  /** `pixels` must be as long as `values`. */
  all(values: Float32Array, pixels: Uint32Array): void;
  /** One row of an image, from the place `to` of `pixels` on: of the values from `from` on those that `samples` names. */
  row(values: Float32Array, from: number, samples: Uint16Array, pixels: Uint32Array, to: number): void;
}

/** Colour of values outside the scale's domain (NaN, the logarithm of a negative number). */
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
    // NaN is neither below nor above.
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

/** Entries of the table: of plus infinity, of minus zero, and of minus infinity. NaN lies beyond the infinities. */
const PLUS_INFINITY = 0x7f80;
const MINUS_ZERO = 0x8000;
const MINUS_INFINITY = 0xff80;

/**
 * Floats of one sign are ordered as their bits are, and a scale is monotonic:
 * each colour fills one run of the table per sign. So cheap a table can be made
 * with every frame of a stream whose limits move.
 */
function tableColorizer(map: ColorMap, scale: Normalisation, table: ColorTable): Colorizer {
  // Negative numbers and their NaN have no colour on a logarithmic scale, and may have had one before.
  table.fill(TRANSPARENT, MINUS_ZERO);
  const float = new Float32Array(1);
  const bits = new Uint32Array(float.buffer);
  /** First entry whose middle is not below a positive value. */
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

/** Room for a colorizer's table. Four live maps that made their own with every frame would leave 60 MB a second to be collected. */
type ColorTable = Uint32Array;
export const colorTable = (): ColorTable => new Uint32Array(TABLE_SIZE);

/** The colorizer is good until the next one is made with the same `table`. */
export function makeColorizer(map: ColorMap, scale: Normalisation, table = colorTable()): Colorizer {
  // With zero between the limits a step of the table is at most one of 256 colours of a linear scale too.
  const arithmetic = scale.kind === 'linear' && (scale.low > 0 || scale.high < 0);
  return arithmetic ? linearColorizer(map, scale) : tableColorizer(map, scale, table);
}

/** Inputs that determine the pixels; an image with an equal key can be reused. */
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
export const MOST_PIXELS = 8192;

/** Mapping from the samples of an axis to the columns or rows of an image. */
interface Spread {
  /** Sample of each column or row; null: one each, in order. */
  readonly samples: Uint16Array | null;
  readonly count: number;
  /** Equal keys are equal spreads. */
  readonly key: string;
}

/** A part of the screen in device pixels. */
interface Pixels {
  readonly from: number;
  readonly to: number;
}

export class FieldImage {
  /** For contexts that scale an image: made when one asks. */
  #canvas: HTMLCanvasElement | null = null;
  #image: ImageData | null = null;
  #table: ColorTable | null = null;
  #drawn: Drawn | null = null;
  #spread = '';

  /** Paints the field where the two scales put it, on any context; the caller clips to the plot. */
  draw(
    context: Drawing2D,
    field: FieldMap,
    map: ColorMap,
    normalised: Normalisation,
    horizontal: Scale,
    vertical: Scale,
  ): void {
    const { a, d } = context.getTransform();
    const across = axisSpread(field.horizontal, horizontal, Math.abs(a));
    // Row 0 of the field is its lowest; the image has it on top, and the axis points up.
    const up = axisSpread(field.vertical, vertical, Math.abs(d));
    this.#canvas ??= document.createElement('canvas');
    const own = this.#canvas.getContext('2d');
    if (own === null) return;
    if (this.#update(own, field, map, normalised, across, up) && this.#image !== null) {
      this.#canvas.width = across.count;
      this.#canvas.height = up.count;
      own.putImageData(this.#image, 0, 0);
    }
    const smooth = context.imageSmoothingEnabled;
    // Cells are what was computed: they are shown as cells.
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
   * The same on the screen, within `box` alone (CSS pixels, `ratio` device
   * pixels each): pixel by pixel, which spares a live map the browser's own
   * copies of a scaled image.
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
    const columns = visible(field.horizontal, horizontal, box.left, box.left + box.width, ratio);
    const rows = visible(field.vertical, vertical, box.top, box.top + box.height, ratio);
    if (columns.to <= columns.from || rows.to <= rows.from) return;
    const across = pixelSpread(field.horizontal, horizontal, columns, ratio);
    const down = pixelSpread(field.vertical, vertical, rows, ratio);
    this.#update(context, field, map, normalised, across, down);
    if (this.#image !== null) context.putImageData(this.#image, columns.from, rows.from);
  }

  /** True when the image changed. */
  #update(
    context: CanvasRenderingContext2D,
    field: FieldMap,
    map: ColorMap,
    scale: Normalisation,
    across: Spread,
    along: Spread,
  ): boolean {
    const drawn: Drawn = { field, map, kind: scale.kind, low: scale.low, high: scale.high };
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

/** Colours of a field of `columns` columns where the spreads put them: each pixel's value alone is looked up. */
function paintSamples(
  colorizer: Colorizer,
  values: Float32Array,
  columns: number,
  pixels: Uint32Array,
  across: Spread,
  along: Spread,
): void {
  const width = across.count;
  const samples = across.samples ?? Uint16Array.from({ length: width }, (_, i) => i);
  let last = -1;
  for (let row = 0; row < along.count; row += 1) {
    const sample = along.samples === null ? row : (along.samples[row] ?? 0);
    const to = row * width;
    // Neighbours mostly show the same sample.
    if (sample === last) pixels.copyWithin(to, to - width, to);
    else colorizer.row(values, sample * columns, samples, pixels, to);
    last = sample;
  }
}

/**
 * For a whole axis, from its start on: one column per sample where they are
 * equally wide, otherwise one per device pixel (`ratio` per CSS pixel).
 */
function axisSpread(axis: MapAxis, scale: Scale, ratio: number): Spread {
  if (axis.edges === null) return { samples: null, count: axis.count, key: `all ${axis.count}` };
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
  return { samples, count, key: `all ${count} ${axis.from} ${axis.to} ${axis.count}` };
}

/** Device pixels that an axis takes between two places of the canvas. */
function visible(axis: MapAxis, scale: Scale, start: number, end: number, ratio: number): Pixels {
  const [a, b] = [scale.toPixel(axis.from), scale.toPixel(axis.to)];
  return {
    from: Math.round(Math.max(Math.min(a, b), start) * ratio),
    to: Math.round(Math.min(Math.max(a, b), end) * ratio),
  };
}

/** For the device pixels from left to right, or from top to bottom: the sample under the middle of each. */
function pixelSpread(axis: MapAxis, scale: Scale, { from, to }: Pixels, ratio: number): Spread {
  const count = Math.min(MOST_PIXELS, to - from);
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
