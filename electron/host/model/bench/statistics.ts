/** Spread of a series, and the bootstrap intervals by which sessions without instances are told. */
import type { Interval } from '../../../contract/bench/interval.ts';
import { median, quantile } from '../verdicts/order.ts';
import { type Random, seededRandom } from './random.ts';

export type { Interval };
export { median, quantile };

/** Median absolute deviation from the median over the median: the spread that outliers do not move. */
export function relativeSpread(values: readonly number[]): number {
  const middle = median(values);
  return median(values.map((value) => Math.abs(value - middle))) / middle;
}

/** Fewer rounds than this tell nothing of their own spread. */
export const fewestForInterval = 5;

/** Resamples: the ends of a 95 % interval then stand on 100 values each. */
const resamples = 4000;

/**
 * 95 % percentile bootstrap interval of median(times) / median(references).
 * Entry i of both was measured in round i; rounds are drawn with both their
 * entries, so that a drift of the machine over the session cancels. Null for
 * too few rounds. B. Efron and R. Tibshirani, An Introduction to the Bootstrap,
 * 1993, chapter 13.
 */
export function ratioInterval(times: readonly number[], references: readonly number[], seed: number): Interval | null {
  const rounds = Math.min(times.length, references.length);
  if (rounds < fewestForInterval) return null;
  const random: Random = seededRandom(seed);
  const ratios = new Float64Array(resamples);
  const a = new Float64Array(rounds);
  const b = new Float64Array(rounds);
  for (let k = 0; k < resamples; k += 1) {
    for (let i = 0; i < rounds; i += 1) {
      const round = random.below(rounds);
      a[i] = times[round] ?? Number.NaN;
      b[i] = references[round] ?? Number.NaN;
    }
    ratios[k] = middleOf(a) / middleOf(b);
  }
  const all = [...ratios];
  return { low: quantile(all, 0.025), high: quantile(all, 0.975) };
}

/**
 * The same for times that were not taken in the same rounds, such as those of
 * another program: both are drawn on their own. Null for fewer than two of either.
 */
export function unpairedRatioInterval(
  times: readonly number[],
  references: readonly number[],
  seed: number,
): Interval | null {
  if (Math.min(times.length, references.length) < 2) return null;
  const random: Random = seededRandom(seed);
  const draw = (from: readonly number[], into: Float64Array): number => {
    for (let i = 0; i < into.length; i += 1) into[i] = from[random.below(from.length)] ?? Number.NaN;
    return middleOf(into);
  };
  const [a, b] = [new Float64Array(times.length), new Float64Array(references.length)];
  const all = Array.from({ length: resamples }, () => draw(times, a) / draw(references, b));
  return { low: quantile(all, 0.025), high: quantile(all, 0.975) };
}

/** 95 % percentile bootstrap interval of a median. Null for fewer than two values. */
export function medianInterval(values: readonly number[], seed: number): Interval | null {
  return unpairedRatioInterval(values, [1, 1], seed);
}

/** Median of a scratch array, which it sorts. */
function middleOf(values: Float64Array): number {
  values.sort();
  const half = values.length >> 1;
  const upper = values[half] ?? Number.NaN;
  return values.length % 2 === 1 ? upper : (upper + (values[half - 1] ?? Number.NaN)) / 2;
}
