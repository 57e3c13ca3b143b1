/**
 * How well the mean of a series is known whose neighbours may be alike. They are where a clock stays in a state for
 * longer than an instance. The standard error of independent values is too small there. Two estimates mend it. The
 * larger counts, because each is blind where the other sees:
 *
 * - From the likeness of neighbours, as of a series whose memory fades by as much at every place. Few values show less
 *   likeness than there is, by a known bias: F. H. C. Marriott and J. A. Pope, Biometrika 41 (1954) 390.
 * - From means of batches of neighbours, which suppose nothing of how memory fades. Batches have all lengths up to the
 *   root of the number of values, the usual one: J. M. Flegal and G. L. Jones, Annals of Statistics 38 (2010) 1034.
 *
 * Neither is below the error of independent values. Student's t keeps its degrees of freedom. Fewer would widen the
 * intervals of a few instances several times over, and their likeness is mostly chance.
 */
import { mean, variance } from './order.ts';

/** Above this a few values say nothing of how long memory lasts. */
const mostLikeness = 0.6;

function likeness(values: readonly number[]): number {
  const middle = mean(values);
  let [withNext, all] = [0, 0];
  for (const [i, value] of values.entries()) {
    all += (value - middle) ** 2;
    if (i > 0) withNext += (value - middle) * ((values[i - 1] ?? middle) - middle);
  }
  if (all === 0) return 0;
  const seen = withNext / all;
  return Math.min(mostLikeness, Math.max(0, seen + (1 + 3 * Math.max(0, seen)) / values.length));
}

const ofIndependent = (values: readonly number[]): number => Math.sqrt(variance(values) / values.length);

function ofAlike(values: readonly number[]): number {
  const alike = likeness(values);
  return ofIndependent(values) * Math.sqrt((1 + alike) / (1 - alike));
}

/** The first values that fill no batch are left out. */
function ofBatches(values: readonly number[], length: number): number {
  const means: number[] = [];
  for (let end = values.length; end >= length; end -= length) means.push(mean(values.slice(end - length, end)));
  return ofIndependent(means);
}

/** Two batches differ by chance as no others do. */
const fewestBatches = 3;

/** Standard error of the mean of at least three values. */
export function meanError(values: readonly number[]): number {
  let error = ofAlike(values);
  const longest = Math.min(Math.sqrt(values.length), values.length / fewestBatches);
  for (let length = 2; length <= longest; length += 1) error = Math.max(error, ofBatches(values, length));
  return error;
}
