/** Agreement of one machine's verdicts with another's. */
import { expect, test } from 'vitest';
import type { ClaimFinding, ClaimTableRow, TableClaim } from '../../../electron/contract/bench/claim-table.ts';
import { cardCounts, cardsWords, onSeveralCards } from '../../../renderer/base/claim-cards.ts';

const finding = (machine: string, verdict: string, more: Partial<ClaimFinding> = {}) =>
  ({ machine, verdict, by: 'a → b', scenario: 's', at: null, value: 2, ...more }) as ClaimFinding;
const rowOf = (...claims: readonly (readonly ClaimFinding[])[]) =>
  [
    {
      claims: claims.map((findings, i) => ({
        claim: `claim ${i}`,
        findings,
        cards: [...new Set(findings.map(({ machine }) => machine))].map((machine) => ({
          machine,
          sessions: 1,
          answer: { sentence: findings.find((one) => one.machine === machine)?.verdict ?? '' },
        })),
      })),
    },
  ] as unknown as readonly ClaimTableRow[];

test('statements are compared where two machines made them of one problem', () => {
  const rows = rowOf(
    [finding('B', 'less'), finding('A', 'less')],
    [finding('A', 'less'), finding('B', 'more')],
    [finding('A', 'less'), finding('B', 'undecided')],
    [finding('A', 'not judged'), finding('B', 'not judged')],
    [finding('A', 'less'), finding('B', 'less', { scenario: 'another' })],
    [finding('A', 'less'), finding('B', 'less', { at: 4 })],
    [finding('A', 'less'), finding('B', 'less', { value: null })],
    [finding('A', 'less'), finding('B', 'less', { counted: true })],
  );
  expect(
    onSeveralCards(rows).map(({ claim, holds, found }) => [claim, holds, found.map((one) => one.machine)]),
  ).toEqual([
    ['claim 0', 'the same verdict', ['A', 'B']],
    ['claim 1', 'another verdict', ['A', 'B']],
    ['claim 2', 'not decided on each', ['A', 'B']],
    ['claim 3', 'not judged', ['A', 'B']],
  ]);
});

test('what rests on one machine says so, and is counted', () => {
  const rows = rowOf([finding('A', 'less')], [finding('A', 'more')], [finding('A', 'less'), finding('B', 'more')], []);
  expect([...cardCounts(rows)]).toEqual([
    ['A', 2],
    ['A, B', 1],
  ]);
  const words = (rows[0]?.claims ?? []).map((claim: TableClaim) => cardsWords(claim));
  expect(words[0]).toBe('Recorded on A only.');
  expect(words[2]).toBe('On A: less. On B: more.');
  expect(words[3]).toBeNull();
});
