/** Verdicts on claims, contradicted or as claimed; saved sessions are judged by today's rule. */
import { expect, test } from 'vitest';
import { claimedBand, claimResultSchema, judgeClaim } from '../../../../electron/contract/bench/claims.ts';
import { readableUnit } from '../../../../electron/contract/units.ts';

const claim = { from: 2, to: 10 };
const of = (value: number, low: number, high: number) => judgeClaim({ value, interval: { low, high } }, claim);

test('only a whole interval decides: inside, outside, and what reaches beyond an end', () => {
  expect(judgeClaim(null, claim)).toBe('not measured');
  expect(judgeClaim({ value: 5, interval: null }, claim)).toBe('not judged');
  expect([of(1.5, 1.4, 1.9), of(12, 11, 13), of(5, 4, 6)]).toEqual(['less', 'more', 'as claimed']);
  expect([of(1.9, 1.5, 2.3), of(10.5, 9, 12)]).toEqual(['undecided', 'undecided']);
  expect([of(2.1, 1.9, 2.3), of(10, 9, 11)]).toEqual(['undecided', 'undecided']);
});

test('one number has a band, of its own where it names one', () => {
  const about = (from: number, low: number, high: number, tolerance?: number) =>
    judgeClaim({ value: (low + high) / 2, interval: { low, high } }, { from, to: from, tolerance });
  expect([about(32, 30, 34), about(32, 7.9, 8.1), about(32, 25, 27), about(32, 39, 40)]).toEqual([
    'as claimed',
    'less',
    'undecided',
    'more',
  ]);
  expect([about(1, 0.98, 1.01, 0.05), about(1.18, 1.02, 1.03, 0.05)]).toEqual(['as claimed', 'less']);
});

test('faster is more than one per cent beyond, and at least has no upper end', () => {
  const faster = (low: number, high: number) =>
    judgeClaim({ value: low, interval: { low, high } }, { from: 1, to: null });
  expect([faster(0.99, 1.005), faster(1, 1.03), faster(1.02, 1.03), faster(50, 60)]).toEqual([
    'less',
    'undecided',
    'as claimed',
    'as claimed',
  ]);
  expect(judgeClaim({ value: 9, interval: { low: 8, high: 9.9 } }, { from: 10, to: null })).toBe('less');
});

test('what needs another program or GPU is not judged by any number', () => {
  expect(judgeClaim({ value: 5, interval: { low: 4, high: 6 } }, { ...claim, needs: 'PyTorch' })).toBe('not judged');
});

test('a kept verdict gives way to the rule, whoever wrote it', () => {
  const pair = { slower: 'a', faster: 'b', what: 'streams', verdict: 'as claimed' };
  const kept = {
    ...{ id: 'streams', claim: 'Streams overlap', from: 1, to: 1000, source: 'a note', reason: null },
    pairs: [
      { ...pair, gain: { value: 0.93, interval: { low: 0.82, high: 1.27 } } },
      { ...pair, gain: { value: 1.2, interval: null } },
      { ...pair, gain: { value: 1.4, interval: { low: 1.3, high: 1.5 } } },
    ],
  };
  expect(claimResultSchema.parse(kept).to).toBeNull();
  expect(claimResultSchema.parse(kept).pairs.map(({ verdict }) => verdict)).toEqual([
    'undecided',
    'not judged',
    'as claimed',
  ]);
});

test('seconds are read as ms, µs or ns, and other units as they are', () => {
  expect(claimedBand({ from: 1.5e-5, to: 6e-5 }, 's')).toBe('15–60 µs');
  expect(claimedBand({ from: 0.05, to: 0.2 }, 's')).toBe('50–200 ms');
  expect(claimedBand({ from: 2, to: 10 })).toBe('2–10×');
  expect(readableUnit('s', [4e-9])).toMatchObject({ unit: 'ns', factor: 1e9 });
  expect(readableUnit('s', [3, 1e-6])).toEqual({ unit: 's', factor: 1 });
  expect(readableUnit('GB/s', [1e-5])).toEqual({ unit: 'GB/s', factor: 1 });
});
