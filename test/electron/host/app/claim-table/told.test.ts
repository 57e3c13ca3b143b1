/** What is said of a claim in one line. */
import { expect, test } from 'vitest';
import { overValues, valueText, verdictLine } from '../../../../../electron/host/app/claim-table/told.ts';

test('values of a sweep are told in thousands, bytes with their unit', () => {
  expect([4, 10_000, 65_536, 0.5].map((value) => valueText(value, 'problem.n'))).toEqual([
    '4',
    '10 k',
    '65.54 k',
    '0.5',
  ]);
  expect([64_000, 4_000_000, 1e9].map((value) => valueText(value, 'problem.footprint_bytes'))).toEqual([
    '64 kB',
    '4 MB',
    '1 GB',
  ]);
});

test('neighbours of one verdict stand together, by rising value', () => {
  const at = (verdict: string, ...values: number[]) => values.map((value) => ({ at: value, verdict }));
  const path = 'problem.footprint_bytes';
  expect(overValues([...at('more', 8e6), ...at('as claimed', 64_000, 1e6, 4e6), ...at('less', 1000)], path)).toBe(
    'less at 1 kB; as claimed from 64 kB to 4 MB; more at 8 MB',
  );
  // A verdict that comes again is told again.
  expect(overValues([...at('less', 1000, 4000), ...at('more', 2000)], path)).toBe(
    'less at 1 kB; more at 2 kB; less at 4 kB',
  );
});

test('why nothing is said comes before what was measured', () => {
  const finding = (verdict: string, value: number | null = 2) => ({ verdict, value, at: null });
  const claim = { from: 2, to: 10, reason: null, findings: [finding('as claimed'), finding('less')], maps: [] };
  expect(verdictLine(claim)).toBe('as claimed in 1 of 2, less in 1 of 2');
  expect(verdictLine({ ...claim, needs: 'PyTorch' })).toBe('not judged here: needs PyTorch');
  // By PyTorch itself it is judged, and what stands in its place says nothing more.
  const byItself = [finding('as claimed'), { ...finding('less'), rival: true as const }];
  expect(verdictLine({ ...claim, needs: 'PyTorch', findings: byItself })).toBe('less');
  expect(verdictLine({ ...claim, reason: 'No pair.' })).toBe('not isolated');
  expect(verdictLine({ ...claim, findings: [finding('not measured', null)] })).toBe('not measured yet');
});

test('series of a sweep that differ are told apart, by pair and by machine', () => {
  const points = [{ at: 1, value: 2, interval: null, verdict: 'less' }];
  const series = (by: string, told: string) => ({ by, told, unit: '×', points });
  const map = (machine: string, ...all: ReturnType<typeof series>[]) => ({
    ...{ session: 's', file: 's.json', scenario: 's', path: 'grid.dx_mm', machine, series: all },
  });
  const claim = { from: 2, to: 10, reason: null, findings: [{ verdict: 'less', value: 2, at: 1 }] };
  const line = (...maps: ReturnType<typeof map>[]) => verdictLine({ ...claim, maps });
  expect(line(map('A', series('a → c', 'less'), series('b → c', 'less')))).toBe('by dx mm, less');
  expect(line(map('A', series('a → c', 'less'), series('b → c', 'more')))).toBe(
    'by dx mm, less (a → c). by dx mm, more (b → c)',
  );
  expect(line(map('A', series('a → c', 'less')), map('B', series('a → c', 'more')))).toBe(
    'by dx mm, less (on A). by dx mm, more (on B)',
  );
  const two = map('B', series('a → c', 'less'), series('b → c', 'more'));
  expect(line(map('A', series('a → c', 'less')), two)).toBe(
    'by dx mm, less (a → c on A). by dx mm, less (a → c on B). by dx mm, more (b → c on B)',
  );
});
