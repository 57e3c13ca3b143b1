/** The page's connection to its host, the host's solver, and the machines that the host is connected to. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Capabilities, SolverFrame } from '../../electron/contract/capabilities.ts';
import type { Remote } from '../../electron/contract/remote.ts';
import type { ConnectionState } from '../client/index.ts';

interface ConnectionStoreState {
  readonly state: ConnectionState;
  readonly capabilities: Capabilities;
  /** On a first start it and the GPU's kernels are compiled while the page is in use. */
  readonly solver: SolverFrame;
  readonly remotes: readonly Remote[];
  /** A call to the host and its answer; null until it was measured, and for a host on this machine. */
  readonly delay_ms: number | null;
}

export type ConnectionStore = StoreApi<ConnectionStoreState>;

export function createConnectionStore(capabilities: Capabilities): ConnectionStore {
  const solver: SolverFrame = { stage: 'whole', progress: null, failed: null, gpuKernels: false };
  return createStore(() => ({
    state: { kind: 'connected' } as ConnectionState,
    capabilities,
    solver,
    remotes: [],
    delay_ms: null,
  }));
}
