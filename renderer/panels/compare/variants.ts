/** The variants that this panel benchmarks: those whose doses it can hold against each other. */
import type { Variant } from '../../../electron/contract/capabilities.ts';
import type { WorkloadName } from '../../../electron/contract/workload.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

const COMPARED: WorkloadName = 'transport';

const made = new WeakMap<readonly Variant[], readonly Variant[]>();

/** The same list for the same capabilities, so that what is made from it is made once. */
function compared(all: readonly Variant[]): readonly Variant[] {
  const known = made.get(all);
  if (known !== undefined) return known;
  const own = all.filter(({ workload }) => workload === COMPARED);
  made.set(all, own);
  return own;
}

export function useComparedVariants(): readonly Variant[] {
  const { stores } = useWorkbench();
  return useSelected(stores.connection, (state) => compared(state.capabilities.variants));
}
