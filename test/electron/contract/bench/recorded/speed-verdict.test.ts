/** Which of two is faster: by what the session itself strays, and never by more than can be called the same. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { verdictNow, verdictOf } from '../../../../../electron/contract/bench/recorded/speed-verdict.ts';
import { taskSessionSchema } from '../../../../../electron/contract/bench/recorded/task.ts';

describe('the verdict', () => {
  test.each([
    [{ low: 0.5, high: 0.6 }, 0.02, 'faster'],
    [{ low: 1.5, high: 1.6 }, 0.02, 'slower'],
    [{ low: 0.995, high: 1.01 }, 0.02, 'same'],
    [{ low: 0.97, high: 1.01 }, 0.02, 'undecided'],
    [{ low: 0.97, high: 0.985 }, 0.02, 'undecided'],
    // A session that strays from itself by a factor of two can still tell 220 from 1, and calls nothing the same.
    [{ low: 218, high: 221 }, 1.04, 'slower'],
    [{ low: 0.0045, high: 0.0046 }, 1.04, 'faster'],
    [{ low: 0.5, high: 0.7 }, 0.6, 'undecided'],
    [{ low: 0.93, high: 1.02 }, 0.14, 'undecided'],
    [{ low: 0.97, high: 1.02 }, 0.14, 'same'],
    [null, 0.02, 'undecided'],
    [{ low: 0.5, high: 0.6 }, null, 'undecided'],
  ] as const)('%j with a noise floor of %s: %s', (ratio, floor, verdict) => {
    expect(verdictOf(ratio, floor)).toBe(verdict);
  });
});

test('a kept verdict gives way to the rule; wrong and reference stand', () => {
  const wide = { interval: { low: 218, high: 221 } };
  expect(verdictNow('same', wide, 1.04)).toBe('slower');
  expect(verdictNow('wrong', wide, 1.04)).toBe('wrong');
  expect(verdictNow('reference', { interval: null }, 1.04)).toBe('reference');
});

test('in the recorded session of small launches 4.2 µs and 928 µs are not the same', () => {
  const file = path.resolve(import.meta.dirname, '../../../../../assets/runs/micro/launch-small.json');
  const [report] = taskSessionSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).reports;
  if (report === undefined) throw new Error('no report');
  const measured = report.entries.flatMap((entry) => (entry.status === 'measured' ? [entry] : []));
  const slowest = Math.max(...measured.map(({ time_s }) => time_s));
  const fastest = Math.min(...measured.map(({ time_s }) => time_s));
  expect(slowest / fastest).toBeGreaterThan(100);
  for (const { verdict, ratio } of measured) {
    if (verdict !== 'same') continue;
    expect(ratio.value).toBeGreaterThan(0.95);
    expect(ratio.value).toBeLessThan(1.05);
  }
});
