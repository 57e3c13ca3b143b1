import { describe, expect, it, test } from 'vitest';
import { type GateReport, gateJunit, gateMarkdown, gateTable } from '../../../../electron/cli/gate/report.ts';
import {
  allowedSlowdown,
  type Evidence,
  hasFailed,
  type JudgedVariant,
  needsConfirmation,
  noiseFloorOf,
  timeVerdict,
} from '../../../../electron/cli/gate/verdict.ts';
import type { Ratio } from '../../../../electron/contract/bench/bench-session.ts';

describe('the report of the gate', () => {
  const slower = { before_s: 0.001, after_s: 0.00106, ratio: { value: 1.06, interval: { low: 1.05, high: 1.07 } } };
  const report: GateReport = {
    scenario: 'sum <1>.json',
    baseline: 'HEAD~1',
    allowed: 0.02,
    elapsed_s: 12.3456,
    facts: ['Runner: 2 cores | <b>'],
    variants: [
      { variant: 'sum.cpp', verdict: 'slower', reason: null, sessions: [slower, slower], floor: 0.01 },
      { variant: 'a&"b\u0001.cpp', verdict: 'wrong', reason: 'it is off\nby | one', sessions: [], floor: null },
      { variant: 'quiet.cpp', verdict: 'undecided', reason: 'too few samples', sessions: [], floor: null },
      { variant: 'same.cpp', verdict: 'not slower', reason: null, sessions: [], floor: 0 },
    ],
  };

  test('is written as JUnit XML with failed, skipped and passed cases and escaped special characters', () => {
    expect(gateJunit(report)).toBe(
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<testsuites name="braggbench gate" tests="4" failures="2" errors="0" skipped="1">',
        '  <testsuite name="sum &lt;1&gt;.json against HEAD~1" tests="4" failures="2" errors="0" skipped="1" time="12.346">',
        '    <testcase classname="sum &lt;1&gt;.json" name="sum.cpp"><failure type="slower" message="slower; after / before 1.06× (1.05–1.07), 1.06× (1.05–1.07)"/></testcase>',
        '    <testcase classname="sum &lt;1&gt;.json" name="a&amp;&quot;b\uFFFD.cpp"><failure type="wrong" message="wrong: it is off&#10;by | one"/></testcase>',
        '    <testcase classname="sum &lt;1&gt;.json" name="quiet.cpp"><skipped message="undecided: too few samples"/></testcase>',
        '    <testcase classname="sum &lt;1&gt;.json" name="same.cpp"><system-out>not slower</system-out></testcase>',
        '  </testsuite>',
        '</testsuites>',
        '',
      ].join('\n'),
    );
  });

  test('is written as a Markdown table with one line per variant, and without markup from names', () => {
    const lines = gateMarkdown(report).split('\n');
    expect(lines[0]).toBe('### braggbench gate: sum &lt;1&gt;.json against HEAD\\~1');
    expect(lines.slice(4, 8)).toEqual([
      '| sum.cpp | 1.00 ms | 1.06 ms | 1.06× (1.05–1.07) | 1.06× (1.05–1.07) | ±1.00 % | slower |',
      '| a&"b\u0001.cpp | – | – | – | – | – | wrong: it is off by \\| one |',
      '| quiet.cpp | – | – | – | – | – | undecided: too few samples |',
      '| same.cpp | – | – | – | – | ±0 % | not slower |',
    ]);
    expect(lines[9]).toMatch(/^Failed: 1 slower, 1 wrong, 1 undecided, 1 not slower\. /);
    expect(lines[11]).toBe('- Runner: 2 cores \\| &lt;b&gt;');
  });

  test('is printed as the same table on a terminal', () => {
    const lines = gateTable(report, (_, text) => text);
    expect(lines[1]).toMatch(
      /^sum\.cpp +1\.00 ms +1\.06 ms +1\.06× \(1\.05–1\.07\) +1\.06× \(1\.05–1\.07\) +±1\.00 % +slower$/,
    );
    expect(lines[6]).toMatch(/^Failed: 1 slower, 1 wrong/);
  });
});

const ratio = (low: number, high: number): Ratio => ({ value: Math.sqrt(low * high), interval: { low, high } });
const session = (low: number, high: number): Evidence => ({ before_s: 1, after_s: 1, ratio: ratio(low, high) });
const verdictOf = (sessions: readonly Evidence[], floor: number | null, allowed = 0.02): string =>
  timeVerdict(sessions, floor, allowed).verdict;

describe('the verdict of a gate', () => {
  it('fails only if two sessions exceed both the allowed slowdown and the A/A difference', () => {
    const slow = session(1.04, 1.06);
    expect(verdictOf([slow, slow], 0.01)).toBe('slower');
    expect(verdictOf([slow], 0.01)).toBe('undecided');
    expect(verdictOf([slow, session(0.99, 1.03)], 0.01)).toBe('undecided');
    // The interval of the ratio begins at 4 %, a difference that equal code also shows on this runner.
    expect(timeVerdict([slow, slow], 0.04, 0.02)).toEqual({
      verdict: 'undecided',
      reason: 'times of identical code differ by up to 4.00 % on this runner',
    });
    expect(verdictOf([slow, slow], 0.01, 0.05)).toBe('undecided');
    expect(verdictOf([slow, slow], 0.01, 0.06)).toBe('not slower');
  });

  it('passes if the complete interval is below the allowed slowdown, whatever the runner', () => {
    expect(verdictOf([session(0.98, 1.02)], 0.5)).toBe('not slower');
    expect(verdictOf([session(0.98, 1.021)], 0)).toBe('undecided');
  });

  it('stays undecided with too few samples', () => {
    const once: Evidence = { before_s: 1, after_s: 2, ratio: { value: 2, interval: null } };
    expect(verdictOf([once], 0.01)).toBe('undecided');
    expect(verdictOf([session(1.5, 1.6), session(1.5, 1.6)], null)).toBe('undecided');
    expect(verdictOf([], 0.01)).toBe('undecided');
  });

  it('requires a second session only if the first one looks slower', () => {
    expect(needsConfirmation([session(1.03, 1.06)], 0.01, 0.02)).toBe(true);
    expect(needsConfirmation([session(1.03, 1.06)], 0.03, 0.02)).toBe(false);
    expect(needsConfirmation([session(1.01, 1.06)], 0.001, 0.02)).toBe(false);
    expect(needsConfirmation([session(1.03, 1.06)], null, 0.02)).toBe(false);
    expect(needsConfirmation([session(1.03, 1.06), session(1.03, 1.06)], 0.01, 0.02)).toBe(false);
  });

  it('uses the larger bound of the A/A interval as the noise of equal code', () => {
    // 1 / 0.8 is 1.25, which is farther from 1 than 1.1.
    expect(noiseFloorOf(ratio(0.8, 1.1))).toBeCloseTo(0.25, 12);
    expect(noiseFloorOf(ratio(0.98, 1.03))).toBeCloseTo(0.03, 12);
    expect(noiseFloorOf({ value: 1, interval: null })).toBeNull();
  });

  it('is a failure for slower, wrong, impossible and unmeasured variants, and a pass for undecided ones', () => {
    const one = (verdict: JudgedVariant['verdict']): JudgedVariant => ({
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

  it('reads the allowed slowdown as a percentage', () => {
    expect(['5%', '2.5 %', '0'].map(allowedSlowdown)).toEqual([0.05, 0.025, 0]);
    for (const text of ['', '-1', '5x', '0.05.1', '1001%', '1e1'])
      expect(() => allowedSlowdown(text)).toThrow('such as 2%');
  });
});
