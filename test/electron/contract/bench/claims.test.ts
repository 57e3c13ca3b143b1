/** When a claim is contradicted, when it is as claimed, and that kept sessions are told by today's rule. */
import { expect, test } from 'vitest';
import { claimResultSchema, judgeClaim } from '../../../../electron/contract/bench/claims.ts';

const claim = { from: 2, to: 10 };
const of = (value: number, low: number, high: number) => judgeClaim({ value, interval: { low, high } }, claim);

test('the whole interval contradicts, the median confirms, and between the two nothing is decided', () => {
  expect(judgeClaim(null, claim)).toBe('not measured');
  expect(judgeClaim({ value: 5, interval: null }, claim)).toBe('undecided');
  expect([of(1.5, 1.4, 1.9), of(12, 11, 13), of(5, 4, 6)]).toEqual(['less', 'more', 'as claimed']);
  expect([of(1.9, 1.5, 2.3), of(10.5, 9, 12)]).toEqual(['undecided', 'undecided']);
  expect([of(2.1, 1.9, 2.3), of(10, 9, 11)]).toEqual(['as claimed', 'as claimed']);
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
  expect(claimResultSchema.parse(kept).pairs.map(({ verdict }) => verdict)).toEqual([
    'undecided',
    'undecided',
    'as claimed',
  ]);
});
