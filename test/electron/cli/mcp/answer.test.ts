import { expect, test } from 'vitest';
import { compilerLines, firstWrong, limiterOf, uncompiled } from '../../../../electron/cli/mcp/answer.ts';
import type { Accuracy } from '../../../../electron/contract/bench/session.ts';

const check = (holds: boolean, tip: string): Accuracy => ({
  ...{ id: 'l2', title: 'RMS error', unit: '', value: 0.01, bound: 1e-5 },
  ...{ holds, tip },
});
const right = check(true, 'Error: all 7 results');

test('reads the first value beyond the limit from the failed check', () => {
  const wrong = check(false, 'Error: all 7 results, n = 1021; result 3 is -1.5e+3, expected 340.136947; and so on');
  expect(firstWrong([right, wrong])).toEqual({
    ...{ place: 'result 3', index: 3, got: '-1.5e+3', expected: '340.136947' },
  });
  const inArray = (where: string) => firstWrong([check(false, `all 6 results; ${where} is nan, expected 2; 1 of 6`)]);
  expect(inArray('y[5]')).toEqual({ place: 'y[5]', index: 5, got: 'nan', expected: '2' });
  expect(inArray('y[1, 2].imag')).toEqual({ place: 'y[1, 2].imag', index: null, got: 'nan', expected: '2' });
  expect(firstWrong([check(false, 'its inputs were written to')])).toBeNull();
  expect(firstWrong([check(true, 'result 3 is 1, expected 1')])).toBeNull();
});

test('names what limits a kernel by its share of the measured ceilings', () => {
  const at = (share_of_copy: number | null, share_of_flops: number | null, accuracy = [right]): string =>
    limiterOf({
      roofline: { bytes_per_s: 1, flops_per_s: 1, flops_per_byte: 1, share_of_copy, share_of_flops },
      accuracy,
    });
  expect(at(0.72, 0.1)).toBe('Limited by memory traffic: 72.0 % of the measured copy rate.');
  expect(at(1.34, 0.1)).toBe(
    'Limited by memory traffic: 134.0 % of the measured copy rate. Above 100 % of copy: its data come from a cache, or it moves fewer bytes than it declares.',
  );
  expect(at(0.1, 0.8)).toBe('Limited by arithmetic: 80.0 % of the measured rate of operations.');
  expect(at(0.05, 0.02)).toBe(
    'Limited by latency or too little parallelism: memory traffic at 5.00 %, arithmetic at 2.00 % of its ceiling.',
  );
  expect(at(null, null)).toMatch(/^Not known: this machine has no measured ceilings/);
  expect(at(0.9, 0.1, [check(false, 'wrong')])).toMatch(/^Not known: the answer is wrong/);
});

test('gives the words of the compiler by line, the first error as the reason', () => {
  const issue = (severity: 'error' | 'warning', line: number, message: string) => ({
    ...{ severity, line, message, file: 'a.cpp', path: '', column: 1, value: null, allowed: null },
  });
  const lines = compilerLines([
    issue('warning', 1, 'unused'),
    issue('error', 7, 'no such name'),
    issue('error', 9, 'x'.repeat(5000)),
  ]);
  expect(lines[2]?.message).toHaveLength(2002);
  expect(uncompiled(lines)).toMatchObject({ verdict: 'not compiled', reason: 'line 7: no such name', time_s: null });
});
