/**
 * Values to pixels, as fast as one thread goes: a linear scale is a
 * multiplication per value; any other scale is one lookup in a table indexed by
 * the upper 16 bits of the float (7 bits of mantissa: steps of 0.8 %, below one
 * of 256 colours on a logarithmic scale of two decades or more).
 */
import { type ColorMap, colorAt } from './colormap.ts';
import type { Normalisation } from './normalisation.ts';

export type Colorizer = (values: Float32Array, pixels: Uint32Array) => void;

/** What no scale can show (NaN, the logarithm of a negative number). */
const TRANSPARENT = 0;
const TABLE_SIZE = 1 << 16;

function linearColorizer(map: ColorMap, scale: Normalisation): Colorizer {
  const { colors } = map;
  const last = colors.length - 1;
  const factor = colors.length / (scale.high - scale.low);
  const { low } = scale;
  return (values, pixels) => {
    for (let i = 0; i < values.length; i += 1) {
      const position = ((values[i] ?? 0) - low) * factor;
      const index = position <= 0 ? 0 : position >= last ? last : position | 0;
      pixels[i] = Number.isNaN(position) ? TRANSPARENT : (colors[index] ?? TRANSPARENT);
    }
  };
}

function tableColorizer(map: ColorMap, scale: Normalisation): Colorizer {
  const table = new Uint32Array(TABLE_SIZE);
  const float = new Float32Array(1);
  const bits = new Uint32Array(float.buffer);
  for (let i = 0; i < TABLE_SIZE; i += 1) {
    // The middle of the floats that share these bits; zero and the infinities stand for themselves.
    const exact = (i & 0x7fff) === 0 || (i & 0x7f80) === 0x7f80;
    bits[0] = ((i << 16) | (exact ? 0 : 0x8000)) >>> 0;
    const fraction = scale.fraction(float[0] ?? 0);
    table[i] = Number.isNaN(fraction) ? TRANSPARENT : colorAt(map, fraction);
  }
  return (values, pixels) => {
    const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
    for (let i = 0; i < words.length; i += 1) pixels[i] = table[(words[i] ?? 0) >>> 16] ?? TRANSPARENT;
  };
}

/** `pixels` must be as long as `values`. */
export function makeColorizer(map: ColorMap, scale: Normalisation): Colorizer {
  return scale.kind === 'linear' ? linearColorizer(map, scale) : tableColorizer(map, scale);
}
