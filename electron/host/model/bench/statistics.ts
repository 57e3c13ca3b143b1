/**
 * Spread of a series, and bootstrap intervals for sessions without instances. The random generator is seeded, so that
 * shuffles and intervals are the same on every machine.
 */
import type { Interval } from '../../../contract/bench/bench-session.ts';
import { median, quantile, sortedCopy, sortedQuantile } from '../verdicts/order.ts';

export interface RandomGenerator {
  /** Next random number, uniform in [0, 1). */
  next(): number;
  /** Next random integer, uniform in [0, count). */
  integerBelow(count: number): number;
}

/** Generator sfc32 (C. Doty-Humphrey, PractRand): 128 bits of state, passes BigCrush. */
export function seededRandom(seed: number): RandomGenerator {
  let [a, b, c, counter] = [0x9e3779b9, seed | 0, (seed / 0x1_0000_0000) | 0, 1];
  function nextWord(): number {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  }
  // The first dozen words are discarded, after which the seed has affected every bit of the state.
  for (let i = 0; i < 12; i += 1) nextWord();
  return {
    next: () => nextWord() / 0x1_0000_0000,
    integerBelow: (count) => Math.floor((nextWord() / 0x1_0000_0000) * count),
  };
}

/** Copy of a list in random order (Fisher–Yates shuffle). */
export function shuffle<T>(items: readonly T[], random: RandomGenerator): T[] {
  const all = [...items];
  for (let i = all.length - 1; i > 0; i -= 1) {
    const j = random.integerBelow(i + 1);
    const [x, y] = [all[i], all[j]];
    if (x !== undefined && y !== undefined) [all[i], all[j]] = [y, x];
  }
  return all;
}

export type { Interval };
export { median, quantile };

/** Median absolute deviation divided by the median: a measure of spread that outliers do not affect. */
export function relativeSpread(values: readonly number[]): number {
  const middle = median(values);
  return median(values.map((value) => Math.abs(value - middle))) / middle;
}

/** Minimum number of rounds for a bootstrap interval; fewer do not show their spread. */
const minForInterval = 5;

/** Number of bootstrap resamples: 100 of them lie beyond each end of a 95 % interval. */
const resamples = 4000;

/** Interval that contains 95 % of the resamples. */
function middleInterval(resampled: ArrayLike<number>): Interval {
  const sorted = sortedCopy(resampled);
  return { low: sortedQuantile(sorted, 0.025), high: sortedQuantile(sorted, 0.975) };
}

/**
 * 95 % percentile bootstrap interval of median(times) / median(references). Entry i of both lists was measured in round
 * i. Resampling draws rounds with both entries, so that slow drifts of the machine cancel. Null for too few rounds. B.
 * Efron and R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
 */
export function ratioInterval(times: readonly number[], references: readonly number[], seed: number): Interval | null {
  const rounds = Math.min(times.length, references.length);
  if (rounds < minForInterval) return null;
  const random: RandomGenerator = seededRandom(seed);
  const ratios = new Float64Array(resamples);
  const [a, b] = [new BootstrapSample(times.slice(0, rounds)), new BootstrapSample(references.slice(0, rounds))];
  for (let k = 0; k < resamples; k += 1) {
    for (let i = 0; i < rounds; i += 1) {
      const round = random.integerBelow(rounds);
      a.draw(round);
      b.draw(round);
    }
    ratios[k] = a.takeMedian() / b.takeMedian();
  }
  return middleInterval(ratios);
}

/**
 * 95 % bootstrap interval of a product of medians, each raised to the power of its weight. All series must be from the
 * same rounds.
 */
export function contrastInterval(
  all: readonly { readonly times: readonly number[]; readonly weight: number }[],
  seed: number,
): Interval | null {
  const rounds = Math.min(...all.map(({ times }) => times.length));
  if (rounds < minForInterval) return null;
  const random: RandomGenerator = seededRandom(seed);
  const drawn = all.map(({ times, weight }) => ({ of: new BootstrapSample(times.slice(0, rounds)), weight }));
  const sums = Array.from({ length: resamples }, () => {
    for (let i = 0; i < rounds; i += 1) {
      const round = random.integerBelow(rounds);
      for (const { of } of drawn) of.draw(round);
    }
    return drawn.reduce((sum, { of, weight }) => sum + weight * Math.log(of.takeMedian()), 0);
  });
  const { low, high } = middleInterval(sums);
  return { low: Math.exp(low), high: Math.exp(high) };
}

/**
 * 95 % bootstrap interval of a ratio of medians, for times from different rounds, such as those of another program.
 * Each series is resampled separately. Null if a series has fewer than two times.
 */
export function unpairedRatioInterval(
  times: readonly number[],
  references: readonly number[],
  seed: number,
): Interval | null {
  if (Math.min(times.length, references.length) < 2) return null;
  const random: RandomGenerator = seededRandom(seed);
  const [a, b] = [new BootstrapSample(times), new BootstrapSample(references)];
  const medianOf = (drawn: BootstrapSample, count: number): number => {
    for (let i = 0; i < count; i += 1) drawn.draw(random.integerBelow(count));
    return drawn.takeMedian();
  };
  return middleInterval(
    Array.from({ length: resamples }, () => medianOf(a, times.length) / medianOf(b, references.length)),
  );
}

/** 95 % percentile bootstrap interval of a median. Null for fewer than two values. */
export function medianInterval(values: readonly number[], seed: number): Interval | null {
  return unpairedRatioInterval(values, [1, 1], seed);
}

/** Draws values with replacement, as many as there are, and finds the median of the draws without sorting them. */
class BootstrapSample {
  readonly #sorted: Float64Array;
  /** Rank of each value in sorted order. `#counts` has the number of draws by rank. */
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

  /** Median of the values drawn since the last call. Resets the draws. */
  takeMedian(): number {
    const half = this.#counts.length >> 1;
    let [seen, rank, lower] = [0, -1, 0];
    while (seen <= half) {
      rank += 1;
      const count = this.#counts[rank] ?? 0;
      // Rank of the last drawn value in the lower half.
      if (count > 0 && seen < half) lower = rank;
      seen += count;
    }
    // If this value was drawn several times, both middle draws may be this value.
    if (seen - (this.#counts[rank] ?? 0) < half) lower = rank;
    this.#counts.fill(0);
    const upper = this.#sorted[rank] ?? Number.NaN;
    return this.#counts.length % 2 === 1 ? upper : (upper + (this.#sorted[lower] ?? Number.NaN)) / 2;
  }
}
