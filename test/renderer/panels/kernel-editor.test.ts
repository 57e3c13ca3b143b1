/** The variant in the kernel editor, with a host whose answers the test provides. */
import { describe, expect, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import type { Accuracy, Session } from '../../../electron/contract/bench/session.ts';
import type { Variant } from '../../../electron/contract/capabilities.ts';
import { BraggError } from '../../../electron/contract/errors.ts';
import { checkText, userKernelVerdict } from '../../../electron/contract/user-kernels/checks.ts';
import { isUserKernelId } from '../../../electron/contract/user-kernels.ts';
import { type EditingParts, KernelEditing, outcomeOf } from '../../../renderer/panels/kernel-editor/editing.ts';
import { groupsOf } from '../../../renderer/panels/kernel-editor/store.ts';

describe('editing a kernel', () => {
  interface Call {
    readonly name: string;
    readonly id: string;
    readonly answer: (result: object) => Promise<void>;
    readonly refuse: (reason: string | Error) => Promise<void>;
  }

  const settled = async (): Promise<void> => {
    for (let i = 0; i < 5; i += 1) await Promise.resolve();
  };

  function openEditor(trusts = true) {
    const calls: Call[] = [];
    const failed: string[] = [];
    const ordered: (readonly string[])[] = [];
    const comparison = createStore<{ live: object[]; stored: object[] }>(() => ({ live: [], stored: [] }));
    const parts = {
      client: {
        call: (name: string, params: { id?: string; bench?: string }) =>
          new Promise<object>((resolve, reject) => {
            const id = params.id ?? params.bench ?? '';
            const answer = (result: object): Promise<void> => {
              resolve(result);
              return settled();
            };
            const refuse = (reason: string | Error): Promise<void> => {
              reject(typeof reason === 'string' ? new Error(reason) : reason);
              return settled();
            };
            calls.push({ name, id, answer, refuse });
          }),
      },
      stores: { comparison, notices: { fail: (text: string) => failed.push(text) } },
      userKernels: { refresh: async () => undefined, trust: async () => trusts },
      benches: {
        start: async ({ variants }: { readonly variants: readonly string[] }) => {
          ordered.push(variants);
          return { id: 'bench-1' };
        },
      },
    } as unknown as EditingParts;
    const editing = new KernelEditing(parts);
    editing.follow();
    const call = (name: string, id: string): Call => {
      const found = calls.find((one) => one.name === name && one.id === id);
      if (found === undefined) throw new Error(`${name} of ${id} was not requested`);
      calls.splice(calls.indexOf(found), 1);
      return found;
    };
    const info = (id: string) => {
      const answer = id === 'own.cpp' ? 'own.py' : null;
      return { id, answer, description: { base: 'gather' } };
    };
    const show = async (id: string): Promise<void> => {
      editing.show({ beside: null, id });
      await call('userKernels.read', id).answer({ text: `text of ${id}`, info: info(id) });
    };
    const end = (state: string): void => comparison.setState({ live: [{ id: 'bench-1', state }] });
    return { editing, call, calls, ordered, failed, info, show, end, state: () => editing.store.getState() };
  }

  test('ignores answers about a variant that is no longer shown', async () => {
    const { editing, call, failed, info, show, state } = openEditor();
    editing.show({ beside: null, id: 'a.cpp' });
    const late = call('userKernels.read', 'a.cpp');
    await show('b.cpp');
    await late.answer({ text: 'text of a.cpp', info: info('a.cpp') });
    expect(state()).toMatchObject({ read: { id: 'b.cpp' }, saved: 'text of b.cpp', info: { id: 'b.cpp' } });

    const saved = editing.save('new b');
    await settled();
    await show('c.cpp');
    await call('userKernels.save', 'b.cpp').answer(info('b.cpp'));
    expect(await saved).toBe(true);
    expect(state()).toMatchObject({ saved: 'text of c.cpp', info: { id: 'c.cpp' }, message: '' });

    const built = editing.build('text of c.cpp');
    expect(state()).toMatchObject({ busy: 'building', message: 'Compiling …' });
    await show('d.cpp');
    expect(state().busy).toBeNull();
    await call('userKernels.build', 'c.cpp').answer({ built: false, issues: [{ severity: 'error' }], seconds: 1 });
    expect(await built).toBe(false);
    expect(state()).toMatchObject({ issues: [], busy: null, message: '', info: { id: 'd.cpp' } });

    const failing = editing.build('changed d');
    await settled();
    await show('e.cpp');
    await call('userKernels.save', 'd.cpp').refuse('The disk is full.');
    expect(await failing).toBe(false);
    expect(failed).toEqual(['d.cpp was not saved']);
    expect(state()).toMatchObject({ busy: null, message: '', read: { id: 'e.cpp' } });
  });

  test('runs a copy next to its original, and a kernel from a template by itself', async () => {
    const { editing, call, ordered, show, end, state } = openEditor();
    for (const id of ['a.cpp', 'own.cpp']) {
      await show(id);
      const running = editing.run(`text of ${id}`);
      await settled();
      await call('userKernels.build', id).answer({ built: true, issues: [], seconds: 1 });
      await running;
      end('running');
    }
    expect(ordered).toEqual([['gather', 'a.cpp'], ['own.cpp']]);
    expect(state().message).toBe('Running, checked against own.py …');
  });

  test('shows a verdict only for the variant that ran', async () => {
    const { editing, call, calls, show, end, state } = openEditor();
    const run = async (id: string): Promise<void> => {
      const running = editing.run(`text of ${id}`);
      await settled();
      await call('userKernels.build', id).answer({ built: true, issues: [], seconds: 1 });
      await running;
    };
    await show('a.cpp');
    await run('a.cpp');
    expect(state()).toMatchObject({ busy: 'running', message: 'Running next to gather …' });
    end('running');
    await show('b.cpp');
    expect(state()).toMatchObject({ busy: null, outcome: null });
    end('done');
    await settled();
    expect(calls).toEqual([]);
    expect(state().outcome).toBeNull();

    end('queued');
    await run('b.cpp');
    end('done');
    expect(state()).toMatchObject({ busy: null, message: '' });
    const refused = { variant: 'b.cpp', status: 'refused', reason: 'It crashed.' };
    await call('bench.session', 'bench-1').answer({ session: { reports: [{ reference: null, entries: [refused] }] } });
    expect(state().outcome).toEqual({ kind: 'refused', reason: 'It crashed.' });

    // The file was left during compilation, so that its kernel does not run.
    const running = editing.run('text of b.cpp');
    await settled();
    await show('c.cpp');
    await call('userKernels.build', 'b.cpp').answer({ built: true, issues: [], seconds: 1 });
    await running;
    expect(state()).toMatchObject({ busy: null, message: '', info: { id: 'c.cpp' } });
  });

  test('compiles only after the user has trusted the kernel', async () => {
    for (const trusts of [true, false]) {
      const { editing, call, calls, show, state } = openEditor(trusts);
      await show('a.cpp');
      const built = editing.build('text of a.cpp');
      await settled();
      await call('userKernels.build', 'a.cpp').refuse(
        new BraggError('untrusted', 'a.cpp has not been trusted in this state'),
      );
      await settled();
      if (trusts) await call('userKernels.build', 'a.cpp').answer({ built: true, issues: [], seconds: 1 });
      expect(await built).toBe(trusts);
      expect(calls).toEqual([]);
      expect(state().message).toBe(
        trusts ? 'Compiled in 1.0 s' : 'It was not compiled, because you have not confirmed that you trust it.',
      );
    }
  });
});

describe('the kernel editor', () => {
  const variant = (workload: string, bench: string, id: string): Variant => ({
    ...{ id, workload, bench, title: id, changes: '', buildsOn: null, device: 'cpu', precisions: ['fp32'] },
    ...{ available: true, reason: null, source: '' },
  });

  test('lists the variants of a workload or of one of its rows, user kernels first', () => {
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

  test('shows a verdict as correct if every check passes and the repeats are within the first bound', () => {
    const same = { runs: 2, bitwise: true, spread: 0 };
    expect(userKernelVerdict([accuracy(1e-6, 2e-5), accuracy(0.5, null)], same)).toMatchObject({
      right: true,
      repeats: 2,
    });
    expect(userKernelVerdict([accuracy(1e-4, 2e-5)], same).right).toBe(false);
    expect(userKernelVerdict([accuracy(Number.NaN, 2e-5)], same).checks[0]).toMatchObject({
      value: null,
      holds: false,
    });
    const differs = (spread: number | null) =>
      userKernelVerdict([accuracy(0, 2e-5)], { runs: 3, bitwise: false, spread });
    expect(differs(1e-6).right).toBe(true);
    expect(differs(1e-3).right).toBe(false);
    expect(differs(null).checks.map(checkText)).toEqual([
      'Largest error: 0.0e+0, 2.0e-5 allowed',
      '3 runs gave results that differ bitwise',
    ]);
  });

  test('shows neither correct nor wrong while memoisation is suspected, unless a check fails', () => {
    const doubt = {
      id: 'remembers',
      title: 'Time ratio of new to known inputs',
      tip: 'It may remember',
      unit: '',
      value: null,
    };
    const same = { runs: 2, bitwise: true, spread: null };
    const verdictWith = (value: number) =>
      userKernelVerdict([accuracy(value, 2e-5), { ...doubt, bound: 1.5, holds: true }], same);
    expect(verdictWith(1e-6)).toMatchObject({ right: false, doubtful: true });
    expect(verdictWith(1e-6).checks.map(({ holds }) => holds)).toEqual([true, true, true]);
    expect(verdictWith(1e-4)).toMatchObject({ right: false, doubtful: false });
    expect(userKernelVerdict([accuracy(1e-6, 2e-5)], same)).toMatchObject({ right: true, doubtful: false });
  });

  test('shows the accuracy as the outcome of a session of any workload, or why there is none', () => {
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
    // A kernel written from scratch is its own reference.
    const alone = { ...measured, label: 'base', variant: 'mine.cpp', verdict: 'reference', time_s: 0.0025 };
    expect(outcomeOf(session(alone), 'mine.cpp')).toMatchObject({ speed: '2.5 ms a run' });
    expect(outcomeOf(session({ ...head, status: 'refused', reason: 'It crashed.' }), 'mine.cpp')).toEqual({
      kind: 'refused',
      reason: 'It crashed.',
    });
    expect(outcomeOf(session(measured), 'other.cpp').kind).toBe('refused');
  });
});
