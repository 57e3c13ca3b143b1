/** The words for answers: correct, wrong, impossible and not checked. */
import { expect, test } from 'vitest';
import { headVerdict, isUnproven, verdictSchema } from '../../../../electron/contract/bench/bench-session.ts';
import { type Accuracy, correctnessOf, LEAST_TIME } from '../../../../electron/contract/bench/session.ts';

const check = (more: Partial<Accuracy>): Accuracy => ({
  ...{ id: 'parity', title: 'Dose error', tip: '', unit: '', value: 1e-7, bound: 1e-5, holds: true },
  ...more,
});
const ledger = check({ id: 'ledger', value: 1e-9, bound: 1e-6 });

test('an answer is correct only where each check compared something', () => {
  expect(correctnessOf([check({}), ledger])).toBe('correct');
  expect(correctnessOf([])).toBe('not checked');
  expect(correctnessOf([check({ bound: null })])).toBe('not checked');
  // A ledger that closes says nothing of a dose that nothing was compared with.
  expect(correctnessOf([check({ value: null }), ledger])).toBe('not checked');
});

test('a failed check is wrong, and a time that the machine cannot reach is impossible', () => {
  const early = check({ id: LEAST_TIME, value: 1e-9, bound: 1e-6, holds: false });
  expect(correctnessOf([check({}), early])).toBe('impossible');
  expect(correctnessOf([check({ value: 1, holds: false }), early])).toBe('wrong');
  expect(correctnessOf([check({ value: null, holds: false })])).toBe('wrong');
});

test('verdicts about the answer are three, and stay whatever the time of a whole run', () => {
  expect(verdictSchema.options.filter(isUnproven)).toEqual(['wrong', 'impossible', 'not checked']);
  expect(headVerdict({ verdict: 'not checked', whole: { verdict: 'faster' } })).toBe('not checked');
  expect(headVerdict({ verdict: 'undecided', whole: { verdict: 'faster' } })).toBe('faster');
});
