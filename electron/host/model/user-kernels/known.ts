/** User kernels known to the host, and their listing next to the shipped ones. */
import type { UserKernelBase } from './base.ts';
import type { UserKernel } from './file.ts';
import type { LoadedUserKernel } from './loaded.ts';

export interface KnownUserKernels {
  list(workload: string): readonly UserKernel[];
  find(workload: string, id: string): UserKernel | null;
  /** Its processes. */
  loaded(kernel: UserKernel): LoadedUserKernel;
}

/** `shipped` with the user kernels made from them, which list as theirs does but for the names. */
export function withUserKernels<V extends UserKernelBase>(shipped: readonly V[], kernel: readonly UserKernel[]): V[] {
  const mine = kernel.flatMap(({ id, description, base }) => {
    const from = shipped.find((one) => one.id === base.id && one.bench === base.bench);
    if (from === undefined) return [];
    const { title, changes, replaces } = description;
    return [{ ...from, id, title, changes: changes || `Own code for ${replaces}`, buildsOn: base.id, source: id }];
  });
  return [...shipped, ...mine];
}
