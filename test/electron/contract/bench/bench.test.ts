/**
 * A session that was recorded again has the name of the first one followed by its GPU, in the folder of its workload.
 * Also the words for results: correct, wrong, impossible and not checked. Also verdicts on claims; saved sessions are
 * judged by the current rule.
 */
import { describe, expect, it, test } from 'vitest';
import { isUnproven, rowVerdict, verdictSchema } from '../../../../electron/contract/bench/bench-session.ts';
import { claimedRangeText, claimResultSchema, judgeClaim } from '../../../../electron/contract/bench/claims.ts';
import { recordingsOnOtherGpus } from '../../../../electron/contract/bench/recorded-names.mjs';
import {
  type Accuracy,
  CACHED_RESULTS_CHECK,
  correctnessOf,
  correctnessReason,
  MIN_TIME_CHECK,
} from '../../../../electron/contract/bench/session.ts';
import { readableUnit } from '../../../../electron/domain/values/units.ts';

describe('names of recorded sessions', () => {
  it('match recordings of the same session on other GPUs, whether or not the name contains a GPU', () => {
    expect(recordingsOnOtherGpus('h200-dense-36M.json')).toEqual([
      'transport/h100-dense-36M.json',
      'transport/h200-dense-36M.json',
    ]);
    expect(recordingsOnOtherGpus('micro/launch.json')).toEqual(['micro/h100-launch.json', 'micro/h200-launch.json']);
    expect(recordingsOnOtherGpus('diffraction/h200-programs.json')).toEqual(['diffraction/h100-programs.json']);
    expect(recordingsOnOtherGpus('transport/h100-factorial.json')).toEqual(['transport/h200-factorial.json']);
  });
});

describe('verdicts of a session', () => {
  const check = (more: Partial<Accuracy>): Accuracy => ({
    ...{ id: 'parity', title: 'Dose error', tip: '', unit: '', value: 1e-7, bound: 1e-5, holds: true },
    ...more,
  });
  const ledger = check({ id: 'ledger', value: 1e-9, bound: 1e-6 });

  test('an answer is correct only if every check compared something', () => {
    expect(correctnessOf([check({}), ledger])).toBe('correct');
    expect(correctnessOf([])).toBe('not checked');
    expect(correctnessOf([check({ bound: null })])).toBe('not checked');
    // A balanced ledger does not show that a dose is correct: the dose must also be compared.
    expect(correctnessOf([check({ value: null }), ledger])).toBe('not checked');
  });

  test('a failed check makes the answer wrong, and a time beyond the limits of the machine makes it impossible', () => {
    const early = check({ id: MIN_TIME_CHECK, value: 1e-9, bound: 1e-6, holds: false });
    expect(correctnessOf([check({}), early])).toBe('impossible');
    expect(correctnessOf([check({ value: 1, holds: false }), early])).toBe('wrong');
    expect(correctnessOf([check({ value: null, holds: false })])).toBe('wrong');
  });

  test('an answer has one of three verdicts, which do not depend on the end-to-end time', () => {
    expect(verdictSchema.options.filter(isUnproven)).toEqual(['wrong', 'impossible', 'not checked']);
    expect(rowVerdict({ verdict: 'not checked', whole: { verdict: 'faster' } })).toBe('not checked');
    expect(rowVerdict({ verdict: 'undecided', whole: { verdict: 'faster' } })).toBe('faster');
  });

  test('suspected memoisation makes an answer not checked, with a reason, unless a check failed', () => {
    const doubt = check({ id: CACHED_RESULTS_CHECK, tip: 'It may remember results', value: null });
    expect([correctnessOf([check({}), doubt]), correctnessReason([check({}), doubt])]).toEqual([
      'not checked',
      'It may remember results',
    ]);
    const failed = check({ tip: 'dose is 2, expected 1', value: 1, holds: false });
    expect([correctnessOf([failed, doubt]), correctnessReason([failed, doubt])]).toEqual([
      'wrong',
      'dose is 2, expected 1',
    ]);
    expect(correctnessReason([check({ value: null })])).toBe(null);
  });
});

describe('verdicts on claims', () => {
  const claim = { from: 2, to: 10 };
  const of = (value: number, low: number, high: number) => judgeClaim({ value, interval: { low, high } }, claim);

  test('a claim is decided only if the complete interval lies on one side of its bound', () => {
    expect(judgeClaim(null, claim)).toBe('not measured');
    expect(judgeClaim({ value: 5, interval: null }, claim)).toBe('not judged');
    expect([of(1.5, 1.4, 1.9), of(12, 11, 13), of(5, 4, 6)]).toEqual(['less', 'more', 'as claimed']);
    expect([of(1.9, 1.5, 2.3), of(10.5, 9, 12)]).toEqual(['undecided', 'undecided']);
    expect([of(2.1, 1.9, 2.3), of(10, 9, 11)]).toEqual(['undecided', 'undecided']);
  });

  test('a claimed number has a tolerance band, which the claim may set', () => {
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

  test('faster means by more than one per cent, and “at least” has no upper bound', () => {
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

  test('a claim that needs another program or GPU is not judged by a number measured here', () => {
    expect(judgeClaim({ value: 5, interval: { low: 4, high: 6 } }, { ...claim, needs: 'PyTorch' })).toBe('not judged');
  });

  test('a saved verdict is replaced by that of the current rule, whoever saved it', () => {
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

  test('seconds are shown as ms, µs or ns, and values in other units are unchanged', () => {
    expect(claimedRangeText({ from: 1.5e-5, to: 6e-5 }, 's')).toBe('15–60 µs');
    expect(claimedRangeText({ from: 0.05, to: 0.2 }, 's')).toBe('50–200 ms');
    expect(claimedRangeText({ from: 2, to: 10 })).toBe('2–10×');
    expect(readableUnit('s', [4e-9])).toMatchObject({ unit: 'ns', factor: 1e9 });
    expect(readableUnit('s', [3, 1e-6])).toEqual({ unit: 's', factor: 1 });
    expect(readableUnit('GB/s', [1e-5])).toEqual({ unit: 'GB/s', factor: 1 });
  });
});
