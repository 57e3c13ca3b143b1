import { describe, expect, it } from 'vitest';
import { judgeRatio, missProbability, noiseFloor } from '../../../../../electron/host/model/verdicts/judge.ts';
import {
  type Instances,
  meanError,
  pairedLogRatio,
  separateLogRatio,
  timeInterval,
} from '../../../../../electron/host/model/verdicts/levels.ts';
import { PrecisionRule } from '../../../../../electron/host/model/verdicts/precision.ts';
import { twoSidedProbability, twoSidedQuantile } from '../../../../../electron/host/model/verdicts/student.ts';
import { missedTargets, noiseModels, ratesOf } from '../../../../bench/verdicts/simulate.ts';

describe('error rates of verdicts', () => {
  /**
   * Number of simulated sessions. `npm run bench -- verdicts` simulates ten times as many; rates.long.test.ts covers
   * the other noise models.
   */
  const trials = 200;

  /** One model of each kind: independent samples, states that both series share, serial correlation, and placement. */
  const kinds = [
    'log-normal 1 %',
    'two clock states ±8 %, shared',
    'AR(1) 0.6 of 1 %, own series',
    'placement 1 % per instance',
  ];
  const models = noiseModels.filter(({ name }) => kinds.includes(name));

  it('simulates one noise model of each kind', () => expect(models.map(({ name }) => name)).toEqual(kinds));

  describe.each(['decided', 'precise'] as const)('verdicts under noise, for sessions that end when %s', (rule) => {
    it.each(models.map((model) => [model.name, model] as const))('keep their error rates: %s', (_, model) => {
      expect(missedTargets(ratesOf(model, { candidates: 1, rule }, trials, 7), trials, 3)).toEqual([]);
    });
  });

  it('verdicts on ten candidates keep their error rates', () => {
    const [model] = models;
    if (model === undefined) throw new Error('no model of noise');
    expect(missedTargets(ratesOf(model, { candidates: 10, rule: 'decided' }, trials, 7), trials, 3)).toEqual([]);
  });
});

describe('Student’s t', () => {
  // Values of Student's t from textbook tables: two-sided 5 % and 1 %.
  it.each([
    [0.05, 1, 12.7062],
    [0.05, 2, 4.30265],
    [0.05, 4, 2.776445],
    [0.05, 30, 2.042272],
    [0.01, 5, 4.032143],
    [0.05, 1e6, 1.959966],
  ])(
    'the quantile at %f is exceeded with the stated probability at %f degrees of freedom',
    (outside, freedom, expected) => {
      expect(twoSidedQuantile(outside, freedom)).toBeCloseTo(expected, 4);
    },
  );

  it('the quantile agrees with the distribution, also between integer degrees of freedom', () => {
    for (const freedom of [0.7, 1.5, 2.3, 7.9, 55.5]) {
      for (const outside of [0.001, 0.0045, 0.05, 0.5]) {
        expect(twoSidedProbability(twoSidedQuantile(outside, freedom), freedom)).toBeCloseTo(outside, 9);
      }
    }
  });

  it('the quantile is infinite without a degree of freedom', () => {
    expect(twoSidedQuantile(0.05, 0)).toBe(Number.POSITIVE_INFINITY);
    expect(twoSidedQuantile(0.05, Number.NaN)).toBe(Number.POSITIVE_INFINITY);
  });
});

/** Instances of five rounds each, with these medians. */
const around = (...medians: readonly number[]): Instances =>
  medians.map((middle) => [0.9, 0.95, 1, 1.05, 1.3].map((factor) => middle * factor));

describe('confidence intervals from instances', () => {
  it('are not given for two instances, an empty one, or fewer than five rounds in total', () => {
    expect(timeInterval(around(1, 1), 0.05)).toBeNull();
    expect(timeInterval([[1, 1], [1, 1], []], 0.05)).toBeNull();
    expect(timeInterval([[1], [1], [1, 1]], 0.05)).toBeNull();
    expect(timeInterval([[1], [1, 1], [1, 1]], 0.05)).not.toBeNull();
    expect(pairedLogRatio(around(1, 1, 1), around(1, 1), 0.05)).toBeNull();
    expect(separateLogRatio(around(1, 1), around(1, 1, 1), 0.05)).toBeNull();
  });

  it('include the variation between instances, not that of the rounds within one', () => {
    const calm = timeInterval(around(2, 2, 2, 2), 0.05);
    expect(calm?.middle).toBeCloseTo(Math.log(2), 12);
    expect(calm?.half).toBeCloseTo(0, 12);
    // By hand: logarithms ∓0.01 twice each, standard deviation 0.011547, divided by √4, times 3.1824. Signs alternate,
    // so that neighbours are not positively correlated.
    const spread = timeInterval(around(Math.exp(-0.01), Math.exp(0.01), Math.exp(-0.01), Math.exp(0.01)), 0.05);
    expect(spread?.half).toBeCloseTo((3.182446 * 0.011547) / 2, 6);
  });

  it('are wider if neighbouring rounds are similar than if they alternate', () => {
    const medians = [1, 1.01, 1, 1.01, 1, 1.01, 1, 1.01];
    const alternating = timeInterval(around(...medians), 0.05)?.half ?? Number.NaN;
    const alike = timeInterval(around(...[...medians].sort((x, y) => x - y)), 0.05)?.half ?? Number.NaN;
    expect(alike).toBeGreaterThan(1.5 * alternating);
  });

  it('exclude noise shared by candidates that were measured together', () => {
    const weather = [1, 1.4, 0.8, 1.2, 1.1];
    const reference = [0, 1, 2].map((i) => weather.map((factor) => factor * (1 + 0.3 * i)));
    const slower = reference.map((times) => times.map((time) => 1.25 * time));
    const paired = pairedLogRatio(slower, reference, 0.05);
    expect(paired?.middle).toBeCloseTo(Math.log(1.25), 12);
    expect(paired?.half).toBeCloseTo(0, 12);
    const apart = separateLogRatio(slower, reference, 0.05);
    expect(apart?.middle).toBeCloseTo(Math.log(1.25), 12);
    expect(apart?.half).toBeGreaterThan(0.1);
  });

  it('follow Welch for candidates that were measured separately', () => {
    // By hand: variances 1e-4 of three values and 4e-4 of five; error 0.010646, 5.954 degrees of freedom, t 2.4511.
    // Signs alternate, so that no autocorrelation is found.
    const [a, b] = [
      [0.01, -0.01, 0],
      [0.025298, -0.012649, 0.012649, -0.025298, 0],
    ];
    const interval = separateLogRatio(around(...a.map(Math.exp)), around(...b.map(Math.exp)), 0.05);
    const [one, other] = [1e-4 / 3, 4e-4 / 5];
    expect(interval?.middle).toBeCloseTo(0, 9);
    const freedom = (one + other) ** 2 / (one ** 2 / 2 + other ** 2 / 4);
    expect(freedom).toBeCloseTo(5.954, 2);
    expect(interval?.half).toBeCloseTo(2.4511 * Math.sqrt(one + other), 4);
  });
});

describe('the error of a mean', () => {
  it('equals the textbook formula for values interleaved with others', () => {
    // Variance 4/3 of four values.
    expect(meanError([-1, 1, -1, 1])).toBeCloseTo(Math.sqrt(4 / 3 / 4), 12);
  });

  it('increases with the correlation of neighbours', () => {
    // By hand: autocorrelation 2/5 of five values. The bias correction of (1 + 6/5) / 5 brings it above its limit of
    // 0.6, which gives a factor of 4.
    expect(meanError([2, 1, 0, -1, -2])).toBeCloseTo(Math.sqrt((2.5 * 4) / 5), 12);
    // Autocorrelation 0, raised by 1/5: factor 1.5. Variance 1/2.
    expect(meanError([1, 0, 0, 0, -1])).toBeCloseTo(Math.sqrt((0.5 * 1.5) / 5), 12);
  });

  it('uses batches if that is larger: with a state that lasts two values, batches of two', () => {
    const twos = [1, 1, -1, -1, 1, 1, -1, -1];
    expect(meanError(twos)).toBeCloseTo(Math.sqrt(4 / 3 / 4), 12);
    // The first value does not fill a batch and is left out.
    expect(meanError([0, ...twos])).toBeCloseTo(Math.sqrt(4 / 3 / 4), 12);
  });

  it('uses longer batches if there are more values', () => {
    const threes = Array.from({ length: 27 }, (_, i) => (Math.floor(i / 3) % 2 === 0 ? 1 : -1));
    // Nine batch means, five of 1 and four of -1: variance 10/9.
    expect(meanError(threes)).toBeCloseTo(Math.sqrt(10 / 81), 12);
  });

  it('corrects the observed correlation for its known bias', () => {
    // Autocorrelation 1/4 of eight values, raised by (1 + 3/4) / 8: factor 47/17. Variance 4/7.
    expect(meanError([1, 1, 0, -1, 0, -1, 0, 0])).toBeCloseTo(Math.sqrt(((4 / 7 / 8) * 47) / 17), 12);
  });

  it('does not split four values into two batches', () => {
    // Autocorrelation 0, raised by 1/4: factor 5/3. Variance 40/3. Two batches with means 3 and -3 would give 3.
    expect(meanError([2, 4, -4, -2])).toBeCloseTo(Math.sqrt(((40 / 3 / 4) * 5) / 3), 12);
  });

  it('is zero without any spread', () => {
    expect(meanError([2, 2, 2])).toBe(0);
  });
});

const margin = { margin: 0.01 };

describe('the summary of a candidate', () => {
  it('is faster or slower only if the complete interval lies beyond the floor', () => {
    expect(judgeRatio({ middle: -0.1, half: 0.05 }, 0.01, margin, 5).standing).toBe('faster');
    expect(judgeRatio({ middle: 0.1, half: 0.05 }, 0.01, margin, 5).standing).toBe('slower');
    expect(judgeRatio({ middle: 0.1, half: 0.095 }, 0.01, margin, 5).standing).toBe('undecided');
  });

  it('is the same only if the complete interval lies inside the margin', () => {
    expect(judgeRatio({ middle: 0.002, half: 0.004 }, 0.003, margin, 5).standing).toBe('same');
    expect(judgeRatio({ middle: 0.002, half: 0.02 }, 0.03, margin, 5).standing).toBe('undecided');
    expect(judgeRatio({ middle: 0.002, half: 0.02 }, 0.003, { margin: 0.05 }, 5).standing).toBe('same');
  });

  it('is undecided without an interval or a control', () => {
    expect(judgeRatio(null, 0.01, margin, 2).standing).toBe('undecided');
    expect(judgeRatio({ middle: -1, half: 0.01 }, null, margin, 5).standing).toBe('undecided');
  });

  it('states how many instances would decide at this spread', () => {
    // For a separation from the floor, the half-width must shrink from 0.04 to 0.02, which needs four times the
    // instances.
    expect(judgeRatio({ middle: 0.03, half: 0.04 }, 0.01, margin, 5).instancesToDecide).toBe(20);
    expect(judgeRatio({ middle: -0.1, half: 0.05 }, 0.01, margin, 5).instancesToDecide).toBeNull();
    // A ratio that equals both the floor and the margin is never decided.
    const edge = Math.log1p(0.01);
    expect(judgeRatio({ middle: edge, half: 0.02 }, edge, margin, 5).instancesToDecide).toBeNull();
  });

  it('is not hidden by an erratic control, since the floor is capped', () => {
    const reference = [1, 1, 1].map((time) => [time, time, time]);
    const strayed = [5, 5, 5].map((time) => [time, time, time]);
    const floor = noiseFloor(strayed, reference);
    expect(floor).toBe(0.02);
    expect(judgeRatio({ middle: Math.log(220), half: 0.1 }, floor, margin, 3).standing).toBe('slower');
    expect(noiseFloor(strayed.slice(1), reference.slice(1))).toBeNull();
  });

  it('has a floor: the median difference of control and reference over the root of the instances', () => {
    // Log ratios -0.004, 0.006, 0.010 and 0.002: the median of their magnitudes is 0.005, and √4 instances halve it.
    const reference = Array.from({ length: 4 }, () => [2, 2, 2]);
    const control = [-0.004, 0.006, 0.01, 0.002].map((apart) => [0, 0, 0].map(() => 2 * Math.exp(apart)));
    expect(noiseFloor(control, reference)).toBeCloseTo(0.0025, 12);
    expect(judgeRatio({ middle: -0.006, half: 0.003 }, 0.0025, margin, 4).standing).toBe('faster');
    expect(judgeRatio({ middle: -0.005, half: 0.003 }, 0.0025, margin, 4).standing).not.toBe('faster');
  });

  it('has a joint error rate for all candidates of a table', () => {
    expect(missProbability({ candidates: 10 })).toBeCloseTo(missProbability({ candidates: 1 }) / 10, 12);
  });
});

describe('the precision rule', () => {
  const narrow = { middle: 0, half: 0.004 };
  const wide = { middle: 0, half: 0.006 };

  it('ends a session once every ratio was narrow twice in a row, and not before five instances', () => {
    const rule = new PrecisionRule(0.005);
    expect(rule.mayEnd([narrow], 3)).toBe(false);
    expect(rule.mayEnd([narrow], 4)).toBe(false);
    expect(rule.mayEnd([narrow, narrow], 5)).toBe(false);
    expect(rule.mayEnd([narrow, wide], 6)).toBe(false);
    expect(rule.mayEnd([narrow, narrow], 7)).toBe(false);
    expect(rule.mayEnd([narrow, narrow], 8)).toBe(true);
  });

  it('requires a tenth of the instances to be narrow after many instances', () => {
    const rule = new PrecisionRule(0.005);
    expect(rule.mayEnd([wide], 40)).toBe(false);
    for (const instances of [41, 42, 43, 44]) expect(rule.mayEnd([narrow], instances)).toBe(false);
    expect(rule.mayEnd([narrow], 45)).toBe(true);
  });

  it('requires less precision for a ratio far from 1, and never accepts an unknown ratio', () => {
    const rule = new PrecisionRule(0.005);
    const tenfold = { middle: Math.log(10), half: 0.2 };
    expect(rule.mayEnd([tenfold], 5)).toBe(false);
    expect(rule.mayEnd([tenfold], 6)).toBe(true);
    expect(rule.mayEnd([null], 7)).toBe(false);
  });
});
