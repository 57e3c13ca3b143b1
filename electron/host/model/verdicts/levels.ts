/**
 * Confidence intervals from the variation between instances. An instance is a separately prepared state: a process, or
 * a new set of allocations, uploads and modules. Rounds with the same instance show only the behaviour of that
 * instance. Only the variation between instances predicts the next one.
 */
import { mean, median, variance } from './order.ts';
import { twoSidedQuantile } from './student.ts';

// Standard error of the mean of a series whose neighbours may be correlated. A clock that stays in a state for longer
// than an instance correlates them. The standard error of independent values is then too small. Two estimates correct
// it. The larger counts, because each detects cases that the other misses:
//
// - From the correlation of neighbours, assuming a first-order autoregressive series. Few values underestimate the
//   correlation by a known bias: F. H. C. Marriott and J. A. Pope, Biometrika 41 (1954) 390.
// - From means of batches of neighbours, without assumptions on the decay of the correlation. Batches have all lengths
//   up to the usual one, the square root of the number of values: J. M. Flegal and G. L. Jones, Annals of Statistics 38
//   (2010) 1034.
//
// Neither estimate is below the error of independent values. Student's t retains its degrees of freedom. Fewer would
// widen the intervals of a few instances several times over, and their correlation is mostly chance.

/**
 * Largest correlation of neighbours that is assumed. A higher one lasts so long that few values cannot show its effect.
 */
const maxAutocorrelation = 0.6;

function autocorrelation(values: readonly number[]): number {
  const middle = mean(values);
  let [withNext, all] = [0, 0];
  for (const [i, value] of values.entries()) {
    all += (value - middle) ** 2;
    if (i > 0) withNext += (value - middle) * ((values[i - 1] ?? middle) - middle);
  }
  if (all === 0) return 0;
  const seen = withNext / all;
  return Math.min(maxAutocorrelation, Math.max(0, seen + (1 + 3 * Math.max(0, seen)) / values.length));
}

const independentError = (values: readonly number[]): number => Math.sqrt(variance(values) / values.length);

function autoregressiveError(values: readonly number[]): number {
  const alike = autocorrelation(values);
  return independentError(values) * Math.sqrt((1 + alike) / (1 - alike));
}

/** The first values are left out if they do not fill a batch. */
function batchError(values: readonly number[], length: number): number {
  const means: number[] = [];
  for (let end = values.length; end >= length; end -= length) means.push(mean(values.slice(end - length, end)));
  return independentError(means);
}

/** Minimum number of batches. The difference between only two varies too much by chance. */
const minBatches = 3;

/** Standard error of the mean. Needs at least three values. */
export function meanError(values: readonly number[]): number {
  let error = autoregressiveError(values);
  const longest = Math.min(Math.sqrt(values.length), values.length / minBatches);
  for (let length = 2; length <= longest; length += 1) error = Math.max(error, batchError(values, length));
  return error;
}

/** Times of a candidate in seconds: for each instance, the list of its rounds. */
export type Instances = readonly (readonly number[])[];

/** Minimum number of instances for an interval. */
const minInstances = 3;
/** Minimum number of rounds for an interval, over all instances. */
export const minRounds = 5;

/** An estimate and the half width of its confidence interval, both natural logarithms. */
export interface LogInterval {
  readonly middle: number;
  readonly half: number;
}

/** Interval of the ratio or time itself, from that of its logarithm. */
export const toInterval = ({ middle, half }: LogInterval) => ({
  low: Math.exp(middle - half),
  high: Math.exp(middle + half),
});

function hasEnoughRounds(instances: Instances): boolean {
  const rounds = instances.reduce((sum, times) => sum + times.length, 0);
  return instances.length >= minInstances && rounds >= minRounds && instances.every((times) => times.length > 0);
}

const logs = (times: readonly number[]): readonly number[] => times.map(Math.log);

const medianLogs = (instances: Instances): readonly number[] => instances.map((times) => median(logs(times)));

function studentInterval(values: readonly number[], outside: number): LogInterval {
  return { middle: mean(values), half: twoSidedQuantile(outside, values.length - 1) * meanError(values) };
}

/**
 * Time of a candidate: geometric mean of the medians of its instances. `outside` is the probability of a miss. Null for
 * too few instances.
 */
export function timeInterval(instances: Instances, outside: number): LogInterval | null {
  return hasEnoughRounds(instances) ? studentInterval(medianLogs(instances), outside) : null;
}

/**
 * Half width of the confidence interval of a quantity that may be negative, without logarithms. Null for too few
 * instances.
 */
export function intervalHalfWidth(instances: Instances, outside: number): number | null {
  return hasEnoughRounds(instances) ? studentInterval(instances.map(median), outside).half : null;
}

/**
 * Logarithm of the ratio of two candidates' times, measured in the same rounds. Round r of instance i of one is paired
 * with the same round of the other. Effects that both share (clock, drift, other programs) cancel in each ratio. The
 * interval reflects the variation between instances.
 */
export function pairedLogRatio(times: Instances, references: Instances, outside: number): LogInterval | null {
  const together = Math.min(times.length, references.length);
  const [own, against] = [times.slice(0, together), references.slice(0, together)];
  if (!(hasEnoughRounds(own) && hasEnoughRounds(against))) return null;
  return studentInterval(instanceLogRatios(own, against), outside);
}

/** For each instance, the median over its rounds of the logarithm of the ratio. */
export function instanceLogRatios(times: Instances, references: Instances): readonly number[] {
  return times.map((own, i) => {
    const against = references[i] ?? [];
    const rounds = Math.min(own.length, against.length);
    return median(own.slice(0, rounds).map((time, r) => Math.log(time / (against[r] ?? Number.NaN))));
  });
}

/** A series of times and its weight in a sum of logarithms. */
export interface WeightedSeries {
  readonly times: Instances;
  readonly weight: number;
}

/**
 * Weighted sum of the logarithms of times that were measured in the same rounds. Effects that all series share cancel
 * if the weights add up to 0.
 */
export function pairedContrast(all: readonly WeightedSeries[], outside: number): LogInterval | null {
  const together = Math.min(...all.map(({ times }) => times.length));
  const cut = all.map(({ times, weight }) => ({ times: times.slice(0, together), weight }));
  if (!cut.every(({ times }) => hasEnoughRounds(times))) return null;
  const instances = Array.from({ length: together }, (_, i) => {
    const rounds = Math.min(...cut.map(({ times }) => times[i]?.length ?? 0));
    return median(Array.from({ length: rounds }, (_, r) => sumOf(cut, i, r)));
  });
  return studentInterval(instances, outside);
}

const sumOf = (all: readonly WeightedSeries[], instance: number, round: number): number =>
  all.reduce((sum, { times, weight }) => sum + weight * Math.log(times[instance]?.[round] ?? Number.NaN), 0);

/**
 * Logarithm of the ratio of two candidates' times, measured separately, for example in two sessions: Welch's t over the
 * medians of the instances. B. L. Welch, Biometrika 34 (1947) 28.
 */
export function separateLogRatio(times: Instances, references: Instances, outside: number): LogInterval | null {
  if (!(hasEnoughRounds(times) && hasEnoughRounds(references))) return null;
  const [own, against] = [medianLogs(times), medianLogs(references)];
  const [a, b] = [meanError(own) ** 2, meanError(against) ** 2];
  const freedom = (a + b) ** 2 / (a ** 2 / (own.length - 1) + b ** 2 / (against.length - 1));
  // With a coarse clock neither series may vary; the difference then is exact.
  const half = a + b === 0 ? 0 : twoSidedQuantile(outside, freedom) * Math.sqrt(a + b);
  return { middle: mean(own) - mean(against), half };
}
