/** Which kernel the launch explorer shows before one was chosen. */
import { expect, it, vi } from 'vitest';
import { publishedLimits } from '../../../electron/contract/launch/limits.ts';
import type { KernelSet } from '../../../electron/contract/launches.ts';
import { explain } from '../../../renderer/panels/launch-explorer/model.ts';
import { createLaunchStore } from '../../../renderer/panels/launch-explorer/store.ts';
import { memoryStorage } from '../../../renderer/state/persisted.ts';

const none = { constant_bytes: 0, stack_bytes: 0, spill_store_bytes: 0, spill_load_bytes: 0, barriers: 0 };
const set = (workload: string): KernelSet =>
  ({
    workload,
    kernels: [{ name: `${workload}_kernel`, architecture: 'sm_90', registers: 32, shared_bytes: 0, ...none }],
  }) as unknown as KernelSet;
const sets = ['probe', 'diffraction', 'transport'].map(set);
const gpus = publishedLimits
  .filter(({ architecture }) => architecture === 'sm_90')
  .map((limits) => ({ id: limits.architecture, limits }));
const config = createLaunchStore(memoryStorage(), vi.fn()).getState();
const chosen = (kernel: string, preferred: string) => explain({ ...config, kernel }, sets, gpus, preferred)?.choice?.id;

it('is one of the scenario’s workload, else any but a probe; a choice stays', () => {
  expect(chosen('', 'transport')).toBe('transport/transport_kernel');
  expect(chosen('', 'micro')).toBe('diffraction/diffraction_kernel');
  expect(chosen('diffraction/diffraction_kernel', 'transport')).toBe('diffraction/diffraction_kernel');
});

it('is launched with the block of its launch bound until another block is chosen', () => {
  const bound = (threads: number | null): readonly KernelSet[] =>
    sets.map((one) => ({ ...one, kernels: one.kernels.map((kernel) => ({ ...kernel, max_threads: threads })) }));
  const launched = (threads: number | null, block: [number, number, number] | null) =>
    explain({ ...config, block }, bound(threads), gpus, 'transport');
  expect(launched(128, null)?.block).toEqual([128, 1, 1]);
  expect(launched(128, null)?.launch.notes.filter(({ severity }) => severity === 'refused')).toEqual([]);
  expect(launched(null, null)?.block).toEqual([256, 1, 1]);
  expect(launched(128, [64, 2, 1])?.block).toEqual([64, 2, 1]);
});
