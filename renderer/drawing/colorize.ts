/**
 * Values to pixels, as fast as one thread goes: one lookup per value in a table
 * indexed by the upper 16 bits of the float (7 bits of mantissa: steps of 0.8 %,
 * at most one of 256 colours where zero is between the limits or the scale is
 * logarithmic); on a linear scale that leaves zero out, one multiplication.
 */
import { type ColorMap, colorAt } from './colormap.ts';
import type { Normalisation } from './normalisation.ts';

export interface Colorizer {
  /** `pixels` must be as long as `values`. */
  all(values: Float32Array, pixels: Uint32Array): void;
  /** One row of an image, from the place `to` of `pixels` on: of the values from `from` on those that `samples` names. */
  row(values: Float32Array, from: number, samples: Uint16Array, pixels: Uint32Array, to: number): void;
}

/** What no scale can show (NaN, the logarithm of a negative number). */
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
export type ColorTable = Uint32Array;
export const colorTable = (): ColorTable => new Uint32Array(TABLE_SIZE);

/** The colorizer is good until the next one is made with the same `table`. */
export function makeColorizer(map: ColorMap, scale: Normalisation, table = colorTable()): Colorizer {
  // With zero between the limits a step of the table is at most one of 256 colours of a linear scale too.
  const arithmetic = scale.kind === 'linear' && (scale.low > 0 || scale.high < 0);
  return arithmetic ? linearColorizer(map, scale) : tableColorizer(map, scale, table);
}
