/**
 * Connection of the page to its host, state of the host's solver, and remote machines. The page has a new id for each
 * load, and remembers its ids from before reloads.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Capabilities, SolverFrame } from '../../electron/contract/capabilities.ts';
import type { Remote } from '../../electron/contract/remote.ts';
import type { ConnectionState } from '../data/client/client.ts';

interface ConnectionStoreState {
  readonly state: ConnectionState;
  readonly capabilities: Capabilities;
  /** State of the solver. On a first start, the solver and GPU kernels are compiled while the page is in use. */
  readonly solver: SolverFrame;
  readonly remotes: readonly Remote[];
  /** Round-trip time of a call in ms; null until measured, and for a host on this machine. */
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

const KEY = 'braggbench.pages';
const MAX_PAGE_IDS = 8;

export interface PageIds {
  readonly page: string;
  /** Ids from before reloads, newest first. */
  readonly previous: readonly string[];
}

function savedIds(storage: Pick<Storage, 'getItem'> | null): readonly string[] {
  try {
    const read: unknown = JSON.parse(storage?.getItem(KEY) ?? '[]');
    return Array.isArray(read) ? read.filter((id) => typeof id === 'string' && /^[\w-]{8,64}$/.test(id)) : [];
  } catch {
    return [];
  }
}

/** `reloaded`: distinguishes a reload from a duplicated tab, which copies the storage of its original. */
export function pageIds(storage: Pick<Storage, 'getItem' | 'setItem'> | null, reloaded: boolean): PageIds {
  const previous = reloaded ? savedIds(storage).slice(0, MAX_PAGE_IDS) : [];
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  const page = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  try {
    storage?.setItem(KEY, JSON.stringify([page, ...previous]));
  } catch {
    // If storage is full or forbidden, a reloaded page has no previous ids.
  }
  return { page, previous };
}
