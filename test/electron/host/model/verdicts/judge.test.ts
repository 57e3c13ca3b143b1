import { describe, expect, it } from 'vitest';
import { judge, noiseFloorOf, outsideOf } from '../../../../../electron/host/model/verdicts/judge.ts';
import { PrecisionRule } from '../../../../../electron/host/model/verdicts/precision.ts';

const margin = { margin: 0.01 };

describe('what is said of a contestant', () => {
  it('is faster or slower only where the whole interval lies beyond the floor', () => {
    expect(judge({ middle: -0.1, half: 0.05 }, 0.01, margin, 5).standing).toBe('faster');
    expect(judge({ middle: 0.1, half: 0.05 }, 0.01, margin, 5).standing).toBe('slower');
    expect(judge({ middle: 0.1, half: 0.095 }, 0.01, margin, 5).standing).toBe('undecided');
  });

  it('is the same only where the whole interval lies inside the margin', () => {
    expect(judge({ middle: 0.002, half: 0.004 }, 0.003, margin, 5).standing).toBe('same');
    expect(judge({ middle: 0.002, half: 0.02 }, 0.03, margin, 5).standing).toBe('undecided');
    expect(judge({ middle: 0.002, half: 0.02 }, 0.003, { margin: 0.05 }, 5).standing).toBe('same');
  });

  it('is nothing without an interval or a control', () => {
    expect(judge(null, 0.01, margin, 2).standing).toBe('undecided');
    expect(judge({ middle: -1, half: 0.01 }, null, margin, 5).standing).toBe('undecided');
  });

  it('names the instances that would decide at this spread', () => {
    // To separate from the floor, the interval must shrink from 0.04 to 0.02: four times as many.
    expect(judge({ middle: 0.03, half: 0.04 }, 0.01, margin, 5).instancesToDecide).toBe(20);
    expect(judge({ middle: -0.1, half: 0.05 }, 0.01, margin, 5).instancesToDecide).toBeNull();
    // On the floor and on the margin at once nothing decides.
    const edge = Math.log1p(0.01);
    expect(judge({ middle: edge, half: 0.02 }, edge, margin, 5).instancesToDecide).toBeNull();
  });

  it('is not hidden below a control that strayed: the floor is capped', () => {
    const reference = [1, 1, 1].map((time) => [time, time, time]);
    const strayed = [5, 5, 5].map((time) => [time, time, time]);
    const floor = noiseFloorOf(strayed, reference);
    expect(floor).toBe(0.02);
    expect(judge({ middle: Math.log(220), half: 0.1 }, floor, margin, 3).standing).toBe('slower');
    expect(noiseFloorOf(strayed.slice(1), reference.slice(1))).toBeNull();
  });

  it('has a floor of the median difference of control and reference over the root of the instances', () => {
    // Log ratios -0.004, 0.006, 0.010 and 0.002: the median of their sizes is 0.005, and four instances halve it.
    const reference = Array.from({ length: 4 }, () => [2, 2, 2]);
    const control = [-0.004, 0.006, 0.01, 0.002].map((apart) => [0, 0, 0].map(() => 2 * Math.exp(apart)));
    expect(noiseFloorOf(control, reference)).toBeCloseTo(0.0025, 12);
    expect(judge({ middle: -0.006, half: 0.003 }, 0.0025, margin, 4).standing).toBe('faster');
    expect(judge({ middle: -0.005, half: 0.003 }, 0.0025, margin, 4).standing).not.toBe('faster');
  });

  it('holds for all contestants of a table at once', () => {
    expect(outsideOf({ contestants: 10 })).toBeCloseTo(outsideOf({ contestants: 1 }) / 10, 12);
  });
});

describe('the rule of precision', () => {
  const narrow = { middle: 0, half: 0.004 };
  const wide = { middle: 0, half: 0.006 };

  it('ends a session when every ratio was narrow twice in a row, and not before five instances', () => {
    const rule = new PrecisionRule(0.005);
    expect(rule.met([narrow], 3)).toBe(false);
    expect(rule.met([narrow], 4)).toBe(false);
    expect(rule.met([narrow, narrow], 5)).toBe(false);
    expect(rule.met([narrow, wide], 6)).toBe(false);
    expect(rule.met([narrow, narrow], 7)).toBe(false);
    expect(rule.met([narrow, narrow], 8)).toBe(true);
  });

  it('after many instances asks for as many narrow ones as are a tenth of them', () => {
    const rule = new PrecisionRule(0.005);
    expect(rule.met([wide], 40)).toBe(false);
    for (const instances of [41, 42, 43, 44]) expect(rule.met([narrow], instances)).toBe(false);
    expect(rule.met([narrow], 45)).toBe(true);
  });

  it('asks less of a ratio that is far from 1, and nothing unknown is precise', () => {
    const rule = new PrecisionRule(0.005);
    const tenfold = { middle: Math.log(10), half: 0.2 };
    expect(rule.met([tenfold], 5)).toBe(false);
    expect(rule.met([tenfold], 6)).toBe(true);
    expect(rule.met([null], 7)).toBe(false);
  });
});
