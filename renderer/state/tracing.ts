/** Whether new runs record the GPU's work. Not saved: recording slows later runs of the program too. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { DeviceReport } from '../../electron/contract/devices.ts';

interface TracingState {
  readonly on: boolean;
}

export type TracingStore = StoreApi<TracingState>;

export function createTracingStore(): TracingStore {
  return createStore<TracingState>(() => ({ on: false }));
}

/** Whether there is a GPU to record, and in a sentence how, or why not. */
export function tracingOf({ cuda, cupti }: Pick<DeviceReport, 'cuda' | 'cupti'>): {
  readonly possible: boolean;
  readonly says: string;
} {
  if (!cuda.available) {
    const why = cuda.reason ?? 'there is none.';
    return { possible: false, says: `There is no GPU to record: ${why} What the CPU does is always recorded.` };
  }
  const what = "Record the GPU's kernels and copies and the driver's calls in the runs that follow";
  const how = cupti.available
    ? 'it slows launches until the program ends.'
    : `by events around every launch, which slows it: ${cupti.reason ?? 'CUPTI is missing.'}`;
  return { possible: true, says: `${what}; ${how}` };
}
