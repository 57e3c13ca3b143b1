/** How often values occur, over the fractions of a scale: for the bar beside the colours. */
import type { Normalisation } from './normalisation.ts';

/** More samples than these change nothing that is seen, and a live field has a new histogram with every frame. */
const MOST_SAMPLES = 4096;

/** Counts per bin of the scale's 0 … 1, scaled so that the largest is 1. What lies outside is not counted. */
export function histogram(values: Float32Array, scale: Normalisation, bins: number): Float32Array {
  const counts = new Float32Array(bins);
  const stride = Math.max(1, Math.floor(values.length / MOST_SAMPLES));
  for (let i = 0; i < values.length; i += stride) {
    const fraction = scale.fraction(values[i] ?? Number.NaN);
    if (!(fraction >= 0 && fraction <= 1)) continue;
    const bin = Math.min(bins - 1, Math.floor(fraction * bins));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  // Logarithms of the counts: nearly all cells of a beam's field are empty, and would hide the rest.
  let most = 0;
  for (let i = 0; i < bins; i += 1) {
    counts[i] = Math.log1p(counts[i] ?? 0);
    most = Math.max(most, counts[i] ?? 0);
  }
  if (most > 0) for (let i = 0; i < bins; i += 1) counts[i] = (counts[i] ?? 0) / most;
  return counts;
}
