/** Launch shown in the explorer, saved per user. */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { reductionKinds } from '../../../electron/contract/launch/reduction.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

/** Stands for a kernel that is given by its numbers. */
export const OWN_NUMBERS = 'own';

export const mostElements = 2 ** 40;
const along = z.number().int().min(1).max(mostElements);
const threads = z.number().int().min(1).max(4096);

const schema = z.strictObject({
  /** `transport/dense_fill_f32`; `own` for the two numbers below; empty or gone: the first there is. */
  kernel: z.string().max(320),
  registers: z.number().int().min(1).max(255),
  shared_bytes: z
    .number()
    .int()
    .min(0)
    .max(2 ** 20),
  /** UUID of a device that is here, or an architecture; empty or gone: the first there is. */
  gpu: z.string().max(64),
  elements: z.tuple([along, along, along]),
  /** Null if not chosen: the launch bound of the kernel applies. */
  block: z.tuple([threads, threads, threads]).nullable(),
  mapping: z.enum(['one-per-thread', 'grid-stride']),
  /** Null if as many blocks are launched as can be resident on the GPU. */
  blocks: z.number().int().min(1).max(mostElements).nullable(),
  dynamic_bytes: z
    .number()
    .int()
    .min(0)
    .max(2 ** 20),
  /** The one whose elements are marked, along x. */
  thread: z.number().int().min(0).max(mostElements),
  reduction: z.enum(reductionKinds),
});
export type LaunchState = Readonly<z.infer<typeof schema>>;
export type LaunchStore = StoreApi<LaunchState>;

export function createLaunchStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): LaunchStore {
  const initial: LaunchState = {
    kernel: '',
    registers: 32,
    shared_bytes: 0,
    gpu: '',
    elements: [1_000_000, 1, 1],
    block: null,
    mapping: 'one-per-thread',
    blocks: null,
    dynamic_bytes: 0,
    thread: 0,
    reduction: 'sequential',
  };
  return createPersisted<LaunchState>({ storage, name: 'launch-explorer', version: 1, schema, initial, onReset });
}
