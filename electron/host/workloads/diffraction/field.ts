/** An image as comparisons show it. */
import type { ComparedField } from '../../model/fields/field.ts';
import { type Image, pixelAxis } from './view.ts';

export function imageField({ width, height, image }: Image): ComparedField {
  return {
    quantity: 'photons',
    unit: 'photons',
    values: image,
    scale: 1,
    horizontal: pixelAxis('fast', width),
    vertical: pixelAxis('slow', height),
    strideHorizontal: 1,
    strideVertical: width,
    statistic: 'max',
    curve: null,
  };
}
