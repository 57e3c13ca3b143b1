/** How far an image is from another: four numbers, because correlation hides errors of half a bright pixel. */
import type { ImageError } from '../../../contract/image.ts';

const BRIGHT = 1e-3;

/** NaN in a pixel makes all four NaN. Throws a RangeError for images of different sizes. */
export function imageError(got: Float32Array, reference: Float32Array): ImageError {
  if (got.length !== reference.length) throw new RangeError('images of different sizes');
  let largest = 0;
  for (const photons of reference) largest = Math.max(largest, photons);
  let [difference, norm, sum, referenceSum, max, bright] = [0, 0, 0, 0, 0, 0];
  for (const [i, wanted] of reference.entries()) {
    const is = got[i] ?? Number.NaN;
    const off = Math.abs(is - wanted);
    difference += off * off;
    norm += wanted * wanted;
    sum += is;
    referenceSum += wanted;
    max = Math.max(max, off);
    if (wanted > BRIGHT * largest) bright = Math.max(bright, off / wanted);
  }
  return {
    rel_l2: Math.sqrt(difference / norm),
    max: max / largest,
    bright: Number.isNaN(difference) ? Number.NaN : bright,
    sum: Math.abs(sum / referenceSum - 1),
  };
}

/** Column by column; NaN is the worst. */
export function worstOf(a: ImageError, b: ImageError): ImageError {
  return {
    rel_l2: Math.max(a.rel_l2, b.rel_l2),
    max: Math.max(a.max, b.max),
    bright: Math.max(a.bright, b.bright),
    sum: Math.max(a.sum, b.sum),
  };
}
