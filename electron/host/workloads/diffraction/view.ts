/** An image as it is sent for display, and single pixels of it. */
import { BraggError } from '../../../contract/errors.ts';
import type { FieldMap } from '../../../contract/fields.ts';
import type { ImageView } from '../../../contract/image.ts';
import { type GridAxis, mapAxis, reduced, sampling } from '../../model/fields/reduce.ts';

/** Photons per pixel, [slow][fast]. */
export interface Image {
  readonly width: number;
  readonly height: number;
  readonly image: Float32Array;
}

export function pixelAxis(name: 'fast' | 'slow', count: number): GridAxis {
  return { name, unit: 'px', uniform: true, edges: Float64Array.from({ length: count + 1 }, (_, i) => i) };
}

/** Never more samples than pixels of the screen. */
export async function imageMap(
  { width, height, image }: Image,
  { viewport, statistic = 'mean' }: ImageView,
  quantity = 'photons',
): Promise<FieldMap> {
  const [fast, slow] = [pixelAxis('fast', width), pixelAxis('slow', height)];
  const across = sampling(fast, viewport.horizontal, viewport.pixels[0]);
  const down = sampling(slow, viewport.vertical, viewport.pixels[1]);
  const plane = { values: image, strideHorizontal: 1, strideVertical: width };
  return {
    quantity,
    unit: 'photons',
    horizontal: mapAxis(fast, across),
    vertical: mapAxis(slow, down),
    ...(await reduced(plane, across, down, statistic, 1)),
  };
}

/** Throws BraggError `unsupported` for images of different sizes. */
export function checkSameSize(a: Image, b: Image): void {
  if (a.width === b.width && a.height === b.height) return;
  const size = ({ width, height }: Image): string => `${width} × ${height} pixels`;
  throw new BraggError('unsupported', `The images differ in size: ${size(a)} here, ${size(b)} there.`);
}

/** `here` less `there`, pixel by pixel. */
export function imageDifference(here: Image, there: Image): Image {
  checkSameSize(here, there);
  const image = here.image.map((value, i) => value - (there.image[i] ?? 0));
  return { width: here.width, height: here.height, image };
}
