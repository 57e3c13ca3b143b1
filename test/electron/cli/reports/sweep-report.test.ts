/** The table of a sweep. */
import { expect, test } from 'vitest';
import { sweepReport } from '../../../../electron/cli/reports/sweep-report.ts';
import type { Session } from '../../../../electron/contract/bench/session.ts';
import { transportWords } from '../../../../electron/host/workloads/transport/accuracy.ts';

const point = (value: number) => ({ value, size: 1e6, time_s: 1e-3, setup_s: 1e-3, setup_share: 0.5, rate: 1e9 });

/** `window` has ranges, as in saved sessions. */
const swept = (ranges: readonly (number | null)[]): readonly string[] => {
  const reports = ranges.map((value) => ({
    entries: [
      {
        ...{ label: 'window', status: 'measured' },
        quantities: value === null ? [] : [{ id: 'r80', title: 'R80', value, unit: 'mm' }],
      },
    ],
  }));
  const sweep = {
    ...{ path: 'beam.energy_MeV', values: [60, 70] },
    fits: [{ label: 'window', points: [point(60), point(70)], fixed_s: null, slope_s: null }],
  };
  return sweepReport(sweep, { words: transportWords, reports } as unknown as Session, (_, text) => text);
};

test('a sweep over the physics of a beam shows where each beam ends', () => {
  const [, , head, first, second] = swept([30.894, 40.796]);
  expect(head).toMatch(/ R80$/);
  expect([first, second].map((line) => line?.match(/[\d.]+ mm$/)?.[0])).toEqual(['30.89 mm', '40.80 mm']);
});

test('a beam without a range has a dash, and sessions without ranges have no column', () => {
  expect(swept([30.894, null])[4]).toMatch(/ –$/);
  expect(swept([null, null]).join('\n')).not.toContain('R80');
});
