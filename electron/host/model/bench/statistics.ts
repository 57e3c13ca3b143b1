/** Spread of a series, and bootstrap intervals for sessions without instances. */
import type { Interval } from '../../../contract/bench/interval.ts';
import { inOrder, median, quantile, quantileInOrder } from '../verdicts/order.ts';
import { type Random, seededRandom } from './random.ts';

export type { Interval };
export { median, quantile };

/** Median absolute deviation from the median over the median: the spread that outliers do not move. */
export function relativeSpread(values: readonly number[]): number {
  const middle = median(values);
  return median(values.map((value) => Math.abs(value - middle))) / middle;
}

/** Fewer rounds than this tell nothing of their own spread. */
const fewestForInterval = 5;

/** Number of resamples: each end of a 95 % interval then rests on 100 values. */
const resamples = 4000;

/** Between which 95 % of the resamples lie. */
function middleOf(resampled: ArrayLike<number>): Interval {
  const sorted = inOrder(resampled);
  return { low: quantileInOrder(sorted, 0.025), high: quantileInOrder(sorted, 0.975) };
}

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
  const [a, b] = [new Drawn(times.slice(0, rounds)), new Drawn(references.slice(0, rounds))];
  for (let k = 0; k < resamples; k += 1) {
    for (let i = 0; i < rounds; i += 1) {
      const round = random.below(rounds);
      a.draw(round);
      b.draw(round);
    }
    ratios[k] = a.takeMedian() / b.takeMedian();
  }
  return middleOf(ratios);
}

/** The same of a product of medians, each to the power of its weight. */
export function contrastInterval(
  all: readonly { readonly times: readonly number[]; readonly weight: number }[],
  seed: number,
): Interval | null {
  const rounds = Math.min(...all.map(({ times }) => times.length));
  if (rounds < fewestForInterval) return null;
  const random: Random = seededRandom(seed);
  const drawn = all.map(({ times, weight }) => ({ of: new Drawn(times.slice(0, rounds)), weight }));
  const sums = Array.from({ length: resamples }, () => {
    for (let i = 0; i < rounds; i += 1) {
      const round = random.below(rounds);
      for (const { of } of drawn) of.draw(round);
    }
    return drawn.reduce((sum, { of, weight }) => sum + weight * Math.log(of.takeMedian()), 0);
  });
  const { low, high } = middleOf(sums);
  return { low: Math.exp(low), high: Math.exp(high) };
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
  const [a, b] = [new Drawn(times), new Drawn(references)];
  const medianOf = (drawn: Drawn, count: number): number => {
    for (let i = 0; i < count; i += 1) drawn.draw(random.below(count));
    return drawn.takeMedian();
  };
  return middleOf(Array.from({ length: resamples }, () => medianOf(a, times.length) / medianOf(b, references.length)));
}

/** 95 % percentile bootstrap interval of a median. Null for fewer than two values. */
export function medianInterval(values: readonly number[], seed: number): Interval | null {
  return unpairedRatioInterval(values, [1, 1], seed);
}

/** Values drawn with repetition, as many as there are: their median without sorting them each time. */
class Drawn {
  readonly #sorted: Float64Array;
  /** Rank of each value in sorted order, and the number of draws by rank. */
  readonly #ranks: Uint32Array;
  readonly #counts: Uint32Array;

  constructor(values: readonly number[]) {
    const order = [...values.keys()].sort((i, j) => (values[i] ?? 0) - (values[j] ?? 0));
    this.#sorted = Float64Array.from(order, (i) => values[i] ?? Number.NaN);
    this.#ranks = new Uint32Array(values.length);
    for (const [rank, i] of order.entries()) this.#ranks[i] = rank;
    this.#counts = new Uint32Array(values.length);
  }

  draw(i: number): void {
    const rank = this.#ranks[i] ?? 0;
    this.#counts[rank] = (this.#counts[rank] ?? 0) + 1;
  }

  /** Median of the values drawn since the last call; resets the draws. */
  takeMedian(): number {
    const half = this.#counts.length >> 1;
    let [seen, rank, lower] = [0, -1, 0];
    while (seen <= half) {
      rank += 1;
      const count = this.#counts[rank] ?? 0;
      // The last one before the middle.
      if (count > 0 && seen < half) lower = rank;
      seen += count;
    }
    // Drawn more than once, the one in the middle may be the one before it, too.
    if (seen - (this.#counts[rank] ?? 0) < half) lower = rank;
    this.#counts.fill(0);
    const upper = this.#sorted[rank] ?? Number.NaN;
    return this.#counts.length % 2 === 1 ? upper : (upper + (this.#sorted[lower] ?? Number.NaN)) / 2;
  }
}
