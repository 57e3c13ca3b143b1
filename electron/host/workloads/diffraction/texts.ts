/** A diffraction run in words. */
import { countText } from '../../../contract/units.ts';

export function pixelsText({ width, height }: { readonly width: number; readonly height: number }): string {
  return `${width} × ${height} pixels`;
}

export function imageUpTo(done: number): string {
  return `${Math.floor(100 * done)} % of the image`;
}

interface Size {
  readonly width: number;
  readonly height: number;
  readonly oversample: number;
  readonly sources: number;
  readonly orientations: number;
  readonly layers: number;
}

/** `1024 × 1024 pixels of 2 × 2 sub-pixels, 1 source, 4 orientations`. */
export function imageText(size: Size): string {
  const { oversample, sources, orientations, layers } = size;
  const sub = oversample === 1 ? '' : ` of ${oversample} × ${oversample} sub-pixels`;
  const deep = layers === 1 ? '' : `, ${layers} layers`;
  return `${pixelsText(size)}${sub}${deep}, ${countText(sources, 'source')}, ${countText(orientations, 'orientation')}`;
}
