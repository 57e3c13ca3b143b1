/** Colour maps: tables of colours from assets/colormaps, where each names its source and licence. */
import berlin from '../../assets/colormaps/berlin.json';
import cividis from '../../assets/colormaps/cividis.json';
import coolwarm from '../../assets/colormaps/coolwarm.json';
import inferno from '../../assets/colormaps/inferno.json';
import magma from '../../assets/colormaps/magma.json';
import viridis from '../../assets/colormaps/viridis.json';

export interface ColorMap {
  readonly name: string;
  readonly title: string;
  /** Diverging maps have a neutral middle that belongs on zero. */
  readonly kind: 'sequential' | 'diverging';
  /** Colours as they lie in an ImageData: bytes R, G, B, A in memory. */
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

/** Red, green and blue (0 to 255) as one opaque pixel. Pages run on little-endian machines, as the frames do. */
export function packColor(red: number, green: number, blue: number): number {
  return ((OPAQUE << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

export function unpackColor(pixel: number): readonly [red: number, green: number, blue: number] {
  return [pixel & 0xff, (pixel >>> 8) & 0xff, (pixel >>> 16) & 0xff];
}

function decode(file: ColorMapFile): ColorMap {
  if (file.colors.length !== file.entries * 6) throw new Error(`${file.name}: ${file.colors.length} digits of colour`);
  const colors = Uint32Array.from({ length: file.entries }, (_, i) => {
    const [red, green, blue] = [0, 2, 4].map((at) =>
      Number.parseInt(file.colors.slice(i * 6 + at, i * 6 + at + 2), 16),
    );
    return packColor(red ?? 0, green ?? 0, blue ?? 0);
  });
  return { name: file.name, title: file.title, kind: file.kind === 'diverging' ? 'diverging' : 'sequential', colors };
}

/** The first is the default; all sequential ones read in order with the common colour-vision deficiencies, cividis best. */
export const colorMaps: readonly ColorMap[] = [viridis, cividis, magma, inferno, coolwarm, berlin].map(decode);

const byName = new Map(colorMaps.map((map) => [map.name, map]));

/** The map of that name; the default for a name that is not known (a setting from another version). */
export function colorMap(name: string): ColorMap {
  const map = byName.get(name) ?? colorMaps[0];
  if (map === undefined) throw new Error('there are no colour maps');
  return map;
}

/** The colour of a fraction; below 0 and above 1 the end colours. */
export function colorAt(map: ColorMap, fraction: number): number {
  const last = map.colors.length - 1;
  const index = Math.min(last, Math.max(0, Math.floor(fraction * (last + 1))));
  return map.colors[index] ?? 0;
}
