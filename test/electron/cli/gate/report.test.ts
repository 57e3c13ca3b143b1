import { expect, test } from 'vitest';
import { type GateReport, gateJunit, gateMarkdown, gateTable } from '../../../../electron/cli/gate/report.ts';

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

test('writes JUnit XML with a failure, a skipped and a passed case, every mark escaped', () => {
  expect(gateJunit(report)).toBe(
    [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="braggbench gate" tests="4" failures="2" errors="0" skipped="1">',
      '  <testsuite name="sum &lt;1&gt;.json against HEAD~1" tests="4" failures="2" errors="0" skipped="1" time="12.346">',
      '    <testcase classname="sum &lt;1&gt;.json" name="sum.cpp"><failure type="slower" message="slower; after over before 1.06× (1.05–1.07), 1.06× (1.05–1.07)"/></testcase>',
      '    <testcase classname="sum &lt;1&gt;.json" name="a&amp;&quot;b\uFFFD.cpp"><failure type="wrong" message="wrong: it is off&#10;by | one"/></testcase>',
      '    <testcase classname="sum &lt;1&gt;.json" name="quiet.cpp"><skipped message="undecided: too few samples"/></testcase>',
      '    <testcase classname="sum &lt;1&gt;.json" name="same.cpp"><system-out>not slower</system-out></testcase>',
      '  </testsuite>',
      '</testsuites>',
      '',
    ].join('\n'),
  );
});

test('writes a Markdown table of one line a variant, with no markup from names', () => {
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

test('prints the same table on a terminal', () => {
  const lines = gateTable(report, (_, text) => text);
  expect(lines[1]).toMatch(
    /^sum\.cpp +1\.00 ms +1\.06 ms +1\.06× \(1\.05–1\.07\) +1\.06× \(1\.05–1\.07\) +±1\.00 % +slower$/,
  );
  expect(lines[6]).toMatch(/^Failed: 1 slower, 1 wrong/);
});
