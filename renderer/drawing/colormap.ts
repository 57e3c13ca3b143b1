/**
 * Colour maps, read from tables in assets/colormaps, where each names its source and licence. With transparency they
 * let a grey map below show through. Normalisations convert field values to fractions from 0 to 1 for colour maps and
 * colour bars.
 */
import berlin from '../../assets/colormaps/berlin.json';
import cividis from '../../assets/colormaps/cividis.json';
import coolwarm from '../../assets/colormaps/coolwarm.json';
import inferno from '../../assets/colormaps/inferno.json';
import magma from '../../assets/colormaps/magma.json';
import viridis from '../../assets/colormaps/viridis.json';
import { powerOfTen } from '../../electron/domain/numbers.ts';
import { linearTicks, logTicks, type Tick } from './scale.ts';

export interface ColorMap {
  readonly name: string;
  readonly title: string;
  /** Diverging maps have a neutral middle colour for zero. */
  readonly kind: 'sequential' | 'diverging';
  /** Colours in the byte order of ImageData: R, G, B, A. */
  readonly colors: Uint32Array;
}

interface ColorMapFile {
  readonly name: string;
  readonly title: string;
  readonly kind: string;
  readonly entries: number;
  /** Six hexadecimal digits per entry. */
  readonly colors: string;
}

const OPAQUE = 0xff;

/** Packs red, green and blue (0 to 255) into one opaque pixel. Assumes a little-endian machine, as the frames do. */
function packColor(red: number, green: number, blue: number): number {
  return ((OPAQUE << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

export function unpackColor(pixel: number): readonly [red: number, green: number, blue: number] {
  return [pixel & 0xff, (pixel >>> 8) & 0xff, (pixel >>> 16) & 0xff];
}

function decodeColorMap(file: ColorMapFile): ColorMap {
  if (file.colors.length !== file.entries * 6) throw new Error(`${file.name}: ${file.colors.length} digits of colour`);
  const colors = Uint32Array.from({ length: file.entries }, (_, i) => {
    const [red, green, blue] = [0, 2, 4].map((at) =>
      Number.parseInt(file.colors.slice(i * 6 + at, i * 6 + at + 2), 16),
    );
    return packColor(red ?? 0, green ?? 0, blue ?? 0);
  });
  return { name: file.name, title: file.title, kind: file.kind === 'diverging' ? 'diverging' : 'sequential', colors };
}

/**
 * The first map is the default. All sequential maps are readable with the common colour-vision deficiencies; cividis is
 * best.
 */
export const colorMaps: readonly ColorMap[] = [viridis, cividis, magma, inferno, coolwarm, berlin].map(decodeColorMap);

const byName = new Map(colorMaps.map((map) => [map.name, map]));

/** The map with that name; the default if the name is unknown, as in a setting from another version. */
export function colorMap(name: string): ColorMap {
  const map = byName.get(name) ?? colorMaps[0];
  if (map === undefined) throw new Error('there are no colour maps');
  return map;
}

/** Colour of a fraction, clamped to the end colours below 0 and above 1. */
export function colorAt(map: ColorMap, fraction: number): number {
  const last = map.colors.length - 1;
  const index = Math.min(last, Math.max(0, Math.floor(fraction * (last + 1))));
  return map.colors[index] ?? 0;
}

export type ScaleKind = 'linear' | 'log' | 'symlog';

export interface Limits {
  readonly low: number;
  readonly high: number;
}

export interface Normalisation extends Limits {
  readonly kind: ScaleKind;
  /**
   * Position of a value between the limits, not clamped: below 0 or above 1 outside the limits, NaN if the scale cannot
   * show the value.
   */
  fraction(value: number): number;
  value(fraction: number): number;
  ticks(most: number): { readonly ticks: readonly Tick[]; readonly exponent: number };
}

/** Decades below the upper limit that a logarithmic scale shows by default. */
const DEFAULT_DECADES = 5;

function linearNormalisation(low: number, high: number): Normalisation {
  const span = high - low;
  return {
    kind: 'linear',
    low,
    high,
    fraction: (value) => (value - low) / span,
    value: (fraction) => low + fraction * span,
    ticks: (most) => linearTicks(low, high, most),
  };
}

function logarithmicNormalisation(low: number, high: number): Normalisation {
  const base = Math.log10(low);
  const span = Math.log10(high) - base;
  return {
    kind: 'log',
    low,
    high,
    fraction: (value) => (value > 0 ? (Math.log10(value) - base) / span : value === 0 ? -1 : Number.NaN),
    value: (fraction) => 10 ** (base + fraction * span),
    ticks: (most) => ({ ticks: logTicks(low, high, most), exponent: 0 }),
  };
}

/** arsinh(v / threshold): linear around zero, logarithmic far from it. */
function symmetricLogNormalisation(low: number, high: number, threshold: number): Normalisation {
  const bent = (value: number): number => Math.asinh(value / threshold);
  const base = bent(low);
  const span = bent(high) - base;
  const ticks = (most: number): readonly Tick[] => {
    const largest = Math.max(Math.abs(low), Math.abs(high));
    const last = Math.floor(Math.log10(largest) + 1e-9);
    const first = Math.ceil(Math.log10(threshold) - 1e-9);
    const every = Math.max(1, Math.ceil(((last - first + 1) * (low < 0 ? 2 : 1) + 1) / Math.max(2, most)));
    const out: Tick[] = low <= 0 && high >= 0 ? [{ value: 0, label: '0' }] : [];
    for (let exponent = last; exponent >= first; exponent -= every) {
      const value = 10 ** exponent;
      if (value <= high && value >= low) out.push({ value, label: powerOfTen(exponent) });
      if (-value <= high && -value >= low) out.push({ value: -value, label: `−${powerOfTen(exponent)}` });
    }
    return out.sort((a, b) => a.value - b.value);
  };
  return {
    kind: 'symlog',
    low,
    high,
    fraction: (value) => (bent(value) - base) / span,
    value: (fraction) => Math.sinh(base + fraction * span) * threshold,
    ticks: (most) => ({ ticks: ticks(most), exponent: 0 }),
  };
}

/**
 * Limits that can be drawn: not empty, and above zero on a logarithmic scale. A constant or empty field still gets a
 * colour bar.
 */
export function drawableLimits(kind: ScaleKind, limits: Limits, minPositive: number): Limits {
  const high = Number.isFinite(limits.high) ? limits.high : 1;
  const low = Number.isFinite(limits.low) ? limits.low : 0;
  if (kind !== 'log') return high > low ? { low, high } : { low, high: low + (Math.abs(low) || 1) };
  const top = high > 0 ? high : 1;
  const floor = top * 10 ** -DEFAULT_DECADES;
  const bottom = low > 0 ? low : Math.max(minPositive, floor);
  return { low: bottom < top ? bottom : floor, high: top };
}

/** `limits` must come from drawableLimits. */
export function normalisation(kind: ScaleKind, limits: Limits): Normalisation {
  if (kind === 'linear') return linearNormalisation(limits.low, limits.high);
  if (kind === 'log') return logarithmicNormalisation(limits.low, limits.high);
  const largest = Math.max(Math.abs(limits.low), Math.abs(limits.high));
  return symmetricLogNormalisation(limits.low, limits.high, largest * 10 ** -(DEFAULT_DECADES - 2));
}

/**
 * Opacity of the colours along their scale: `rising` from zero at the lower end, as for dose; `centred` with
 * transparency at zero in the middle, as for differences; `even` throughout, as for gamma.
 */
export type OverlayOpacity = 'rising' | 'centred' | 'even';

const MAX_OPACITY = 0.7;
/** Share of the scale over which the opacity rises to its maximum. */
const RISE = 0.3;

const density: Readonly<Record<OverlayOpacity, (fraction: number) => number>> = {
  rising: (fraction) => Math.min(1, fraction / RISE),
  centred: (fraction) => Math.min(1, Math.abs(2 * fraction - 1) / RISE),
  even: () => 1,
};

const cachedColorMaps = new WeakMap<ColorMap, Partial<Record<OverlayOpacity, ColorMap>>>();

/** Cached per map and opacity, so that an image is recoloured only if its map changes. */
export function withOpacity(map: ColorMap, wash: OverlayOpacity): ColorMap {
  const known = cachedColorMaps.get(map) ?? {};
  cachedColorMaps.set(map, known);
  const last = Math.max(1, map.colors.length - 1);
  known[wash] ??= {
    ...map,
    colors: map.colors.map((color, i) => {
      const alpha = Math.round(255 * MAX_OPACITY * density[wash](i / last));
      return ((color & 0xffffff) | (alpha << 24)) >>> 0;
    }),
  };
  return known[wash];
}

/** Colour map from black to white. */
export const grey: ColorMap = {
  name: 'grey',
  title: 'Grey',
  kind: 'sequential',
  colors: Uint32Array.from({ length: 256 }, (_, i) => packColor(i, i, i)),
};
