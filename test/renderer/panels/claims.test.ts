/** Text of each claim in the list. */
import { expect, test } from 'vitest';
import type { TableClaim } from '../../../electron/contract/bench/claim-table.ts';
import { findingTone, matches, toldClaim, toneOf } from '../../../renderer/panels/claims/claims-panel.tsx';

const found = (value: number | null, unit = '×') => ({ value, unit }) as TableClaim['findings'][number];

test('what nobody measured has no number without its unit', () => {
  const claim = { from: 0.05, to: 0.2, tolerance: 0, reason: null, unit: '', findings: [found(null)] };
  expect(toldClaim(claim as unknown as TableClaim)).toBe('–');
  const measured = { ...claim, unit: 's', findings: [found(0.1, 's')] };
  expect(toldClaim(measured as unknown as TableClaim)).toBe('50–200 ms');
});

test('only a plain answer has a colour', () => {
  const words = ['true', 'true-when', 'not-true', 'cannot-judge', 'not-measured'] as const;
  expect(words.map((word) => toneOf({ word }))).toEqual(['good', 'none', 'less', 'none', 'none']);
  expect(['as claimed', 'more', 'not judged'].map(findingTone)).toEqual(['good', 'less', 'none']);
});

test('every word that is sought is there', () => {
  const row = { title: 'Bank conflicts cost 5–10×', source: 'a note' };
  const claim = {
    claim: 'Avoiding them',
    answer: { sentence: 'true when stride is 16' },
    about: null,
    remark: null,
  } as unknown as TableClaim;
  expect(['', 'BANK stride', 'bank tiles'].map((sought) => matches(row, claim, sought))).toEqual([true, true, false]);
});
