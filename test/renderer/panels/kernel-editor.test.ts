import { expect, test } from 'vitest';
import type { Accuracy, Session } from '../../../electron/contract/bench/session.ts';
import type { Variant } from '../../../electron/contract/capabilities.ts';
import { checkText, userKernelVerdict } from '../../../electron/contract/user-kernels/verdict.ts';
import { isUserKernelId } from '../../../electron/contract/user-kernels.ts';
import { groupsOf } from '../../../renderer/panels/kernel-editor/groups.ts';
import { outcomeOf } from '../../../renderer/panels/kernel-editor/verdict.ts';

const variant = (workload: string, bench: string, id: string): Variant => ({
  ...{ id, workload, bench, title: id, changes: '', buildsOn: null, device: 'cpu', precisions: ['fp32'] },
  ...{ available: true, reason: null, source: '' },
});

test('variants are chosen within a workload or a row of it, the own ones first', () => {
  const all = [
    variant('transport', '', 'gather'),
    variant('micro', 'scan', 'cpu-chain'),
    variant('micro', 'reduction', 'cpu-chain'),
    variant('micro', 'reduction', 'mine.cpp'),
  ];
  expect(groupsOf(all, isUserKernelId).map(({ label, variants }) => [label, variants.map(({ id }) => id)])).toEqual([
    ['Proton transport', ['gather']],
    ['Small workloads: scan', ['cpu-chain']],
    ['Small workloads: reduction', ['mine.cpp', 'cpu-chain']],
  ]);
});

const accuracy = (value: number | null, bound: number | null): Accuracy => ({
  ...{ id: 'bright', title: 'Bright pixels', tip: 'Largest error', unit: '', value, bound },
  holds: bound === null || (value !== null && value <= bound),
});

test('a verdict is right when every check holds, the repeats within the first bound', () => {
  const same = { runs: 2, bitwise: true, spread: 0 };
  expect(userKernelVerdict([accuracy(1e-6, 2e-5), accuracy(0.5, null)], same)).toMatchObject({
    right: true,
    repeats: 2,
  });
  expect(userKernelVerdict([accuracy(1e-4, 2e-5)], same).right).toBe(false);
  expect(userKernelVerdict([accuracy(Number.NaN, 2e-5)], same).checks[0]).toMatchObject({ value: null, holds: false });
  const differs = (spread: number | null) =>
    userKernelVerdict([accuracy(0, 2e-5)], { runs: 3, bitwise: false, spread });
  expect(differs(1e-6).right).toBe(true);
  expect(differs(1e-3).right).toBe(false);
  expect(differs(null).checks.map(checkText)).toEqual([
    'Largest error: 0.0e+0, 2.0e-5 allowed',
    '3 runs differ in their bits',
  ]);
});

test('the outcome of a session of any workload is its accuracy, or why there is none', () => {
  const head = { variant: 'mine.cpp' };
  const measured = {
    ...{ ...head, status: 'measured', accuracy: [accuracy(1e-4, 2e-5)], verdict: 'wrong' },
    ...{ determinism: { runs: 2, bitwise: true, spread: 0 }, ratio: { value: 0.5, interval: null } },
  };
  const session = (entry: object) => ({ reports: [{ reference: 'base', entries: [entry] }] }) as unknown as Session;
  expect(outcomeOf(session(measured), 'mine.cpp')).toMatchObject({
    kind: 'checked',
    verdict: { right: false },
    speed: '2.00× the speed of base',
  });
  // One from nothing is its own reference.
  const alone = { ...measured, label: 'base', variant: 'mine.cpp', verdict: 'reference', time_s: 0.0025 };
  expect(outcomeOf(session(alone), 'mine.cpp')).toMatchObject({ speed: '2.5 ms a run' });
  expect(outcomeOf(session({ ...head, status: 'refused', reason: 'It crashed.' }), 'mine.cpp')).toEqual({
    kind: 'refused',
    reason: 'It crashed.',
  });
  expect(outcomeOf(session(measured), 'other.cpp').kind).toBe('refused');
});
