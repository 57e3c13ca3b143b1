/** Initial selection of variants and sessions, before any choice by the user. */
import { describe, expect, test } from 'vitest';
import type { BenchInfo, ExpectedTime } from '../../../electron/contract/bench/benches.ts';
import { leastSession_s, suggestedVariants } from '../../../electron/contract/bench/suggested.ts';
import { sessionToOffer } from '../../../renderer/panels/compare/compare-panel.tsx';
import { expectedText } from '../../../renderer/panels/compare/expected.ts';
import { tickedVariants, withoutTicked, withTicked } from '../../../renderer/panels/compare/selection.ts';
import { createComparisonStore } from '../../../renderer/state/comparison.ts';

const known = ['scatter', 'gather', 'window', 'cuda-window', 'wrong'].map((id) => ({
  id,
  available: id !== 'cuda-window',
}));
const time = (variant: string, run_s: number | null, more: Partial<ExpectedTime> = {}): [string, ExpectedTime] => [
  variant,
  { variant, run_s, like: null, right: true, able: true, ...more },
];
const times = new Map([
  time('scatter', 20),
  time('gather', 0.5),
  time('window', 0.01),
  time('cuda-window', 0.001),
  time('wrong', 0.001, { right: false }),
]);
const place = { workload: 'transport', bench: '' } as const;
const kept = { variants: ['diffraction-fp64'], touched: [], time_s: 60 };

describe('variants that are ticked at first', () => {
  test('are the right ones that are here and fit into the time, in the order of the ladder', () => {
    expect(suggestedVariants(known, times, 60)).toEqual(['gather', 'window']);
    expect(suggestedVariants(known, times, 600)).toEqual(['scatter', 'gather', 'window']);
    expect(suggestedVariants(known, times, 0.3)).toEqual(['window']);
    expect(suggestedVariants(known, new Map([time('gather', null)]), 600)).toEqual([]);
  });

  test('count their first run, five rounds, five processes, and the reference once more in each', () => {
    expect(leastSession_s([2, 1])).toBe(11 * 3 + 10 * 2);
  });

  test('stay the user’s once one was changed, and others’ stay too', () => {
    expect(tickedVariants(kept, place, known, times)).toEqual(['gather', 'window']);
    const changed = { ...kept, ...withTicked(kept, place, known, ['window']) };
    expect(changed.variants).toEqual(['diffraction-fp64', 'window']);
    expect(tickedVariants(changed, place, known, times)).toEqual(['window']);
    const none = { ...kept, ...withTicked(kept, place, known, []) };
    expect(tickedVariants(none, place, known, times)).toEqual([]);
    expect(tickedVariants({ ...none, ...withoutTicked(none, place) }, place, known, times)).toEqual([
      'gather',
      'window',
    ]);
  });

  test('have their time beside them, and whose it is', () => {
    expect(expectedText(undefined)).toBe('');
    expect(expectedText({ variant: 'a', run_s: 0.02384, like: null, right: true, able: true })).toBe(
      'about 24 ms a run',
    );
    expect(expectedText({ variant: 'a', run_s: 0.5, like: 'NVIDIA H200', right: false, able: true })).toBe(
      'about 500 ms a run, as on NVIDIA H200, its answer is wrong',
    );
    expect(expectedText({ variant: 'a', run_s: null, like: null, right: true, able: true })).toBe('time not known');
  });
});

describe('a session that is shown where there is no GPU', () => {
  const info = (id: string, more: Partial<BenchInfo> = {}): BenchInfo =>
    ({
      id,
      workload: 'transport',
      bench: '',
      recorded: true,
      sweep: null,
      scenario: id,
      subjects: [],
      refused: [],
      ...more,
    }) as BenchInfo;

  test('came with the program, and is of the scenario in the form if there is one', () => {
    const stored = [
      info('mine', { recorded: false }),
      info('sweep', { sweep: 'grid.dx_mm' }),
      info('image', { workload: 'diffraction' }),
      info('other'),
      info('another', { subjects: [{ title: 'a', subject: { kind: 'run', run: 'a' } }] }),
      info('Water, 70 MeV'),
    ];
    expect(sessionToOffer(stored, place, 'Water, 70 MeV')?.id).toBe('Water, 70 MeV');
    expect(sessionToOffer(stored, place, 'new')?.id).toBe('another');
    expect(sessionToOffer(stored, { workload: 'micro', bench: 'atomics' }, 'new')).toBeNull();
  });

  test('goes as soon as something is chosen, and does not come back', () => {
    const store = createComparisonStore();
    const entry = (label: string) => ({ kind: 'entry', bench: 'b', report: 0, label }) as const;
    store.offer('transport', [entry('a'), entry('b')]);
    expect(store.getState().chosen.map(({ offered }) => offered)).toEqual([true, true]);
    store.add('micro', [entry('m')]);
    expect(store.getState().chosen).toHaveLength(3);
    store.add('transport', [entry('c')]);
    expect(store.getState().chosen.map(({ key }) => key)).toEqual(['entry b 0 m', 'entry b 0 c']);
    expect(store.getState().offered).toEqual(['transport']);
  });
});
