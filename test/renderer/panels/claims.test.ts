/** What the list of claims says of each. */
import { expect, test } from 'vitest';
import type { TableClaim } from '../../../electron/contract/bench/claim-table.ts';
import { matches, rangeText, toldClaim, toneOf } from '../../../renderer/panels/claims/words.ts';

const found = (value: number | null, unit = '×') => ({ value, unit }) as TableClaim['findings'][number];

test('a range is over what was measured', () => {
  expect(rangeText({ findings: [found(2.004), found(null), found(31.5)] })).toBe('2.00–31.5×');
  expect(rangeText({ findings: [found(23, 'cycles')] })).toBe('23.0 cycles');
  expect(rangeText({ findings: [found(null)] })).toBe('–');
});

test('what nobody measured has no number without its unit', () => {
  const claim = { from: 0.05, to: 0.2, tolerance: 0, reason: null, unit: '', findings: [found(null)] };
  expect(toldClaim(claim as unknown as TableClaim)).toBe('–');
  const measured = { ...claim, unit: 's', findings: [found(0.1, 's')] };
  expect(toldClaim(measured as unknown as TableClaim)).toMatch(/^0\.05.*0\.2 s$/);
});

test('only a verdict that stands alone has a colour', () => {
  expect(['as claimed', 'more', 'by n, less from 1 to 4', 'not judged here: needs more'].map(toneOf)).toEqual([
    'good',
    'less',
    'less',
    'none',
  ]);
  expect(toneOf('as claimed in 8 of 9, less in 1 of 9')).toBe('none');
});

test('every word that is sought is there', () => {
  const row = { title: 'Bank conflicts cost 5–10×', source: 'a note' };
  const claim = { claim: 'Avoiding them', verdict: 'by stride', about: null, remark: null } as unknown as TableClaim;
  expect(['', 'BANK stride', 'bank tiles'].map((sought) => matches(row, claim, sought))).toEqual([true, true, false]);
});
