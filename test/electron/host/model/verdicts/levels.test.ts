import { describe, expect, it } from 'vitest';
import {
  type Instances,
  meanError,
  pairedLogRatio,
  separateLogRatio,
  timeInterval,
} from '../../../../../electron/host/model/verdicts/levels.ts';

/** Instances of five rounds each, whose medians are given. */
const around = (...medians: readonly number[]): Instances =>
  medians.map((middle) => [0.9, 0.95, 1, 1.05, 1.3].map((factor) => middle * factor));

describe('intervals from instances', () => {
  it('claim nothing of two instances, of an empty one, or of fewer than five rounds in all', () => {
    expect(timeInterval(around(1, 1), 0.05)).toBeNull();
    expect(timeInterval([[1, 1], [1, 1], []], 0.05)).toBeNull();
    expect(timeInterval([[1], [1], [1, 1]], 0.05)).toBeNull();
    expect(timeInterval([[1], [1, 1], [1, 1]], 0.05)).not.toBeNull();
    expect(pairedLogRatio(around(1, 1, 1), around(1, 1), 0.05)).toBeNull();
    expect(separateLogRatio(around(1, 1), around(1, 1, 1), 0.05)).toBeNull();
  });

  it('are of what varies between instances, and not of the rounds within', () => {
    const calm = timeInterval(around(2, 2, 2, 2), 0.05);
    expect(calm?.middle).toBeCloseTo(Math.log(2), 12);
    expect(calm?.half).toBeCloseTo(0, 12);
    // By hand: logarithms ∓0.01 twice each, standard deviation 0.011547, over the root of 4, times 3.1824; the kinds
    // alternate, so that neighbours are not correlated.
    const spread = timeInterval(around(Math.exp(-0.01), Math.exp(0.01), Math.exp(-0.01), Math.exp(0.01)), 0.05);
    expect(spread?.half).toBeCloseTo((3.182446 * 0.011547) / 2, 6);
  });

  it('are wider where neighbours are alike than where they alternate', () => {
    const medians = [1, 1.01, 1, 1.01, 1, 1.01, 1, 1.01];
    const alternating = timeInterval(around(...medians), 0.05)?.half ?? Number.NaN;
    const alike = timeInterval(around(...[...medians].sort((x, y) => x - y)), 0.05)?.half ?? Number.NaN;
    expect(alike).toBeGreaterThan(1.5 * alternating);
  });

  it('cancel what the rounds of contestants measured together share', () => {
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

  it('follow Welch where contestants were measured apart', () => {
    // By hand: variances 1e-4 and 4e-4 of three and five; error 0.010646, 5.954 degrees of freedom, t 2.4511;
    // neighbours are of different kinds, so that nothing is remembered.
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
  it('is the textbook’s of values beside others of another kind', () => {
    // Variance 4/3 of four.
    expect(meanError([-1, 1, -1, 1])).toBeCloseTo(Math.sqrt(4 / 3 / 4), 12);
  });

  it('grows with the likeness of neighbours', () => {
    // By hand: likeness 2/5 seen of five values, raised by (1 + 6/5) / 5 to more than 0.6, where it ends: memory 4.
    expect(meanError([2, 1, 0, -1, -2])).toBeCloseTo(Math.sqrt((2.5 * 4) / 5), 12);
    // None seen of these, raised by 1/5: memory 1.5. Variance 1/2.
    expect(meanError([1, 0, 0, 0, -1])).toBeCloseTo(Math.sqrt((0.5 * 1.5) / 5), 12);
  });

  it('is of batches where that is more: a state that lasts for two has one value of each two', () => {
    const twos = [1, 1, -1, -1, 1, 1, -1, -1];
    expect(meanError(twos)).toBeCloseTo(Math.sqrt(4 / 3 / 4), 12);
    // The first that fills no batch is left out of them.
    expect(meanError([0, ...twos])).toBeCloseTo(Math.sqrt(4 / 3 / 4), 12);
  });

  it('is of longer batches where there are more values', () => {
    const threes = Array.from({ length: 27 }, (_, i) => (Math.floor(i / 3) % 2 === 0 ? 1 : -1));
    // Nine means, five of 1 and four of -1: variance 10/9.
    expect(meanError(threes)).toBeCloseTo(Math.sqrt(10 / 81), 12);
  });

  it('raises the likeness that is seen by its known bias', () => {
    // Likeness 1/4 seen of eight values, raised by (1 + 3/4) / 8: memory 47/17. Variance 4/7.
    expect(meanError([1, 1, 0, -1, 0, -1, 0, 0])).toBeCloseTo(Math.sqrt(((4 / 7 / 8) * 47) / 17), 12);
  });

  it('makes no two batches of four values', () => {
    // No likeness seen, raised by 1/4: memory 5/3. Variance 40/3. Two batches, of means 3 and -3, would give 3.
    expect(meanError([2, 4, -4, -2])).toBeCloseTo(Math.sqrt(((40 / 3 / 4) * 5) / 3), 12);
  });

  it('is nothing without any spread', () => {
    expect(meanError([2, 2, 2])).toBe(0);
  });
});
