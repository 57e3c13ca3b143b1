/** The page's connection to its host, and the host's solver. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Capabilities, SolverFrame } from '../../electron/contract/capabilities.ts';
import type { ConnectionState } from '../client/index.ts';

interface ConnectionStoreState {
  readonly state: ConnectionState;
  readonly capabilities: Capabilities;
  /** On a first start it and the GPU's kernels are compiled while the page is in use. */
  readonly solver: SolverFrame;
}

export type ConnectionStore = StoreApi<ConnectionStoreState>;

export function createConnectionStore(capabilities: Capabilities): ConnectionStore {
  const solver: SolverFrame = { stage: 'whole', progress: null, failed: null, gpuKernels: false };
  return createStore(() => ({ state: { kind: 'connected' } as ConnectionState, capabilities, solver }));
}
