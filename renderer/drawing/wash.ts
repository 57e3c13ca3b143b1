/** Colours that let a grey map below show through. */
import { type ColorMap, packColor } from './colormap.ts';

/**
 * Opacity of the colours along their scale: `rising` from zero at the lower end, as for dose; `centred` with zero in
 * the middle, as for differences; `even` throughout, as for gamma.
 */
export type Wash = 'rising' | 'centred' | 'even';

const DENSEST = 0.7;
/** Share of the scale in which colours become as dense as they get. */
const RISE = 0.3;

const density: Readonly<Record<Wash, (fraction: number) => number>> = {
  rising: (fraction) => Math.min(1, fraction / RISE),
  centred: (fraction) => Math.min(1, Math.abs(2 * fraction - 1) / RISE),
  even: () => 1,
};

const made = new WeakMap<ColorMap, Partial<Record<Wash, ColorMap>>>();

/** The same object for the same map and wash: an image is coloured again only when its map is another. */
export function washed(map: ColorMap, wash: Wash): ColorMap {
  const known = made.get(map) ?? {};
  made.set(map, known);
  const last = Math.max(1, map.colors.length - 1);
  known[wash] ??= {
    ...map,
    colors: map.colors.map((color, i) => {
      const alpha = Math.round(255 * DENSEST * density[wash](i / last));
      return ((color & 0xffffff) | (alpha << 24)) >>> 0;
    }),
  };
  return known[wash];
}

/** From black to white. */
export const grey: ColorMap = {
  name: 'grey',
  title: 'Grey',
  kind: 'sequential',
  colors: Uint32Array.from({ length: 256 }, (_, i) => packColor(i, i, i)),
};
