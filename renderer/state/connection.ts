/** How the page stands with its host. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Capabilities } from '../../electron/contract/capabilities.ts';
import type { ConnectionState } from '../client/index.ts';

interface ConnectionStoreState {
  readonly state: ConnectionState;
  readonly capabilities: Capabilities;
}

export type ConnectionStore = StoreApi<ConnectionStoreState>;

export function createConnectionStore(capabilities: Capabilities): ConnectionStore {
  return createStore(() => ({ state: { kind: 'connected' } as ConnectionState, capabilities }));
}
