/** Colours of spans: the page's series colours, lighter where a pixel was idle part of the time. */

const TINTS = 8;
const LEVELS = 16;
/** A pixel with a single short span in it is still to be seen. */
const FAINTEST = 0.4;
/** Colour strength of spans that do not match a search. */
const DIMMED = 0.22;

type Rgb = readonly [red: number, green: number, blue: number];

export interface TimelinePalette {
  /** By tint, as CSS. */
  readonly css: readonly string[];
  readonly dimmedCss: readonly string[];
  /** Names on spans. */
  readonly label: string;
  readonly dimmedLabel: string;
  /** [(dimmed ? 1 : 0) · TINTS + tint][level], packed as the bytes of a pixel lie in memory. */
  readonly packed: Uint32Array;
}

const mix = (from: Rgb, to: Rgb, share: number): Rgb => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
];

/** Red in the lowest byte: the order of ImageData on little-endian machines, which all browsers' are. */
const pack = ([red, green, blue]: Rgb): number =>
  (255 * 2 ** 24 + Math.round(blue) * 2 ** 16 + Math.round(green) * 2 ** 8 + Math.round(red)) >>> 0;

const css = ([red, green, blue]: Rgb): string => `rgb(${Math.round(red)} ${Math.round(green)} ${Math.round(blue)})`;

/** `#rrggbb`. */
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
      const strength = FAINTEST + ((1 - FAINTEST) * level) / (LEVELS - 1);
      packed[i * LEVELS + level] = pack(mix(surface, color, strength));
      packed[(TINTS + i) * LEVELS + level] = pack(mix(surface, color, strength * DIMMED));
    }
  }
  return {
    css: tints.map(css),
    dimmedCss: tints.map((color) => css(mix(surface, color, DIMMED))),
    label: css(surface),
    dimmedLabel: css(mix(surface, text, 0.75)),
    packed,
  };
}

/** Pixel of a rectangle with this tint and busy share (0 to 255). */
export function pixelOf(palette: TimelinePalette, tint: number, busy: number, dimmed: boolean): number {
  return palette.packed[((dimmed ? TINTS : 0) + (tint & (TINTS - 1))) * LEVELS + (busy >> 4)] ?? 0;
}

/** Reads the design tokens; call it again when the theme has changed. */
export function readTimelinePalette(element: Element): TimelinePalette {
  const style = getComputedStyle(element);
  const token = (name: string): Rgb => parseHex(style.getPropertyValue(name));
  return timelinePalette(
    Array.from({ length: TINTS }, (_, i) => token(`--series-${i + 1}`)),
    token('--surface'),
    token('--text'),
  );
}
