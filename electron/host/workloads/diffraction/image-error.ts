/** Error of an image relative to another. Several numbers, because correlation hides errors of half a bright pixel. */
import type { ImageError } from '../../../contract/image.ts';

const BRIGHT = 1e-3;

/** JSON has no NaN. */
const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Throws a RangeError for images of different sizes. */
export function imageError(got: Float32Array | Float64Array, reference: Float32Array | Float64Array): ImageError {
  if (got.length !== reference.length) throw new RangeError('images of different sizes');
  let largest = 0;
  // By index: images have up to a hundred million pixels, and an iterator makes an object of each.
  for (let i = 0; i < reference.length; i += 1) largest = Math.max(largest, reference[i] ?? 0);
  let [difference, norm, own, together, sum, referenceSum] = [0, 0, 0, 0, 0, 0];
  let [max, bright, relative, counted] = [0, 0, 0, 0];
  for (let i = 0; i < reference.length; i += 1) {
    const wanted = reference[i] ?? Number.NaN;
    const is = got[i] ?? Number.NaN;
    const off = Math.abs(is - wanted);
    difference += off * off;
    norm += wanted * wanted;
    own += is * is;
    together += is * wanted;
    sum += is;
    referenceSum += wanted;
    max = Math.max(max, off);
    if (wanted > BRIGHT * largest) {
      bright = Math.max(bright, off / wanted);
      relative += off / wanted;
      counted += 1;
    }
  }
  const pixels = reference.length;
  const covariance = together - (sum * referenceSum) / pixels;
  const variances = (own - (sum * sum) / pixels) * (norm - (referenceSum * referenceSum) / pixels);
  return {
    rel_l2: finite(Math.sqrt(difference / norm)),
    max: finite(max / largest),
    bright: Number.isNaN(difference) || largest === 0 ? null : bright,
    sum: finite(Math.abs(sum / referenceSum - 1)),
    mean: Number.isNaN(difference) ? null : finite(relative / counted),
    // Rounding leaves equal images beyond 1 by a digit.
    correlation: finite(Math.min(1, covariance / Math.sqrt(variances))),
  };
}

const worse = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : Math.max(a, b));

/** Column by column; null is the worst. */
export function worstOf(a: ImageError, b: ImageError): ImageError {
  return {
    rel_l2: worse(a.rel_l2, b.rel_l2),
    max: worse(a.max, b.max),
    bright: worse(a.bright, b.bright),
    sum: worse(a.sum, b.sum),
    mean: worse(a.mean, b.mean),
    correlation: a.correlation === null || b.correlation === null ? null : Math.min(a.correlation, b.correlation),
  };
}
