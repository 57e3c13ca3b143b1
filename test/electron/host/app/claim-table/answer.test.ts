/** One answer to a claim, by its rule. */
import { expect, test } from 'vitest';
import type { ClaimFinding, ClaimMap } from '../../../../../electron/contract/bench/claim-table.ts';
import { type Answered, answerOf, overValues, valueText } from '../../../../../electron/host/app/claim-table/answer.ts';

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
  // A verdict that recurs is listed again.
  expect(overValues([...at('less', 1000, 4000), ...at('more', 2000)], path)).toBe(
    'less at 1 kB; more at 2 kB; less at 4 kB',
  );
});

const finding = (verdict: string, value: number | null, more: Partial<ClaimFinding> = {}): ClaimFinding => ({
  ...{ session: 'recorded~s.json', file: 's.json', report: 0, scenario: 'Sum', machine: 'A', by: 'a → b', what: '' },
  ...{ value, interval: null, unit: '×', verdict, at: null, ...more },
});
const claim: Answered = {
  ...{ reason: null, kind: 'gain', from: 2, to: 10, tolerance: undefined, maps: [], findings: [], command: 'bench s' },
};
const sentence = (more: Partial<Answered>): string => answerOf({ ...claim, ...more }).sentence;

test('a claim that every decided measurement bears out is true, one that none does is not', () => {
  const good = finding('as claimed', 3);
  expect(answerOf({ ...claim, findings: [good, finding('as claimed', 4.561), finding('undecided', 9.9)] })).toEqual({
    ...{ word: 'true', sentence: 'true: 3–4.56×', number: '3–4.56×', command: null },
  });
  const less = [finding('less', 1.5), finding('less', 1.2)];
  expect(sentence({ findings: less })).toBe('not true: 1.2–1.5× instead, a smaller gain');
  const more = [finding('more', 30, { unit: 'cycles' })];
  expect(sentence({ kind: 'cost', findings: more })).toBe('not true: 30 cycles instead, a larger cost');
  expect(sentence({ findings: more.map((one) => ({ ...one, unit: '×' })) })).toBe(
    'not true: 30× instead, a larger gain',
  );
});

test('a gain that is a loss in every measurement is the other way round', () => {
  const loss = finding('less', 0.37, { unit: '×', interval: { low: 0.3, high: 0.4 } });
  expect(sentence({ findings: [loss] })).toBe('not true: 0.37× instead, the other way round');
  expect(sentence({ kind: 'yes-no', findings: [loss] })).toBe('not true: 0.37× instead, it is not so');
  const none = finding('less', 0.99, { unit: '×', interval: { low: 0.97, high: 1.01 } });
  expect(sentence({ findings: [loss, none] })).toBe('not true: 0.37–0.99× instead, a smaller gain');
});

test('a wrong answer counts for nothing', () => {
  const wrong = finding('as claimed, by a wrong answer', 5);
  expect(sentence({ findings: [wrong] })).toBe('cannot be judged here: what measures it gives a wrong answer');
  expect(sentence({ findings: [wrong, finding('less', 1.5)] })).toBe('not true: 1.5× instead, a smaller gain');
});

test('measurements at the size of the note decide alone', () => {
  const findings = [finding('as claimed', 3), finding('less', 1.1, { atNote: true })];
  expect(sentence({ findings })).toBe('not true: 1.1× instead, a smaller gain');
});

test('a claim about another program is judged by that one alone', () => {
  const findings = [finding('as claimed', 3)];
  const needs = 'PyTorch';
  expect(answerOf({ ...claim, needs, findings })).toEqual({
    ...{ word: 'cannot-judge', sentence: 'cannot be judged here: needs PyTorch', number: '', command: 'bench s' },
  });
  const rival = finding('less', 1.5, { rival: true });
  expect(sentence({ needs, findings: [...findings, rival] })).toBe('not true: 1.5× instead, a smaller gain');
  expect(sentence({ reason: 'No pair.', findings })).toBe('cannot be judged here: No pair.');
});

test('open claims name the command that decides them', () => {
  expect(answerOf(claim)).toMatchObject({ word: 'not-measured', sentence: 'not measured yet', command: 'bench s' });
  expect(sentence({ findings: [finding('undecided', 1.9)] })).toBe('not measured precisely enough yet: 1.9× of 2–10×');
});

test('a claim that holds in a part of a sweep names it, with pair and machine where those differ', () => {
  const points = [1, 2, 4].map((at) => ({ at, value: at, interval: null, verdict: at < 2 ? 'less' : 'as claimed' }));
  const map = (machine: string, ...by: readonly string[]): ClaimMap => ({
    ...{ session: 's', file: 's.json', scenario: 's', path: 'grid.dx_mm', machine },
    series: by.map((name) => ({ by: name, unit: '×', points, told: '' })),
  });
  const findings = [finding('less', 1), finding('as claimed', 2), finding('as claimed', 4, { by: 'c → d' })];
  const line = (...maps: readonly ClaimMap[]): string => sentence({ findings, maps });
  expect(line(map('A', 'a → b'))).toBe('true when dx mm is 2 to 4; 1–4× in all');
  expect(line(map('A', 'a → b'), map('B', 'a → b'))).toBe('true when dx mm is 2 to 4; 1–4× in all');
  expect(line(map('A', 'a → b', 'c → d'))).toBe(
    'true when dx mm is 2 to 4 (a → b); dx mm is 2 to 4 (c → d); 1–4× in all',
  );
  expect(line(map('A', 'a → b'), { ...map('B'), series: [] })).toBe('true when dx mm is 2 to 4 (on A); 1–4× in all');
  // Without a sweep, the pair that it holds for.
  expect(line()).toBe('true when c → d; 1–4× in all');
});
