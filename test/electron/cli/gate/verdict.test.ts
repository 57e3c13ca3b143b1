import { describe, expect, it } from 'vitest';
import {
  allowedSlowdown,
  type Evidence,
  floorOf,
  type Gated,
  hasFailed,
  needsConfirmation,
  timeVerdict,
} from '../../../../electron/cli/gate/verdict.ts';
import type { Ratio } from '../../../../electron/contract/bench/bench-session.ts';

const ratio = (low: number, high: number): Ratio => ({ value: Math.sqrt(low * high), interval: { low, high } });
const session = (low: number, high: number): Evidence => ({ before_s: 1, after_s: 1, ratio: ratio(low, high) });
const verdictOf = (sessions: readonly Evidence[], floor: number | null, allowed = 0.02): string =>
  timeVerdict(sessions, floor, allowed).verdict;

describe('the verdict of a gate', () => {
  it('needs two sessions above the allowed time and above what equal code differs by', () => {
    const slow = session(1.04, 1.06);
    expect(verdictOf([slow, slow], 0.01)).toBe('slower');
    expect(verdictOf([slow], 0.01)).toBe('undecided');
    expect(verdictOf([slow, session(0.99, 1.03)], 0.01)).toBe('undecided');
    // The interval begins at 4 %, and equal code differs by 4 % here.
    expect(timeVerdict([slow, slow], 0.04, 0.02)).toEqual({
      verdict: 'undecided',
      reason: 'equal code differs by up to 4.00 % on this runner',
    });
    expect(verdictOf([slow, slow], 0.01, 0.05)).toBe('undecided');
    expect(verdictOf([slow, slow], 0.01, 0.06)).toBe('not slower');
  });

  it('passes a whole interval below the allowed time, whatever the runner', () => {
    expect(verdictOf([session(0.98, 1.02)], 0.5)).toBe('not slower');
    expect(verdictOf([session(0.98, 1.021)], 0)).toBe('undecided');
  });

  it('decides nothing from too few samples', () => {
    const once: Evidence = { before_s: 1, after_s: 2, ratio: { value: 2, interval: null } };
    expect(verdictOf([once], 0.01)).toBe('undecided');
    expect(verdictOf([session(1.5, 1.6), session(1.5, 1.6)], null)).toBe('undecided');
    expect(verdictOf([], 0.01)).toBe('undecided');
  });

  it('measures a second session only where the first looks slower', () => {
    expect(needsConfirmation([session(1.03, 1.06)], 0.01, 0.02)).toBe(true);
    expect(needsConfirmation([session(1.03, 1.06)], 0.03, 0.02)).toBe(false);
    expect(needsConfirmation([session(1.01, 1.06)], 0.001, 0.02)).toBe(false);
    expect(needsConfirmation([session(1.03, 1.06)], null, 0.02)).toBe(false);
    expect(needsConfirmation([session(1.03, 1.06), session(1.03, 1.06)], 0.01, 0.02)).toBe(false);
  });

  it('takes the farther end of the A/A interval as what equal code differs by', () => {
    // 1 / 0.8 is 1.25, farther from 1 than 1.1.
    expect(floorOf(ratio(0.8, 1.1))).toBeCloseTo(0.25, 12);
    expect(floorOf(ratio(0.98, 1.03))).toBeCloseTo(0.03, 12);
    expect(floorOf({ value: 1, interval: null })).toBeNull();
  });

  it('fails for slower, wrong, impossible and not measured, and passes what is undecided', () => {
    const one = (verdict: Gated['verdict']): Gated => ({
      variant: 'a',
      verdict,
      reason: null,
      sessions: [],
      floor: null,
    });
    expect(hasFailed([one('not slower'), one('undecided')])).toBe(false);
    for (const verdict of ['slower', 'wrong', 'impossible', 'not measured'] as const)
      expect(hasFailed([one('not slower'), one(verdict)])).toBe(true);
  });

  it('reads an allowed slowdown as a percentage', () => {
    expect(['5%', '2.5 %', '0'].map(allowedSlowdown)).toEqual([0.05, 0.025, 0]);
    for (const text of ['', '-1', '5x', '0.05.1', '1001%', '1e1'])
      expect(() => allowedSlowdown(text)).toThrow('such as 2%');
  });
});
