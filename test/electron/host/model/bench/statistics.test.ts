import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom, shuffled } from '../../../../../electron/host/model/bench/random.ts';
import {
  median,
  quantile,
  ratioInterval,
  relativeSpread,
} from '../../../../../electron/host/model/bench/statistics.ts';
import { limitsOf, StoppingRule } from '../../../../../electron/host/model/bench/stopping.ts';

describe('order statistics', () => {
  test('interpolate between values, whatever their order', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(quantile([10, 20, 30, 40, 50], 0.1)).toBe(14);
    expect(quantile([7], 0.9)).toBe(7);
    expect(median([])).toBeNaN();
    expect(relativeSpread([9, 10, 11, 10, 1000])).toBe(0.1);
  });
});

/**
 * The reference: every resample of n rounds there is, n to the power n of them,
 * each with its ratio of medians. The bootstrap draws from exactly these.
 */
function exhaustiveInterval(times: readonly number[], references: readonly number[]): { low: number; high: number } {
  const n = times.length;
  const ratios: number[] = [];
  for (let code = 0; code < n ** n; code += 1) {
    const rounds = Array.from({ length: n }, (_, digit) => Math.floor(code / n ** digit) % n);
    const pick = (values: readonly number[]): number => median(rounds.map((round) => values[round] ?? Number.NaN));
    ratios.push(pick(times) / pick(references));
  }
  return { low: quantile(ratios, 0.025), high: quantile(ratios, 0.975) };
}

describe('the bootstrap interval of a ratio', () => {
  const times = [1.02, 0.97, 1.0, 1.31, 0.99];
  const references = [2.1, 1.98, 2.0, 2.03, 1.95];

  test('meets the exhaustive bootstrap', () => {
    const exact = exhaustiveInterval(times, references);
    for (const seed of [1, 2, 3, 4, 5]) {
      const found = ratioInterval(times, references, seed);
      expect(found?.low).toBeCloseTo(exact.low, 2);
      expect(found?.high).toBeCloseTo(exact.high, 2);
    }
  });

  test('covers the true ratio as often as it says', () => {
    // Noise in proportion, and a drift that both share: pairing has to take it out.
    const random = seededRandom(7);
    const gauss = (): number => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    let covered = 0;
    const sessions = 300;
    for (let session = 0; session < sessions; session += 1) {
      const drift = Array.from({ length: 15 }, (_, round) => 1 + 0.02 * round);
      const a = drift.map((factor) => factor * 0.8 * (1 + 0.03 * gauss()));
      const b = drift.map((factor) => factor * (1 + 0.03 * gauss()));
      const interval = ratioInterval(a, b, session);
      if (interval !== null && interval.low <= 0.8 && 0.8 <= interval.high) covered += 1;
    }
    expect(covered / sessions).toBeGreaterThan(0.9);
    expect(covered / sessions).toBeLessThanOrEqual(1);
  });

  test('is the same for the same seed, and one point for equal lists', () => {
    expect(ratioInterval(times, references, 9)).toEqual(ratioInterval(times, references, 9));
    expect(ratioInterval(times, times, 1)).toEqual({ low: 1, high: 1 });
  });

  test('is not given for too few rounds', () => {
    expect(ratioInterval([1, 1, 1, 1], [1, 1, 1, 1], 1)).toBeNull();
    expect(ratioInterval([], [], 1)).toBeNull();
  });
});

describe('stopping', () => {
  const narrow = { middle: 0, half: 0.004 };
  const wide = { middle: 0, half: 0.1 };

  test('goes on while a ratio is wide or unknown', () => {
    const rule = new StoppingRule(limitsOf(40, 10));
    for (let instances = 3; instances < 12; instances += 1) {
      expect(rule.afterInstance([narrow, instances % 2 === 0 ? wide : null], instances)).toBeNull();
    }
    expect(rule.afterRound(39, 9.9)).toBeNull();
  });

  test('ends for each of its reasons', () => {
    const rule = new StoppingRule(limitsOf(40, 10, { precision: 0.005, mostInstances: 8 }));
    expect(rule.afterInstance([narrow], 5)).toBeNull();
    expect(rule.afterInstance([narrow], 6)).toBe('precise');
    expect(rule.afterInstance([wide], 8)).toBe('instances');
    expect(rule.afterRound(40, 1)).toBe('rounds');
    expect(rule.afterRound(1, 10)).toBe('time');
  });
});

describe('random numbers', () => {
  test('repeat with the seed and are spread evenly', () => {
    const draw = (seed: number): number[] => {
      const random = seededRandom(seed);
      return Array.from({ length: 10_000 }, () => random.next());
    };
    expect(draw(3)).toEqual(draw(3));
    expect(draw(3)).not.toEqual(draw(4));
    const values = draw(3);
    expect(values.reduce((sum, value) => sum + value, 0) / values.length).toBeCloseTo(0.5, 1.5);
    const bins = Array.from(
      { length: 10 },
      (_, bin) => values.filter((value) => Math.floor(value * 10) === bin).length,
    );
    // Chi-squared with 9 degrees of freedom stays below 27.9 in 999 of 1000 cases.
    expect(bins.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)).toBeLessThan(27.9);
  });

  test('shuffle without losing anything, every order alike', () => {
    const random = seededRandom(5);
    fc.assert(
      fc.property(fc.array(fc.integer()), (list) => {
        expect(shuffled(list, random).sort()).toEqual([...list].sort());
      }),
    );
    const orders = new Map<string, number>();
    for (let i = 0; i < 6000; i += 1) {
      const order = shuffled(['a', 'b', 'c'], random).join('');
      orders.set(order, (orders.get(order) ?? 0) + 1);
    }
    expect(orders.size).toBe(6);
    for (const count of orders.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});
