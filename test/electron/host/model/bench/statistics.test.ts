import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  median,
  quantile,
  ratioInterval,
  relativeSpread,
  seededRandom,
  shuffle,
} from '../../../../../electron/host/model/bench/statistics.ts';
import { createLimits, StoppingRule } from '../../../../../electron/host/model/bench/stopping.ts';
import type { Instances } from '../../../../../electron/host/model/verdicts/levels.ts';

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
 * Exact interval from all n^n resamples of n rounds, each with its ratio of medians. The bootstrap draws from exactly
 * these.
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

  test('agrees with the exhaustive bootstrap', () => {
    const exact = exhaustiveInterval(times, references);
    for (const seed of [1, 2, 3, 4, 5]) {
      const found = ratioInterval(times, references, seed);
      expect(found?.low).toBeCloseTo(exact.low, 2);
      expect(found?.high).toBeCloseTo(exact.high, 2);
    }
  });

  test('covers the true ratio as often as stated', () => {
    // The noise is proportional to the time, and both variants have the same drift, which pairing must remove.
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

  test('is the same for the same seed, and a single point for equal lists', () => {
    expect(ratioInterval(times, references, 9)).toEqual(ratioInterval(times, references, 9));
    expect(ratioInterval(times, times, 1)).toEqual({ low: 1, high: 1 });
  });

  test('is not given for too few rounds', () => {
    expect(ratioInterval([1, 1, 1, 1], [1, 1, 1, 1], 1)).toBeNull();
    expect(ratioInterval([], [], 1)).toBeNull();
  });
});

describe('stopping a session', () => {
  interface SeriesAndNoise {
    readonly times: () => Instances;
    readonly wholes?: () => Instances;
    readonly judged: boolean;
  }

  /**
   * Three rounds in each of `count` instances. The logarithms of the instances deviate by ±`stray` from log(`time_s`).
   */
  const instances = (count: number, time_s: number, stray: number): Instances =>
    Array.from({ length: count }, (_, i) => Array(3).fill(time_s * Math.exp(i % 2 === 0 ? stray : -stray)) as number[]);

  const series = (
    count: number,
    time_s: number,
    stray: number,
    more: Partial<SeriesAndNoise> = {},
  ): SeriesAndNoise => ({
    times: () => instances(count, time_s, stray),
    judged: true,
    ...more,
  });

  /**
   * Applies the rule after each instance from the third on, as sessions do. Returns the first reason to stop, and the
   * number of instances.
   */
  function applyStoppingRule(
    rule: StoppingRule<SeriesAndNoise>,
    at: (count: number) => readonly SeriesAndNoise[],
    most = 40,
  ) {
    const kept = at(most);
    let now = 0;
    const cut = (all: () => Instances) => () => all().slice(0, now);
    const live = kept.map((one) => ({
      ...one,
      times: cut(one.times),
      ...(one.wholes && { wholes: cut(one.wholes) }),
    }));
    for (now = 1; now <= most; now += 1) {
      const { stop, settled } = rule.afterInstance(live, new Set(), now);
      if (stop !== null) return { stop, now, settled: settled.size };
    }
    return null;
  }

  test('happens when every verdict is settled, and not before six instances', () => {
    const rule = new StoppingRule<SeriesAndNoise>(createLimits(40, 10));
    const faster = (count: number) => [series(count, 1, 1e-3), series(count, 0.5, 2e-3), series(count, 1, -1e-3)];
    expect(applyStoppingRule(rule, faster)).toEqual({ stop: 'decided', now: 6, settled: 1 });
  });

  test('happens when all variants are the same within the margin', () => {
    const rule = new StoppingRule<SeriesAndNoise>(createLimits(40, 10));
    const same = (count: number) => [series(count, 1, 1e-3), series(count, 1, 2e-3), series(count, 1, -1e-3)];
    expect(applyStoppingRule(rule, same)).toMatchObject({ stop: 'decided' });
  });

  test('is delayed while a verdict is undecided, however many rounds that needs', () => {
    const rule = new StoppingRule<SeriesAndNoise>(createLimits(40, 10));
    // Candidates that differ by 3 %, with instances that vary by 20 %.
    const open = (count: number) => [series(count, 1, 0.1), series(count, 1.03, -0.1), series(count, 1, 0.1)];
    expect(applyStoppingRule(rule, open)).toBeNull();
  });

  test('is delayed while end-to-end runs are undecided, even if the steps are as precise as possible', () => {
    const steps = { times: () => instances(40, 1, 0) };
    const wholes = (time_s: number, stray: number) => ({ ...steps, wholes: () => instances(40, time_s, stray) });
    const of = (stray: number) => () => [
      { ...wholes(2, stray), judged: true },
      { ...wholes(1.9, -stray), times: () => instances(40, 0.5, 0), judged: true },
      { ...wholes(2, 0.9 * stray), judged: true },
    ];
    expect(applyStoppingRule(new StoppingRule<SeriesAndNoise>(createLimits(40, 10)), of(0.3))).toBeNull();
    expect(applyStoppingRule(new StoppingRule<SeriesAndNoise>(createLimits(40, 10)), of(1e-3))).toMatchObject({
      stop: 'decided',
    });
  });

  test('is delayed while the two fastest cannot be distinguished, even if both are faster than the reference', () => {
    const three = (stray: number) => (count: number) => [
      series(count, 1, 1e-3),
      series(count, 0.5, stray),
      series(count, 0.49, -stray),
      series(count, 1, -1e-3),
    ];
    expect(applyStoppingRule(new StoppingRule<SeriesAndNoise>(createLimits(40, 10)), three(0.05))).toBeNull();
    expect(applyStoppingRule(new StoppingRule<SeriesAndNoise>(createLimits(40, 10)), three(1e-4))).toMatchObject({
      stop: 'decided',
    });
  });

  test('does not wait for a wrong candidate', () => {
    const rule = new StoppingRule<SeriesAndNoise>(createLimits(40, 10));
    const wrong = (count: number) => [
      series(count, 1, 1e-3),
      series(count, 1.01, 0.5, { judged: false }),
      series(count, 0.5, 2e-3),
      series(count, 1, -1e-3),
    ];
    expect(applyStoppingRule(rule, wrong)).toMatchObject({ stop: 'decided', now: 6 });
  });

  test('happens at the requested precision, and at its limits', () => {
    const rule = new StoppingRule<SeriesAndNoise>(createLimits(40, 10, { precision: 0.005, mostInstances: 8 }));
    const narrow = (count: number) => [series(count, 1, 1e-3), series(count, 1.01, 1e-3), series(count, 1, 1e-3)];
    expect(applyStoppingRule(rule, narrow)).toMatchObject({ stop: 'precise', now: 6 });
    const wide = (count: number) => [series(count, 1, 0.1), series(count, 1.01, -0.1), series(count, 1, 0.1)];
    const limited = new StoppingRule<SeriesAndNoise>(createLimits(40, 10, { precision: 0.005, mostInstances: 8 }));
    expect(applyStoppingRule(limited, wide)).toMatchObject({ stop: 'instances', now: 8 });
    expect(rule.afterRound(39, 9, 0.5)).toBeNull();
    expect(rule.afterRound(40, 1, 0.5)).toBe('rounds');
  });

  test('happens before a round that would end after the limit', () => {
    const rule = new StoppingRule<SeriesAndNoise>(createLimits(40, 10));
    expect(rule.afterRound(1, 8, 1.9)).toBeNull();
    expect(rule.afterRound(1, 8, 2.1)).toBe('time');
    expect(rule.afterRound(1, 10, 0.1)).toBe('time');
  });
});

describe('random numbers', () => {
  test('repeat with the same seed and are evenly distributed', () => {
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
    // Chi-squared with 9 degrees of freedom is below 27.9 in 999 of 1000 cases.
    expect(bins.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)).toBeLessThan(27.9);
  });

  test('shuffle without losing items, with every order equally likely', () => {
    const random = seededRandom(5);
    fc.assert(
      fc.property(fc.array(fc.integer()), (list) => {
        expect(shuffle(list, random).sort()).toEqual([...list].sort());
      }),
    );
    const orders = new Map<string, number>();
    for (let i = 0; i < 6000; i += 1) {
      const order = shuffle(['a', 'b', 'c'], random).join('');
      orders.set(order, (orders.get(order) ?? 0) + 1);
    }
    expect(orders.size).toBe(6);
    for (const count of orders.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});
