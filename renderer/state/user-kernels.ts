/** The user kernels next to the open scenario. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { FileRef } from '../../electron/contract/files.ts';
import type { UserKernelInfo } from '../../electron/contract/user-kernels.ts';

interface UserKernelState {
  /** Scenario whose folder contains them; null if they are the library's. */
  readonly beside: FileRef | null;
  readonly variants: readonly UserKernelInfo[];
  /** Those that cannot be used, and why. */
  readonly troubles: readonly { readonly id: string; readonly message: string }[];
  /** Variant of the scenario's benchmark that the editor is to show next; null: the one that it shows. */
  readonly wanted: string | null;
  /** User kernel that the editor is to show next, of any workload. */
  readonly opened: UserKernelInfo | null;
}

export type UserKernelStore = StoreApi<UserKernelState>;

export function createUserKernelStore(): UserKernelStore {
  return createStore<UserKernelState>(() => ({ beside: null, variants: [], troubles: [], wanted: null, opened: null }));
}
